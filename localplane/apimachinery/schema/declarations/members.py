"""The fields of a class, however it is written: plain, as a dataclass, a TypedDict or one of pydantic's models.

A field is required if it has no default. What a class can say and a server could not keep (validators that are Python,
fields that are computed) is refused here, in one sentence.
"""

from __future__ import annotations

import base64
import dataclasses
import inspect
import re
import types
import typing
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum
from typing import Any, Final

from localplane.apimachinery.schema.nodes import NOTHING
from localplane.apimachinery.times import format_time

from .annotations import DeclarationError, named
from .constraints import Words, documentation, merged, words_of_field_info

_WORDS: Final = re.compile(r"\w+")
_PYTHON_ONLY: Final = {
    "field_validators": "validator",
    "model_validators": "validator",
    "validators": "validator",
    "root_validators": "validator",
    "field_serializers": "serializer",
    "model_serializers": "serializer",
    "computed_fields": "computed field",
}


@dataclass(frozen=True, slots=True)
class Member:
    """One field of a class. `default` is what fills it, if anything does; an empty one says only that it may be left
    out. `words` are what is said of it outside of its annotation."""

    name: str
    annotation: Any
    is_required: bool
    default: Any
    words: Words


def members_of(declared: type) -> list[Member]:
    if is_model(declared):
        return _of_model(declared)
    for marker, what in (("__attrs_attrs__", "attrs"), ("__struct_fields__", "msgspec"), ("_field_defaults", "tuples")):
        if hasattr(declared, marker):
            raise DeclarationError(
                f"{declared.__name__} is one of {what}' classes, whose fields are not understood: make it a dataclass"
            )
    if hasattr(declared, "__fields__") and hasattr(declared, "__validators__"):
        raise DeclarationError(f"{declared.__name__} is a model of pydantic 1, which is not understood: use pydantic 2")
    return [_of_class(declared, name, annotation) for name, annotation in _annotations(declared).items()]


def is_model(declared: Any) -> bool:
    """Whether pydantic 2 made it, without asking pydantic."""
    return isinstance(declared, type) and hasattr(declared, "__pydantic_decorators__")


def root_of(declared: type) -> Member | None:
    """The one field that a RootModel consists of."""
    if not getattr(declared, "__pydantic_root_model__", False):
        return None
    return next(iter(_of_model(declared)), None)


def config_of(declared: type) -> Mapping[str, Any]:
    """What a model says of itself as a whole; nothing for other classes."""
    if not is_model(declared):
        return {}
    config: Mapping[str, Any] = getattr(declared, "model_config", None) or getattr(declared, "__pydantic_config__", {})
    return config


def description_of(declared: type) -> str:
    """The class's own docstring; dataclasses and TypedDicts without one have made one up, or inherited it."""
    text = vars(declared).get("__doc__")
    if not text or (dataclasses.is_dataclass(declared) and text.startswith(f"{declared.__name__}(")):
        return ""
    return inspect.cleandoc(text)


def json_value(value: Any) -> Any:
    """A default as a client would have sent it."""
    match value:
        case Enum():
            return json_value(value.value)
        case None | bool() | int() | str():
            return value
        case float() if value - value == 0:  # neither NaN nor infinite
            return value
        case bytes():
            return base64.b64encode(value).decode()
        case datetime() if value.tzinfo is not None:
            return format_time(value)
        case list() | tuple():
            return [json_value(each) for each in value]
        case Mapping() if all(isinstance(key, str) for key in value):
            return {key: json_value(each) for key, each in value.items()}
    if not isinstance(value, type) and (is_model(type(value)) or dataclasses.is_dataclass(value)):
        return _object(value)
    if not callable(value) and hasattr(value, "__dict__"):  # a plain object: what it was given
        return {name: json_value(each) for name, each in vars(value).items()}
    raise DeclarationError(f"the default {value!r} is no value that JSON has")


def _object(value: Any) -> dict[str, Any]:
    pairs = ((member, getattr(value, attribute)) for attribute, member in _by_attribute(type(value)))
    return {member.name: json_value(each) for member, each in pairs if each is not None}


def _by_attribute(declared: type) -> Iterator[tuple[str, Member]]:
    names = list(_fields(declared)) if is_model(declared) else [each.name for each in dataclasses.fields(declared)]
    return zip(names, members_of(declared), strict=True)


def is_empty(value: Any) -> bool:
    """An empty default says no more than that the field may be left out."""
    return value is None or (not value and isinstance(value, (bool, int, float, str, bytes, list, dict, tuple)))


def _of_class(declared: type, name: str, annotation: Any) -> Member:
    with named(f"{declared.__name__}.{name}"):
        default = _default(declared, name)
        keys = getattr(declared, "__required_keys__", None)
        is_required = name in keys if keys is not None else default is NOTHING
        return Member(name, annotation, is_required, default, {})


def _default(declared: type, name: str) -> Any:
    """What stands behind the annotation; NOTHING if nothing does."""
    if dataclasses.is_dataclass(declared):
        for each in dataclasses.fields(declared):
            if each.name == name:
                if each.default_factory is not dataclasses.MISSING:
                    return _made(each.default_factory)
                return NOTHING if each.default is dataclasses.MISSING else json_value(each.default)
    value = getattr(declared, name, NOTHING)
    if value is NOTHING or isinstance(value, types.MemberDescriptorType):  # __slots__ has no values
        return NOTHING
    return json_value(value)


def _made(factory: Any) -> Any:
    """What a default factory makes, if that is always the same: a schema holds one value for everybody."""
    first, second = json_value(factory()), json_value(factory())
    if first != second:
        raise DeclarationError("its default factory makes another value each time: fill it in by Version(default=...)")
    return first


def _annotations(declared: type) -> dict[str, Any]:
    try:
        hints = typing.get_type_hints(declared, include_extras=True)
    except NameError as error:
        raise _unresolved(declared, error) from None
    except (TypeError, SyntaxError, AttributeError) as error:
        raise DeclarationError(f"{declared.__name__}: an annotation can't be read: {error}") from None
    return {
        name: hint
        for name, hint in hints.items()
        if not name.startswith("_") and typing.get_origin(hint) is not typing.ClassVar and hint is not typing.ClassVar
    }


def _unresolved(declared: type, error: NameError) -> DeclarationError:
    name = error.name or ""
    why = f"name {name!r} is not defined; declare it at the top of a module, before it is used"
    return DeclarationError(why).at(_mentioning(declared, name))


def _mentioning(declared: type, name: str) -> str:
    """The field whose annotation has a name in it, or the class if nobody can tell."""
    for base in declared.__mro__:
        for attribute, annotation in vars(base).get("__annotations__", {}).items():
            text = annotation if isinstance(annotation, str) else repr(annotation)
            if name in _WORDS.findall(text):
                return f"{base.__name__}.{attribute}"
    return declared.__name__


def _of_model(declared: type) -> list[Member]:
    _refuse_python_only(declared)
    return [_of_field_info(declared, attribute, info) for attribute, info in _fields(declared).items()]


def _fields(declared: type) -> dict[str, Any]:
    model: Any = declared
    if not getattr(model, "__pydantic_complete__", True):
        try:
            rebuild = getattr(model, "model_rebuild", None)
            is_complete = rebuild is not None and rebuild() is not False
        except NameError as error:
            raise _unresolved(declared, error) from None
        if not is_complete:
            raise DeclarationError(f"{declared.__name__}: a name in its annotations is not defined")
    fields: dict[str, Any] = getattr(model, "__pydantic_fields__", None) or getattr(model, "model_fields", {})
    return fields


def _refuse_python_only(declared: type) -> None:
    decorators: Any = declared.__pydantic_decorators__  # type: ignore[attr-defined]  # pydantic's own
    for kind, what in _PYTHON_ONLY.items():
        for name in getattr(decorators, kind, ()):
            raise DeclarationError(
                f"{declared.__name__}.{name}: a {what} is Python that a server would ignore: say it in a Strategy"
            )
    config = config_of(declared)
    for key in ("str_to_lower", "str_to_upper", "str_strip_whitespace"):
        if config.get(key):
            raise DeclarationError(f"{declared.__name__}: {key} changes values in pydantic alone: a server ignores it")


def _of_field_info(declared: type, attribute: str, info: Any) -> Member:
    with named(f"{declared.__name__}.{attribute}"):
        _refuse_other_forms(info.annotation, config_of(declared))
        words = words_of_field_info(info)
        default = NOTHING
        if info.default_factory is not None:
            if getattr(info, "default_factory_takes_validated_data", False):
                raise DeclarationError("its default factory looks at other fields: fill it in by Version(default=...)")
            default = _made(info.default_factory)
        elif not info.is_required():
            default = json_value(info.default)
        return Member(_wire_name(attribute, info), info.annotation, info.is_required(), default, words)


def _refuse_other_forms(annotation: Any, config: Mapping[str, Any]) -> None:
    """What Kubernetes writes in a form that pydantic does not read."""
    mentioned = (annotation, *typing.get_args(annotation))
    if timedelta in mentioned:
        raise DeclarationError('Kubernetes writes a timedelta as "1h0m0s", which pydantic does not read: use str')
    if bytes in mentioned and config.get("val_json_bytes") != "base64":
        raise DeclarationError('Kubernetes writes bytes in base64: say ConfigDict(val_json_bytes="base64"), or use str')


def _wire_name(attribute: str, info: Any) -> str:
    read = info.validation_alias if info.validation_alias is not None else info.alias or attribute
    written = info.serialization_alias if info.serialization_alias is not None else info.alias or attribute
    if not isinstance(read, str):
        raise DeclarationError(f"{read!r} is several names, and a field has one: use alias")
    if read != written:
        raise DeclarationError(
            f"it is read as {read!r} and written as {written!r}, and a field has one name: use alias"
        )
    return read


def model_notes(declared: type) -> dict[str, Any]:
    """What a model's configuration says for documents."""
    config = config_of(declared)
    with named(declared.__name__):
        notes = documentation(config.get("json_schema_extra"))
    return notes | ({"title": config["title"]} if config.get("title") else {})


def text_limits(declared: type) -> Words:
    """Limits that a model's configuration sets for all its texts."""
    config = config_of(declared)
    words: Words = {}
    if config.get("str_min_length"):
        words["min_length"] = config["str_min_length"]
    if config.get("str_max_length") is not None:
        words["max_length"] = config["str_max_length"]
    return merged(words)
