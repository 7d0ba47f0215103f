"""Frozen dataclasses with slots that are made fast, for what every command line has to import.

`dataclasses` imports `inspect` and compiles six functions for each class, which costs a program that lives for fifty
milliseconds a third of its life. A `record` compiles what it has to in one piece, and only when somebody makes or
compares one. To everybody else it is a dataclass: type checkers read it as one, and `dataclasses.replace` and `fields`
understand it.
"""

from __future__ import annotations

from collections.abc import Callable

from localplane.apimachinery.light_typing import Any, Final, NoReturn, TypeVar, dataclass_transform

T = TypeVar("T")

_REQUIRED: Final[Any] = object()


class _Field:
    __slots__ = ("default", "factory", "shown")

    def __init__(self, default: Any, factory: Callable[[], Any] | None, *, shown: bool) -> None:
        self.default = default
        self.factory = factory
        self.shown = shown


def field(*, default: Any = _REQUIRED, default_factory: Callable[[], Any] | None = None, repr: bool = True) -> Any:  # noqa: A002 - dataclasses' own words
    return _Field(default, default_factory, shown=repr)


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(cls: type[T]) -> type[T]:
    """The class with slots, an initializer, equality, hash and representation. Fields are its annotations."""
    fields = {
        name: _field_of(cls, name) for name, kind in cls.__annotations__.items() if not kind.startswith("ClassVar")
    }
    content = {name: value for name, value in cls.__dict__.items() if name not in (*fields, "__dict__", "__weakref__")}
    names = tuple(fields)
    shown = tuple(name for name, one in fields.items() if one.shown)
    made_of: list[type] = []
    content |= {
        "__slots__": names,
        "__match_args__": names,
        **_uncompiled(fields, made_of),
        "__setattr__": _refuse,
        "__delattr__": _refuse,
        "__reduce__": lambda self: (type(self), _values(self, names)),
        "__dataclass_fields__": _Fields(cls, fields),
    }
    content.setdefault("__repr__", lambda self: _shown(self, shown))
    made: Any = type(cls.__name__, cls.__bases__, content)
    made_of.append(made)
    return made  # type: ignore[no-any-return]  # the same class, with slots


def replace(obj: T, **changes: Any) -> T:
    """A copy with other values."""
    values = {name: getattr(obj, name) for name in obj.__slots__}  # type: ignore[attr-defined]  # a record has them
    return type(obj)(**(values | changes))


def names_of(obj: Any) -> tuple[str, ...]:
    """A record's fields, in order."""
    return tuple(obj.__slots__)


def _field_of(cls: type, name: str) -> _Field:
    given = cls.__dict__.get(name, _REQUIRED)
    return given if isinstance(given, _Field) else _Field(given, None, shown=True)


def _uncompiled(fields: dict[str, _Field], made: list[type]) -> dict[str, Callable[..., Any]]:
    """Methods that put compiled ones in their own places, and then do what those do."""

    def later(name: str) -> Callable[..., Any]:
        def call(*given: Any, **named: Any) -> Any:
            methods = _compiled(fields)
            for each, method in methods.items():
                setattr(made[0], each, method)
            return methods[name](*given, **named)

        return call

    return {name: later(name) for name in ("__init__", "__eq__", "__hash__")}


def _compiled(fields: dict[str, _Field]) -> dict[str, Callable[..., Any]]:
    """What has to be quick, in one piece: the initializer, equality and the hash."""
    scope: dict[str, Any] = {"_set": object.__setattr__, "_required": _REQUIRED}
    parameters, lines = ["self"], []
    for name, one in fields.items():
        value = name
        if one.factory is not None:
            scope[f"_make_{name}"] = one.factory
            parameters.append(f"{name}=_required")
            value = f"_make_{name}() if {name} is _required else {name}"
        elif one.default is not _REQUIRED:
            scope[f"_default_{name}"] = one.default
            parameters.append(f"{name}=_default_{name}")
        else:
            parameters.append(name)
        lines.append(f"    _set(self, {name!r}, {value})")
    mine, theirs = ("".join(f"{side}.{name}," for name in fields) for side in ("self", "other"))
    lines += [
        "def __eq__(self, other):",
        f"    return ({mine}) == ({theirs}) if other.__class__ is self.__class__ else NotImplemented",
        f"def __hash__(self): return hash(({mine}))",
    ]
    exec(f"def __init__({', '.join(parameters)}):\n" + "\n".join(lines), scope)  # noqa: S102 - of identifiers only
    return {name: scope[name] for name in ("__init__", "__eq__", "__hash__")}


def _values(obj: Any, names: tuple[str, ...]) -> tuple[Any, ...]:
    return tuple([getattr(obj, name) for name in names])


def _shown(obj: Any, names: tuple[str, ...]) -> str:
    listed = ", ".join(f"{name}={getattr(obj, name)!r}" for name in names)
    return f"{type(obj).__qualname__}({listed})"


def _refuse(self: Any, name: str, value: Any = None) -> NoReturn:
    del value
    raise AttributeError(f"cannot assign to field {name!r} of {type(self).__name__}")


class _Fields:
    """What `dataclasses` looks for, made when it looks."""

    def __init__(self, cls: type, fields: dict[str, _Field]) -> None:
        self._cls = cls
        self._fields = fields
        self._made: dict[str, Any] | None = None

    def __get__(self, obj: Any, owner: type) -> dict[str, Any]:
        if self._made is None:
            import dataclasses

            described = [
                (name, self._cls.__annotations__[name], _as_dataclass_field(one)) for name, one in self._fields.items()
            ]
            twin: Any = dataclasses.make_dataclass(self._cls.__name__, described, frozen=True)
            self._made = dict(twin.__dataclass_fields__)
        return self._made


def _as_dataclass_field(one: _Field) -> Any:
    import dataclasses

    if one.factory is not None:
        return dataclasses.field(default_factory=one.factory, repr=one.shown)
    if one.default is not _REQUIRED:
        return dataclasses.field(default=one.default, repr=one.shown)
    return dataclasses.field(repr=one.shown)
