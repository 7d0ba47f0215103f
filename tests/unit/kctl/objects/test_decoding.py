"""Documents, read before anybody knows what they are."""

from __future__ import annotations

from typing import Any

import pytest

from kctl.errors import KctlError
from kctl.objects.decoding import Undecodable, check_type, decoded, group_version_kind, items

NAMED: dict[str, Any] = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}


def test_an_object_stays_what_it_is() -> None:
    assert decoded(NAMED, "f") is NAMED
    assert decoded({**NAMED, "metadata": {"generation": 1, "labels": {"a": None}}}, "f")["metadata"]["generation"] == 1


REFUSED: list[tuple[Any, str]] = [
    ([], "json: cannot unmarshal array into Go value of type unstructured.detector"),
    ("x", "json: cannot unmarshal string into Go value of type unstructured.detector"),
    ({"apiVersion": "v1"}, "Object 'Kind' is missing in '{\"apiVersion\":\"v1\"}'"),
    ({**NAMED, "metadata": 5}, "cannot unmarshal number into Go struct field metadataOnlyObject.metadata of type"),
    (
        {**NAMED, "metadata": {"labels": {"a": 1}}},
        "number into Go struct field ObjectMeta.metadata.labels of type string",
    ),
    ({**NAMED, "items": {}}, "object into Go struct field decodeList.items of type []json.RawMessage"),
    ({**NAMED, "items": [1]}, "json: cannot unmarshal number into Go value of type map[string]interface {}"),
]


@pytest.mark.parametrize(("value", "said"), REFUSED, ids=[said for _, said in REFUSED])
def test_what_is_no_object_is_told_in_gos_words(value: Any, said: str) -> None:
    with pytest.raises(Undecodable) as refusal:
        decoded(value, "f.yaml")
    assert str(refusal.value).startswith('unable to decode "f.yaml": ')
    assert said in str(refusal.value)


def test_items_that_dont_say_what_they_are_are_what_their_list_says() -> None:
    value: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "ConfigMapList",
        "items": [{"metadata": {}}, None, {"kind": "Secret"}],
    }
    named = {"apiVersion": "v1", "kind": "ConfigMap"}
    assert items(value) == [{"metadata": {}, **named}, named, {"kind": "Secret"}]
    with pytest.raises(KctlError, match="apiVersion field"):
        check_type({"kind": "Secret"})


def test_a_list_in_a_list_cant_be_taken_apart() -> None:
    inner = {"apiVersion": "v1", "kind": "List", "items": []}
    with pytest.raises(KctlError, match="is not a list: no Items field in this object"):
        items({"apiVersion": "v1", "kind": "List", "items": [inner]})


@pytest.mark.parametrize(
    ("version", "expected"),
    [("v1", ("", "v1", "K")), ("a/v1", ("a", "v1", "K")), ("a/b/c", ("", "", "")), (5, ("", "", "K"))],
)
def test_a_version_that_is_none_leaves_no_kind(version: Any, expected: tuple[str, str, str]) -> None:
    assert group_version_kind({"apiVersion": version, "kind": "K"}) == expected
