"""What stands beside a type in `Annotated`: our own Field, annotated_types' constraints, and those of pydantic.

All of it becomes words: a dictionary by Field's own names, in which `min_size` and `max_size` are the length of what
may be a text, a list or a map (only the type tells), and `notes` what documents alone show. What is not understood is
refused, because a constraint that nobody checks is worse than none. Neither library is imported here: whoever uses one
has imported it.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from .annotations import DeclarationError, Field

Words = dict[str, Any]

_DEFAULTS: Final = Field()
_LOWER_BOUNDS: Final = ("min_size", "min_length", "min_items", "min_properties")
_UPPER_BOUNDS: Final = ("max_size", "max_length", "max_items", "max_properties")
_DOCUMENTATION: Final = frozenset({"title", "description", "example", "examples", "externalDocs", "deprecated"})
_WITHOUT_MEANING: Final = frozenset({"strict", "allow_inf_nan", "union_mode", "fail_fast", "defer_build"})
"""What pydantic is told about Python values: JSON that a server reads has its types already, and no NaN."""


def words_of(extra: Any) -> Words:
    """What one piece of metadata says. Raises DeclarationError for what is not understood."""
    if isinstance(extra, Field):
        return _own(extra)
    if isinstance(extra, str):
        return {"description": extra}
    module, name = type(extra).__module__.partition(".")[0], type(extra).__name__
    if module == "pydantic" and name == "FieldInfo":
        return words_of_field_info(extra)
    if module == "annotated_types" and name in _CONSTRAINTS:
        return _CONSTRAINTS[name](extra)
    if name == "Doc" and module in ("typing_extensions", "typing", "annotated_types"):
        return {"description": extra.documentation}
    if hasattr(extra, "__is_annotated_types_grouped_metadata__"):
        return merged(*(words_of(each) for each in extra))
    if name == "_PydanticGeneralMetadata":
        return _general(vars(extra))
    if module == "pydantic" and name == "Strict":
        return {}
    if module == "pydantic" and name == "Discriminator" and isinstance(extra.discriminator, str):
        return {"discriminator": extra.discriminator}
    raise DeclarationError(f"{extra!r} would be ignored by a server: say it with Field, or in a Strategy's validate")


def merged(*said: Words) -> Words:
    """Constraints hold together: of two bounds the narrower one counts. Of everything else, the last word does."""
    result: Words = {}
    for words in said:
        for key, value in words.items():
            if key in _LOWER_BOUNDS and key in result:
                result[key] = max(result[key], value)
            elif key in _UPPER_BOUNDS and key in result:
                result[key] = min(result[key], value)
            elif key in ("minimum", "maximum"):
                _narrow(result, words, key)
            elif key in ("exclusive_minimum", "exclusive_maximum"):
                continue  # goes with its bound
            elif key == "notes":
                result[key] = {**result.get(key, {}), **value}
            elif key == "pattern" and result.get(key, value) != value:
                raise DeclarationError(f"two patterns, {result[key]!r} and {value!r}: write one that says both")
            else:
                result[key] = value
    return result


def words_of_field_info(info: Any) -> Words:
    """What pydantic's Field says, its constraints included; default and alias are `members`'."""
    words = merged(*(words_of(each) for each in info.metadata))
    for refused, instead in (
        ("exclude", "a server writes every field that it has"),
        ("exclude_if", "a server writes every field that it has"),
        ("frozen", "say it in a Strategy's validate_update"),
    ):
        if getattr(info, refused, None):
            raise DeclarationError(f"{refused} would be ignored: {instead}")
    if info.description:
        words["description"] = info.description
    if info.discriminator is not None:
        name = info.discriminator if isinstance(info.discriminator, str) else info.discriminator.discriminator
        if not isinstance(name, str):
            raise DeclarationError("a discriminator is the name of a field here, no function")
        words["discriminator"] = name
    notes: dict[str, Any] = {}
    if info.title:
        notes["title"] = info.title
    if info.examples:
        notes["example"] = info.examples[0]
    if info.deprecated:
        notes["deprecated"] = True
    notes |= documentation(info.json_schema_extra)
    return merged(words, {"notes": notes}) if notes else words


def documentation(extra: Any) -> dict[str, Any]:
    """pydantic's json_schema_extra, as far as it only documents."""
    if extra is None:
        return {}
    if not isinstance(extra, Mapping):
        raise DeclarationError("json_schema_extra is a dictionary here, no function")
    for key in extra:
        if key not in _DOCUMENTATION and (not key.startswith("x-") or key.startswith("x-kubernetes-")):
            raise DeclarationError(f"json_schema_extra says {key}, which would be ignored: say it with Field")
    return dict(extra)


def _own(field: Field) -> Words:
    words = {
        each.name: getattr(field, each.name)
        for each in dataclasses.fields(field)
        if getattr(field, each.name) != getattr(_DEFAULTS, each.name)
    }
    if field.default is not _DEFAULTS.default:
        words["default"] = field.default  # equal to nothing is not nothing
    if "extensions" in words:
        words["notes"] = dict(words.pop("extensions"))
    return words


def _bound(key: str, value: Any, *, exclusive: bool = False) -> Words:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise DeclarationError(f"{key} {value!r} is no number")
    return {key: value, f"exclusive_{key}": exclusive}


def _narrow(result: Words, words: Words, key: str) -> None:
    value, exclusive = words[key], bool(words.get(f"exclusive_{key}"))
    before = result.get(key)
    if before is not None:
        is_wider = value < before if key == "minimum" else value > before
        if is_wider:
            return
        exclusive = exclusive or (value == before and result.get(f"exclusive_{key}", False))
    result[key] = value
    if exclusive:
        result[f"exclusive_{key}"] = True
    else:
        result.pop(f"exclusive_{key}", None)


_CONSTRAINTS: Final[dict[str, Callable[[Any], Words]]] = {
    "Gt": lambda extra: _bound("minimum", extra.gt, exclusive=True),
    "Ge": lambda extra: _bound("minimum", extra.ge),
    "Lt": lambda extra: _bound("maximum", extra.lt, exclusive=True),
    "Le": lambda extra: _bound("maximum", extra.le),
    "MultipleOf": lambda extra: {"multiple_of": extra.multiple_of},
    "MinLen": lambda extra: {"min_size": extra.min_length},
    "MaxLen": lambda extra: {"max_size": extra.max_length},
}


def _general(said: Mapping[str, Any]) -> Words:
    """pydantic's constraints that annotated_types has no class for."""
    words: Words = {}
    for key, value in said.items():
        if key == "pattern":
            words[key] = _pattern(value)
        elif value and key not in _WITHOUT_MEANING:
            raise DeclarationError(f"{key} changes or checks values in pydantic alone: a server would ignore it")
    return words


def _pattern(pattern: str | re.Pattern[str]) -> str:
    if isinstance(pattern, str):
        return pattern
    if pattern.flags & ~re.UNICODE:
        raise DeclarationError(
            f"the flags of the pattern {pattern.pattern!r} would be ignored: write them into it, (?i)"
        )
    return pattern.pattern
