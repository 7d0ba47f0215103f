"""From arguments to what was said, by the rules of pflag, which kube-apiserver reads them with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from localplane.apimachinery.light_typing import Final

from .flags import ServerFlag

_SHORT: Final = {"h": "help", "v": "v"}


class UsageError(Exception):
    """In pflag's words."""


def parse(arguments: Sequence[str], flags: Mapping[str, ServerFlag]) -> dict[str, list[str]]:
    """All values of each flag, in their order. Raises UsageError."""
    said: dict[str, list[str]] = {}
    rest: list[str] = []
    waiting = list(reversed(arguments))
    while waiting:
        argument = waiting.pop()
        if argument == "--":
            rest += reversed(waiting)
            break
        if len(argument) < 2 or not argument.startswith("-"):
            rest.append(argument)
            continue
        flag, value = _long(argument, flags) if argument.startswith("--") else _short(argument, flags)
        if value is None and flag.needs_value:
            if not waiting:
                raise UsageError(f"flag needs an argument: --{flag.name}")
            value = waiting.pop()
        said.setdefault(flag.name, []).append("true" if value is None else value)
    if rest:
        listed = " ".join(f'"{word}"' for word in rest)
        raise UsageError(f'"kube-apiserver" does not take any arguments, got [{listed}]')
    return said


def _long(argument: str, flags: Mapping[str, ServerFlag]) -> tuple[ServerFlag, str | None]:
    """An underscore is as good as a dash in a name."""
    name, separator, value = argument[2:].partition("=")
    if not name or name.startswith("-"):
        raise UsageError(f"bad flag syntax: {argument}")
    flag = flags.get(name.replace("_", "-"))
    if flag is None:
        raise UsageError(f"unknown flag: --{name}")
    return flag, value if separator else None


def _short(argument: str, flags: Mapping[str, ServerFlag]) -> tuple[ServerFlag, str | None]:
    letter, value = argument[1], argument[2:].removeprefix("=")
    if letter not in _SHORT:
        raise UsageError(f"unknown shorthand flag: '{letter}' in {argument}")
    return flags[_SHORT[letter]], value or None
