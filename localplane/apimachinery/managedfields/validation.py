"""What is wrong with an applied configuration, before anything is merged.

It may leave out whatever it likes, but what it holds must be declared and of its type, and no key may come twice.
Kubernetes: structured-merge-diff typed.Validate, whose words these are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from localplane.apimachinery.golang.text import go_plain, go_type_name
from localplane.apimachinery.serializers import yaml_scalars

from .errors import Unmanageable
from .fieldset import shown
from .typed import ListType, MapType, Type

_TEXTUAL: Final = frozenset({"string", "untyped"})
"""The scalars that may be a text."""


@dataclass(frozen=True, slots=True)
class TypedFault:
    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}" if self.path else self.message


def faults(kind: Type, value: Any, path: str = "") -> Iterator[TypedFault]:
    """Duplicates are faults in what is applied; what is stored may have them."""
    if value is None:
        return
    if type(value) is dict and kind.map is not None:
        yield from _map_faults(kind.map, value, path)
    elif type(value) is list and kind.list is not None:
        yield from _list_faults(kind.list, value, path)
    elif kind.map is not None and (not kind.scalar or type(value) is list):
        yield TypedFault(path, f"expected map, got &{{{go_plain(value)}}}")
    elif kind.scalar:
        message = _scalar_fault(kind.scalar, value)
        if message:
            yield TypedFault(path, message)
    else:
        yield TypedFault(path, f"expected list, got &{{{go_plain(value)}}}")


def is_sound(kind: Type, value: Any) -> bool:
    """Whether there are no `faults`: the same rules for what nearly always holds, without a word for what does not."""
    if type(value) is dict:
        return kind.map is not None and _is_sound_map(kind.map, value)
    if type(value) is list:
        return kind.list is not None and _is_sound_list(kind.list, value)
    return value is None or (bool(kind.scalar) and not _scalar_fault(kind.scalar, value))


def _is_sound_map(kind: MapType, value: dict[str, Any]) -> bool:
    for name, item in value.items():
        if name not in kind.declared and kind.element is None:
            return False
        child = kind.child(name)
        if not (type(item) is str and child.scalar in _TEXTUAL) and not is_sound(child, item):
            return False
    return True


def _is_sound_list(kind: ListType, value: Sequence[Any]) -> bool:
    if not kind.atomic:
        try:
            elements = kind.elements(value)
        except Unmanageable:
            return False
        if len(set(elements)) < len(elements):
            return False
    return all(is_sound(kind.element, item) for item in value)


def message_of(found: Sequence[TypedFault]) -> str:
    if len(found) == 1:
        return str(found[0])
    return "\n".join(["errors:", *(f"  {fault}" for fault in found)])


def _map_faults(kind: MapType, value: dict[str, Any], path: str) -> Iterator[TypedFault]:
    """After an undeclared field Kubernetes looks no further."""
    for name, item in value.items():
        if name not in kind.declared and kind.element is None:
            yield TypedFault(f"{path}.{name}", "field not declared in schema")
            return
        yield from faults(kind.child(name), item, f"{path}.{name}")


def _list_faults(kind: ListType, value: Sequence[Any], path: str) -> Iterator[TypedFault]:
    seen: set[str] = set()
    for number, item in enumerate(value):
        if kind.atomic:
            place = f"[{number}]"
        else:
            try:
                element = kind.element_of(item, number)
            except Unmanageable as error:
                yield TypedFault(path, str(error))
                return
            place = shown(element)
            if element in seen:
                yield TypedFault(path, f"duplicate entries for key {place}")
            seen.add(element)
        yield from faults(kind.element, item, path + place)


def _scalar_fault(scalar: str, value: Any) -> str:
    is_text, is_boolean = isinstance(value, str), isinstance(value, bool)
    is_number = isinstance(value, (int, float)) and not is_boolean
    match scalar:
        case "numeric" if not is_number:
            return f"expected numeric (int or float), got {go_type_name(value)}"
        case "string" if not is_text:
            shown_value = yaml_scalars.go_syntax(value, 1, keys="string")
            return f"expected string, got &value.valueUnstructured{{Value:{shown_value}}}"
        case "boolean" if not is_boolean:
            return f"expected boolean, got &{{{go_plain(value)}}}"
        case "untyped" if not (is_text or is_number or is_boolean):
            return f"expected any scalar, got &{{{go_plain(value)}}}"
    return ""
