"""The command line, read as pflag reads it for kubectl: `--flag=value` and `--flag value`, `-nfoo`, `-l=a`, `-wA`,
flags and arguments in any order, `--` before arguments that begin with a dash, `_` for `-` in a flag's name.

A verb declares its flags as data; `parse` answers with a `FlagSet`. An unknown flag is an error, in pflag's words.
Nothing is imported here that takes time: every command pays for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from kctl.errors import KctlError
from localplane.apimachinery import times
from localplane.apimachinery.golang import text as gotext
from localplane.apimachinery.light_typing import Any, NamedTuple


class Flag(NamedTuple):
    """`kind` is one of KINDS. `bare` is what `--flag` without a value means; without it a value has to follow.
    `deprecated` is said to those who still give it, `short_deprecated` to those who give its letter."""

    name: str
    kind: str = "text"
    default: Any = ""
    usage: str = ""
    short: str = ""
    bare: str = ""
    hidden: bool = False
    deprecated: str = ""
    short_deprecated: str = ""

    @property
    def shown(self) -> str:
        return f"-{self.short}, --{self.name}" if self.short else f"--{self.name}"


def switch(name: str, usage: str, *, short: str = "", default: bool = False, hidden: bool = False) -> Flag:
    """A flag that is there or not; `--flag=false` takes it back."""
    return Flag(name, "switch", default, usage, short, "true", hidden)


class FlagSet:
    """What a command line said. `arguments` are the words that are no flags."""

    def __init__(self, flags: Iterable[Flag], notice: Callable[[str], object] = lambda _: None) -> None:
        self._notice = notice
        self.arguments: list[str] = []
        self.dash: int | None = None
        """How many arguments came before `--`."""
        self.said: list[tuple[str, str]] = []
        """Each flag and its value, in the order in which they came."""
        self._flags = {flag.name: flag for flag in flags}
        self._values: dict[str, Any] = {}

    def changed(self, name: str) -> bool:
        """Whether the flag was given at all."""
        return name in self._values

    def known(self, name: str) -> bool:
        return name in self._flags

    def kind(self, name: str) -> str:
        return self._flags[name].kind

    def text(self, name: str) -> str:
        return str(self._value(name))

    def is_on(self, name: str) -> bool:
        return bool(self._value(name))

    def number(self, name: str) -> int:
        return int(self._value(name))

    def texts(self, name: str) -> list[str]:
        return list(self._value(name))

    def pairs(self, name: str) -> dict[str, str]:
        return dict(self._value(name))

    def levels(self, name: str) -> list[tuple[str, str]]:
        """Of file names and how much is to be logged for them."""
        return list(self._value(name))

    def seconds(self, name: str) -> float:
        """Of a duration."""
        return float(self._value(name))

    def _value(self, name: str) -> Any:
        return self._values.get(name, self._flags[name].default)

    def notice_short(self, flag: Flag) -> None:
        if flag.short_deprecated:
            self._notice(f"Flag shorthand -{flag.short} has been deprecated, {flag.short_deprecated}\n")

    def take(self, flag: Flag, text: str) -> None:
        """Raises KctlError for a value that the flag can't have."""
        try:
            value = KINDS[flag.kind](text)
        except ValueError as error:
            raise KctlError(f'invalid argument {gotext.go_quote(text)} for "{flag.shown}" flag: {error}') from error
        if isinstance(value, list):
            value = [*self._values.get(flag.name, ()), *value]
        elif isinstance(value, dict):
            value = {**self._values.get(flag.name, {}), **value}
        self._values[flag.name] = value
        self.said.append((flag.name, text))
        if flag.deprecated:
            self._notice(f"Flag --{flag.name} has been deprecated, {flag.deprecated}\n")


def parse(words: Sequence[str], known: Iterable[Flag], notice: Callable[[str], object] = lambda _: None) -> FlagSet:
    """Raises KctlError, in pflag's words. `notice` hears of flags that one should not give any more."""
    named, short = _index(known)
    flags = FlagSet(named.values(), notice)
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word == "--":
            flags.dash = len(flags.arguments)
            flags.arguments += rest
            break
        if word.startswith("--"):
            _long(word[2:], named, rest, flags)
        elif word.startswith("-") and word != "-":
            _short(word[1:], short, rest, flags)
        else:
            flags.arguments.append(word)
    return flags


def last_said(words: Sequence[str], name: str, default: str) -> str:
    """What a long flag was given last, on a command line that may be wrong otherwise."""
    chosen = default
    for position, word in enumerate(words):
        if word == "--":
            break
        if word == f"--{name}" and position + 1 < len(words):
            chosen = words[position + 1]
        elif word.startswith(f"--{name}="):
            chosen = word.partition("=")[2]
    return chosen


def first_word(words: Sequence[str], flags: Iterable[Flag]) -> int | None:
    """Where the verb is: the first word that is neither a flag nor a flag's value. None if there is none."""
    named, short = _index(flags)
    position = 0
    while position < len(words):
        word = words[position]
        if word == "--":
            return None
        if not word.startswith("-") or word == "-":
            return position
        position += 2 if _takes_next(word, named, short) else 1
    return None


def _takes_next(word: str, named: Mapping[str, Flag], short: Mapping[str, Flag]) -> bool:
    """A flag that nobody knows is taken for one with a value, as cobra takes it."""
    if "=" in word or (not word.startswith("--") and len(word) > 2):
        return False
    flag = named.get(_normal(word[2:])) if word.startswith("--") else short.get(word[1:])
    return flag is None or not flag.bare


def _index(flags: Iterable[Flag]) -> tuple[dict[str, Flag], dict[str, Flag]]:
    """By name and by letter. Of two with the same name the first counts: a verb's goes before everybody's."""
    named: dict[str, Flag] = {}
    short: dict[str, Flag] = {}
    for flag in flags:
        if flag.name not in named:
            named[flag.name] = flag
            if flag.short:
                short.setdefault(flag.short, flag)
    return named, short


def _normal(name: str) -> str:
    return name.replace("_", "-")


def _long(text: str, named: Mapping[str, Flag], rest: list[str], flags: FlagSet) -> None:
    name, equals, value = text.partition("=")
    if not name or name.startswith("-"):
        raise KctlError(f"bad flag syntax: --{text}")
    flag = named.get(_normal(name))
    if flag is None:
        known = [f"--{one}" for one in named if not named[one].hidden]
        raise KctlError(f"unknown flag: --{name}", mistyped=(f"--{name}", known))
    if not equals:
        if flag.bare:
            value = flag.bare
        elif rest:
            value = rest.pop(0)
        else:
            raise KctlError(f"flag needs an argument: --{flag.name}")
    flags.take(flag, value)


def _short(letters: str, short: Mapping[str, Flag], rest: list[str], flags: FlagSet) -> None:
    while letters:
        flag = short.get(letters[0])
        if flag is None:
            raise KctlError(f"unknown shorthand flag: '{letters[0]}' in -{letters}")
        flags.notice_short(flag)
        after = letters[1:]
        if after.startswith("=") and len(after) > 1:
            flags.take(flag, after[1:])
            return
        if flag.bare:
            flags.take(flag, flag.bare)
            letters = after
            continue
        if not after and not rest:
            raise KctlError(f"flag needs an argument: '{letters[0]}' in -{letters}")
        flags.take(flag, after or rest.pop(0))
        return


def _switch(text: str) -> bool:
    if text in ("1", "t", "T", "TRUE", "true", "True"):
        return True
    if text in ("0", "f", "F", "FALSE", "false", "False"):
        return False
    raise ValueError(f'strconv.ParseBool: parsing "{text}": invalid syntax')


def _integer(bits: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        digits = text.lstrip("+-")
        try:
            value = int(text, 8) if digits.isdecimal() and digits.startswith("0") else int(text, 0)
        except ValueError:
            raise ValueError(f'strconv.ParseInt: parsing "{text}": invalid syntax') from None
        if not -(1 << (bits - 1)) <= value < 1 << (bits - 1):
            raise ValueError(f'strconv.ParseInt: parsing "{text}": value out of range')
        return value

    return read


def _duration(text: str) -> float:
    try:
        return times.parse_duration(text).total_seconds()
    except times.InvalidDuration as error:
        raise ValueError(str(error)) from error


def _go_duration(text: str) -> float:
    """As Go's own flags read it, which say less about what is wrong."""
    try:
        return _duration(text)
    except ValueError:
        raise ValueError("parse error") from None


def _slice(text: str) -> list[str]:
    """Go reads these as a line of CSV."""
    if '"' not in text:
        return text.split(",") if text else []
    fields: list[str] = []
    position = 0
    while position <= len(text):
        field, position = (_quoted if text.startswith('"', position) else _unquoted)(text, position)
        fields.append(field)
    return fields


def _unquoted(text: str, start: int) -> tuple[str, int]:
    """A field, and where the next begins. Kubernetes: Go's encoding/csv."""
    field = text[start:].partition(",")[0]
    if '"' in field:
        raise ValueError(
            f'parse error on line 1, column {start + field.index(chr(34)) + 1}: bare " in non-quoted-field'
        )
    return field, start + len(field) + 1


def _quoted(text: str, start: int) -> tuple[str, int]:
    """As `_unquoted`; a quote inside is written twice."""
    position = start + 1
    field = ""
    while (end := text.find('"', position)) >= 0:
        field += text[position:end]
        position = end + 1
        if text.startswith('"', position):
            field, position = field + '"', position + 1
        elif position == len(text) or text[position] == ",":
            return field, position + 1
        else:
            break
    column = position if end >= 0 else len(text) + 1
    raise ValueError(f'parse error on line 1, column {column}: extraneous or missing " in quoted-field')


def _pairs(text: str) -> dict[str, str]:
    """Kubernetes: cliflag.MapStringString."""
    found = {}
    for pair in filter(None, text.split(",")):
        key, equals, value = pair.partition("=")
        if not equals:
            raise ValueError("malformed pair, expect string=string")
        found[key.strip()] = value.strip()
    return found


def _map(text: str) -> dict[str, str]:
    """Kubernetes: pflag's stringToString."""
    if "=" not in text:
        raise ValueError(f"{text} must be formatted as key=value")
    found = {}
    for pair in [text.strip('"')] if text.count("=") == 1 else _slice(text):
        key, equals, value = pair.partition("=")
        if not equals:
            raise ValueError(f"{pair} must be formatted as key=value")
        found[key] = value
    return found


def _levels(text: str) -> list[tuple[str, str]]:
    """Kubernetes: klog's moduleSpec."""
    found = []
    for part in text.split(","):
        if not part:
            continue
        pattern, equals, level = part.partition("=")
        if not equals or "=" in level or not pattern or not level:
            raise ValueError("syntax error: expect comma-separated list of filename=N")
        if not level.lstrip("+-").isdecimal():
            raise ValueError("syntax error: expect comma-separated list of filename=N")
        if int(level) < 0:
            raise ValueError("negative value for vmodule level")
        if int(level):
            found.append((pattern, level))
    return found


KINDS: Mapping[str, Callable[[str], Any]] = {
    "text": str,
    "switch": _switch,
    "int": _integer(64),
    "int32": _integer(32),
    "duration": _duration,
    "go-duration": _go_duration,
    "slice": _slice,
    "array": lambda text: [text],
    "levels": _levels,
    "pairs": _pairs,
    "map": _map,
}
"""How each kind of flag reads its value. Both a `slice` and an `array` may be given several times; only the former
splits at commas. So may `pairs` and a `map`, both `key=value,key=value`; of the latter a value may be quoted."""
