"""Field errors: what is wrong with an object, where, and in Kubernetes' own words.

Validation collects them, it does not stop at the first. Kubernetes: apimachinery/pkg/util/validation/field.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from dataclasses import field as dataclass_field
from enum import Enum
from itertools import chain, islice
from typing import Any, Final

from .errors import Cause
from .golang.text import go_quote, go_value
from .groups import GroupKind

__all__ = [
    "OMIT_VALUE",
    "ErrorType",
    "FieldError",
    "Path",
    "aggregate",
    "collected",
    "declared",
    "duplicate",
    "forbidden",
    "go_quote",
    "go_value",
    "internal",
    "invalid",
    "invalid_message",
    "not_found",
    "not_supported",
    "required",
    "told",
    "too_few",
    "too_long",
    "too_long_characters",
    "too_many",
    "too_short",
    "type_invalid",
]


class ErrorType(Enum):
    """Kubernetes' reason for a cause, and the words that open its message."""

    NOT_FOUND = ("FieldValueNotFound", "Not found")
    REQUIRED = ("FieldValueRequired", "Required value")
    DUPLICATE = ("FieldValueDuplicate", "Duplicate value")
    INVALID = ("FieldValueInvalid", "Invalid value")
    NOT_SUPPORTED = ("FieldValueNotSupported", "Unsupported value")
    FORBIDDEN = ("FieldValueForbidden", "Forbidden")
    TOO_LONG = ("FieldValueTooLong", "Too long")
    TOO_SHORT = ("FieldValueTooShort", "Too short")
    TOO_MANY = ("FieldValueTooMany", "Too many")
    TOO_FEW = ("FieldValueTooFew", "Too few")
    INTERNAL = ("InternalError", "Internal error")
    TYPE_INVALID = ("FieldValueTypeInvalid", "Invalid value")

    @property
    def reason(self) -> str:
        return self.value[0]

    @property
    def words(self) -> str:
        return self.value[1]


class Path:
    """A place in an object: `Path("spec") / "ports" [0] / "name"` reads `spec.ports[0].name`.

    The root, `Path()`, is Go's nil path: it prints as `<nil>`, and its children as if it were not there.
    """

    __slots__ = ("_text",)

    def __init__(self, text: str = "") -> None:
        self._text = text

    def __truediv__(self, name: str) -> Path:
        return Path(f"{self._text}.{name}" if self._text else name)

    def __getitem__(self, key: int | str) -> Path:
        """An index of a list, or a key of a map."""
        return Path(f"{self._text}[{key}]")

    def __str__(self) -> str:
        return self._text or "<nil>"

    def __repr__(self) -> str:
        return f"Path({self._text!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Path) and other._text == self._text

    def __hash__(self) -> int:
        return hash(self._text)


class _OmitValue(Enum):
    OMIT_VALUE = "OMIT_VALUE"


OMIT_VALUE: Final = _OmitValue.OMIT_VALUE
"""As the value of an error: the message shows none."""


@dataclass(frozen=True, slots=True)
class FieldError:
    """What is wrong with one field, for Strategy.validate to return and Invalid to carry. `required`, `invalid` and
    `forbidden` make them."""

    type: ErrorType
    field: str
    value: Any
    detail: str = ""
    declared: bool = dataclass_field(default=False, compare=False)
    """Found by a rule at the field's declaration: told after all that a kind's own code finds."""

    def body(self) -> str:
        """The message without the field: what a cause carries."""
        text = self.type.words
        if self.type not in _WITHOUT_VALUE and self.value is not OMIT_VALUE:
            text = f"{text}: {go_value(self.value)}"
        return f"{text}: {self.detail}" if self.detail else text

    def __str__(self) -> str:
        return f"{self.field}: {self.body()}" if self.field else self.body()

    def cause(self) -> Cause:
        return Cause(self.type.reason, self.body(), self.field)


_WITHOUT_VALUE = frozenset(
    {ErrorType.REQUIRED, ErrorType.FORBIDDEN, ErrorType.TOO_LONG, ErrorType.TOO_SHORT, ErrorType.INTERNAL}
)


MOST_ERRORS: Final = 1000
"""How many errors an answer tells: a few bytes of an object can be wrong in many ways."""

_TOO_MANY: Final = MOST_ERRORS + 1

MOST_TEXT: Final = 256 * 1024
"""After how many characters an answer tells no further error: each may show a value as long as the object."""

MORE_ERRORS: Final = FieldError(ErrorType.TOO_MANY, "", OMIT_VALUE, "there are more errors than are shown here")
"""Stands behind errors of which not all are told, and is about no field."""


def collected(*sources: Iterable[FieldError]) -> list[FieldError]:
    """What the sources find, one after the other; none is asked any more once there is as much as can be told."""
    errors = list(islice(chain.from_iterable(sources), _TOO_MANY))
    if len(errors) == _TOO_MANY:
        errors[MOST_ERRORS] = MORE_ERRORS
    return errors


def told(errors: Iterable[FieldError]) -> list[FieldError]:
    """The errors that an answer has room for."""
    room, shown = MOST_TEXT, list[FieldError]()
    for error in errors:
        if room <= 0 or len(shown) >= MOST_ERRORS:
            return [*shown, MORE_ERRORS]
        room -= len(str(error))
        shown.append(error)
    return shown


def declared(error: FieldError) -> FieldError:
    """The error, as one that Kubernetes finds by its declarations (`+k8s:required` and its like)."""
    return replace(error, declared=True)


def not_found(path: Path | str, value: Any) -> FieldError:
    return FieldError(ErrorType.NOT_FOUND, str(path), value)


def required(path: Path | str, detail: str = "") -> FieldError:
    """The field is missing: `spec.text: Required value`."""
    return FieldError(ErrorType.REQUIRED, str(path), "", detail)


def duplicate(path: Path | str, value: Any) -> FieldError:
    return FieldError(ErrorType.DUPLICATE, str(path), value)


def invalid(path: Path | str, value: Any, detail: str) -> FieldError:
    """The field's value is wrong: `spec.text: Invalid value: "VALUE": DETAIL`."""
    return FieldError(ErrorType.INVALID, str(path), value, detail)


def type_invalid(path: Path | str, value: Any, detail: str) -> FieldError:
    return FieldError(ErrorType.TYPE_INVALID, str(path), value, detail)


def not_supported(path: Path | str, value: Any, supported: Iterable[str]) -> FieldError:
    """The supported values are listed in the order given: sort a set first."""
    names = ", ".join(go_quote(name) for name in supported)
    return FieldError(ErrorType.NOT_SUPPORTED, str(path), value, f"supported values: {names}" if names else "")


def forbidden(path: Path | str, detail: str) -> FieldError:
    """The field may not be there, or not so: `spec.text: Forbidden: DETAIL`."""
    return FieldError(ErrorType.FORBIDDEN, str(path), "", detail)


def too_long(path: Path | str, limit: int) -> FieldError:
    """In bytes. A negative limit, here and below, is one that the message does not tell."""
    return FieldError(ErrorType.TOO_LONG, str(path), "", _at_most_long(limit, "byte"))


def too_long_characters(path: Path | str, limit: int) -> FieldError:
    return FieldError(ErrorType.TOO_LONG, str(path), "", _at_most_long(limit, "character"))


def too_short(path: Path | str, value: Any, limit: int) -> FieldError:
    detail = f"must be at least {_counted(limit, 'character')}" if limit >= 0 else "value is too short"
    return FieldError(ErrorType.TOO_SHORT, str(path), value, detail)


def too_many(path: Path | str, actual: int, limit: int) -> FieldError:
    detail = f"must have at most {_counted(limit, 'item')}" if limit >= 0 else "has too many items"
    return FieldError(ErrorType.TOO_MANY, str(path), actual if actual >= 0 else OMIT_VALUE, detail)


def too_few(path: Path | str, actual: int, limit: int) -> FieldError:
    detail = f"must have at least {_counted(limit, 'item')}" if limit >= 0 else "has too few items"
    return FieldError(ErrorType.TOO_FEW, str(path), actual, detail)


def internal(path: Path | str, detail: str) -> FieldError:
    return FieldError(ErrorType.INTERNAL, str(path), None, detail)


def _at_most_long(limit: int, unit: str) -> str:
    return f"may not be more than {_counted(limit, unit)}" if limit >= 0 else "value is too long"


def _counted(number: int, unit: str) -> str:
    return f"{number} {unit}" if number == 1 else f"{number} {unit}s"


def aggregate(errors: Sequence[FieldError]) -> str:
    """All messages in one, as Kubernetes' Aggregate says them: one plain, several in brackets, repeats left out."""
    messages = list(dict.fromkeys(str(error) for error in told(errors)))
    return messages[0] if len(messages) == 1 else f"[{', '.join(messages)}]"


def invalid_message(kind: GroupKind, name: str, errors: Sequence[FieldError]) -> str:
    """The message of a 422; a kind without a name has the empty one."""
    opening = f"{kind} {go_quote(name)} is invalid"
    return f"{opening}: {aggregate(errors)}" if errors else opening
