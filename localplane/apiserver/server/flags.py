"""Options whose fields carry their flags: a field's name, help and check are written once, where the field is.

    port: Annotated[int, Flag("--port", "Where it listens.", check=between(0, 65535))] = 6443

Options may hold other options. `flags_of` walks through the whole tree, and command lines are made of what it finds:
`localplane.cli.flags` makes those of `kctl up` and its companions, `localplane.library` that of an API of one's own.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass, replace
from functools import reduce
from keyword import iskeyword
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_args, get_origin, get_type_hints

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Flag:
    """`name` may be a pair, as in `--wait/--no-wait`.

    `words` is the type of what is written, where that is not the field's own; `read` makes the field's value of it, and
    `refusal` is said when it can't. `default` is what stands for the field's default on a command line, if the field's
    type has no text of its own. `check` returns what is wrong with a value, to be put behind the flag's name, or
    nothing. `before` is the flag that it stands before in a list of all, where that is not the order of the fields.
    """

    name: str
    help: str
    short: str = ""
    metavar: str | None = None
    words: Any = None
    default: Any = None
    shows_default: bool = True
    read: Callable[[Any], Any] | None = None
    refusal: str = 'invalid argument "{text}" for "{name}" flag: {error}'
    check: Callable[[Any], str] | None = None
    before: str = ""


class LibraryFlag(Flag):
    """One that programs have which serve an API of their own."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Only:
    """Of the options in this field only these fields are flags."""

    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DeclaredFlag:
    """A flag with its field: where that is in the tree, its type, and its default."""

    flag: Flag
    path: tuple[str, ...]
    type: Any
    default: Any

    @property
    def key(self) -> str:
        """What a function's parameter for it is called; a word of Python's own is none."""
        name = self.flag.name.partition("/")[0].lstrip("-").replace("-", "_")
        return f"{name}_" if iskeyword(name) else name

    @property
    def words(self) -> Any:
        """The type of what is written: several words for a sequence, text for what must be read."""
        if self.flag.words is not None:
            return self.flag.words
        if get_origin(self.type) in (tuple, Sequence):
            return list[get_args(self.type)[0]]  # type: ignore[misc] # mypy reads no computed types
        return self.type

    @property
    def unsaid(self) -> Any:
        """What is written if nothing is."""
        if self.flag.default is not None:
            return self.flag.default
        if self.words is str:
            return self.default if isinstance(self.default, str) else ""
        return None if get_origin(self.words) is list else self.default

    def value_in(self, options: Any) -> Any:
        """What the field says in a tree of options."""
        return reduce(getattr, self.path, options)

    def value(self, words: Any) -> Any:
        """Raises ValueError with a sentence for what can't be read."""
        if words == self.unsaid:
            return self.default
        if self.flag.read is None:
            return tuple(words) if isinstance(words, list) else words
        try:
            return self.flag.read(words)
        except ValueError as error:
            raise ValueError(self.flag.refusal.format(text=words, name=self.flag.name, error=error)) from error


def flags_of(options: type, kind: type[Flag] = Flag) -> list[DeclaredFlag]:
    """All flags of this kind in a tree of options, in the order in which they are listed."""
    ordered: list[DeclaredFlag] = []
    moved: list[DeclaredFlag] = []
    for declared in _declared(options, kind, ()):
        (moved if declared.flag.before else ordered).append(declared)
    for declared in moved:
        position = next(index for index, other in enumerate(ordered) if other.flag.name == declared.flag.before)
        ordered.insert(position, declared)
    return ordered


def with_values(options: T, values: Mapping[tuple[str, ...], Any]) -> T:
    """A tree of options with these values, by their paths."""
    changes: dict[str, Any] = {}
    below: dict[str, dict[tuple[str, ...], Any]] = {}
    for (name, *rest), value in values.items():
        if rest:
            below.setdefault(name, {})[tuple(rest)] = value
        else:
            changes[name] = value
    for name, inner in below.items():
        changes[name] = with_values(getattr(options, name), inner)
    return replace(options, **changes)  # type: ignore[type-var] # options are dataclasses


def problems(options: Any) -> Iterator[str]:
    """What the checks of single flags say, as sentences."""
    for declared in flags_of(type(options)):
        if declared.flag.check is not None:
            wrong = declared.flag.check(declared.value_in(options))
            if wrong:
                yield f"{declared.flag.name}{wrong}"


def _declared(options: type, kind: type[Flag], path: tuple[str, ...]) -> Iterator[DeclaredFlag]:
    hints = get_type_hints(options, include_extras=True)
    for field in fields(options):
        declared, metadata = _parts(hints[field.name])
        if is_dataclass(declared):
            only = next((each.fields for each in metadata if isinstance(each, Only)), None)
            for found in _declared(declared, kind, (*path, field.name)):  # type: ignore[arg-type] # a class
                if only is None or found.path[-1] in only:
                    yield found
        for flag in metadata:
            if type(flag) is kind:
                yield DeclaredFlag(flag, (*path, field.name), declared, _default(field))


def _parts(hint: Any) -> tuple[Any, tuple[Any, ...]]:
    if get_origin(hint) is Annotated:
        declared, *metadata = get_args(hint)
        return declared, tuple(metadata)
    return hint, ()


def _default(field: Field[Any]) -> Any:
    return field.default_factory() if field.default_factory is not MISSING else field.default


# --- what several flags read and check ---


def listed(words: str | Iterable[str]) -> tuple[str, ...]:
    """Each may name several, with commas between them."""
    several = [words] if isinstance(words, str) else words
    return tuple(part.strip() for word in several for part in word.split(",") if part.strip())


def between(lowest: int, highest: int) -> Callable[[int | None], str]:
    def check(number: int | None) -> str:
        good = number is None or lowest <= number <= highest
        return "" if good else f" {number} is not between {lowest} and {highest}"

    return check


def are_addresses(texts: Iterable[str]) -> str:
    for text in texts:
        try:
            ipaddress.ip_address(text)
        except ValueError:
            return f' "{text}" is no IP address'
    return ""


def is_address(text: str) -> str:
    return are_addresses((text,)) if text else ""


def is_not_negative(number: int) -> str:
    return "" if number >= 0 else f" {number} is less than 0"


def is_file(path: Path | None) -> str:
    return "" if path is None or path.is_file() else f': there is no file "{path}"'


def are_files(paths: Iterable[Path]) -> str:
    return next(filter(None, map(is_file, paths)), "")


def exist(paths: Iterable[Path]) -> str:
    return next((f': the path "{path}" does not exist' for path in paths if not path.exists()), "")
