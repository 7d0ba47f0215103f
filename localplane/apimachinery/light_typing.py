"""The names of `typing`, for what every command line imports: a program that lives for sixty milliseconds would spend
five of them on that module alone, only to throw away what it says.

Type checkers read `typing`'s own. At run time nobody looks at annotations here, so the names only have to be there;
NamedTuple, which has to do something, is a `collections.namedtuple` with the class's methods.
"""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any as Any
    from typing import ClassVar as ClassVar
    from typing import Final as Final
    from typing import Literal as Literal
    from typing import NamedTuple as NamedTuple
    from typing import NoReturn as NoReturn
    from typing import Protocol as Protocol
    from typing import Self as Self
    from typing import TextIO as TextIO
    from typing import TypeAlias as TypeAlias
    from typing import TypeVar as TypeVar
    from typing import cast as cast
    from typing import dataclass_transform as dataclass_transform
else:
    from collections import namedtuple

    class _Word:
        """Any of them, also with something in brackets."""

        def __class_getitem__(cls, _):
            return cls

    Any = ClassVar = Final = Literal = NoReturn = Protocol = Self = TextIO = TypeAlias = _Word

    class _Meta(type):
        def __new__(cls, name, bases, content):
            if not bases:
                return super().__new__(cls, name, bases, content)
            fields = tuple(content.get("__annotations__", ()))
            defaults = [content[field] for field in fields if field in content]
            made = namedtuple(name, fields, defaults=defaults, module=content["__module__"])
            for key, value in content.items():
                if key not in fields and key not in _KEPT:
                    setattr(made, key, value)
            return made

    _KEPT = frozenset({"__module__", "__dict__", "__weakref__", "__annotations__", "__slots__", "__classcell__"})

    class NamedTuple(metaclass=_Meta):
        pass

    def TypeVar(name, *_, **__):  # noqa: N802 - typing's own name
        return name

    def cast(_, value):
        return value

    def dataclass_transform(**_):
        return lambda function: function
