"""Field errors in Kubernetes' own words."""

from __future__ import annotations

import pytest

from localplane.apimachinery import fieldpath as field
from localplane.apimachinery.errors import Cause
from localplane.apimachinery.fieldpath import OMIT_VALUE, FieldError, Path
from localplane.apimachinery.groups import GroupKind

PORTS = Path("spec") / "ports"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (PORTS[0] / "name", "spec.ports[0].name"),
        (Path("data")["a/b"], "data[a/b]"),
        (Path(), "<nil>"),
        (Path() / "values", "values"),
        (Path()[0], "[0]"),
    ],
)
def test_a_path_reads_like_a_place_in_an_object(path: Path, text: str) -> None:
    assert str(path) == text


@pytest.mark.parametrize(
    ("error", "reason", "body"),
    [
        (field.not_found(PORTS, "x"), "FieldValueNotFound", 'Not found: "x"'),
        (field.required(PORTS), "FieldValueRequired", "Required value"),
        (field.required(PORTS, "must not be empty"), "FieldValueRequired", "Required value: must not be empty"),
        (
            field.duplicate(PORTS, {"name": "x", "port": 1}),
            "FieldValueDuplicate",
            'Duplicate value: {"name":"x","port":1}',
        ),
        (field.invalid(PORTS, -1, "must be greater"), "FieldValueInvalid", "Invalid value: -1: must be greater"),
        (
            field.invalid(PORTS, None, "field is immutable"),
            "FieldValueInvalid",
            "Invalid value: null: field is immutable",
        ),
        (field.invalid(PORTS, OMIT_VALUE, "min exceeds max"), "FieldValueInvalid", "Invalid value: min exceeds max"),
        (field.invalid(PORTS, ["<"], "no"), "FieldValueInvalid", 'Invalid value: ["\\u003c"]: no'),
        (field.type_invalid(PORTS, "string", "no int"), "FieldValueTypeInvalid", 'Invalid value: "string": no int'),
        (
            field.not_supported(PORTS, "Sideways", ("Up", "Down")),
            "FieldValueNotSupported",
            'Unsupported value: "Sideways": supported values: "Up", "Down"',
        ),
        (field.not_supported(PORTS, "x", ()), "FieldValueNotSupported", 'Unsupported value: "x"'),
        (field.forbidden(PORTS, "not now"), "FieldValueForbidden", "Forbidden: not now"),
        (field.too_long(PORTS, 128), "FieldValueTooLong", "Too long: may not be more than 128 bytes"),
        (field.too_long(PORTS, 1), "FieldValueTooLong", "Too long: may not be more than 1 byte"),
        (field.too_long(PORTS, -1), "FieldValueTooLong", "Too long: value is too long"),
        (field.too_long_characters(PORTS, 2), "FieldValueTooLong", "Too long: may not be more than 2 characters"),
        (field.too_short(PORTS, "a", 2), "FieldValueTooShort", "Too short: must be at least 2 characters"),
        (field.too_short(PORTS, "", -1), "FieldValueTooShort", "Too short: value is too short"),
        (field.too_many(PORTS, 3, 2), "FieldValueTooMany", "Too many: 3: must have at most 2 items"),
        (field.too_many(PORTS, 3, 1), "FieldValueTooMany", "Too many: 3: must have at most 1 item"),
        (field.too_many(PORTS, -1, -1), "FieldValueTooMany", "Too many: has too many items"),
        (field.too_few(PORTS, 0, 1), "FieldValueTooFew", "Too few: 0: must have at least 1 item"),
        (field.internal(PORTS, "boom"), "InternalError", "Internal error: boom"),
    ],
)
def test_each_error_has_its_reason_and_its_words(error: FieldError, reason: str, body: str) -> None:
    assert error.cause() == Cause(reason, body, "spec.ports")
    assert str(error) == f"spec.ports: {body}"


def test_one_error_is_told_plainly_several_in_brackets_and_none_twice() -> None:
    one, other = field.required(Path("a")), field.required(Path("b"))
    assert field.aggregate([one, one]) == "a: Required value"
    assert field.aggregate([one, other, one]) == "[a: Required value, b: Required value]"


def test_the_message_of_an_invalid_object_quotes_its_name_as_go_does() -> None:
    message = field.invalid_message(GroupKind("batch", "Job"), "n\x00l", [field.required(Path("a"))])
    assert message == 'Job.batch "n\\x00l" is invalid: a: Required value'
    assert field.invalid_message(GroupKind("", ""), "", []) == ' "" is invalid'
