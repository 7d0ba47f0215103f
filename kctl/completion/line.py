"""From the words of a line to what fits next. Kubernetes: cobra, completions.go, getCompletions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from kctl import program
from kctl.command_line.flags import Flag, FlagSet, parse
from kctl.completion import arguments, outsiders
from kctl.completion.tree import REQUIRED, CommandMatch, find, summaries
from kctl.completion.values import DEFAULT, NO_FILES, Offer, fitting, of_flag
from kctl.errors import KctlError

_SEVERAL = ("slice", "array", "levels")
"""Kinds of flags that are offered again when they have been given."""


class _Value(NamedTuple):
    """A flag whose value is being typed, the words without it, and what there is of the value."""

    flag: Flag | None
    words: list[str]
    current: str
    unknown: str = ""


async def offer(words: Sequence[str]) -> Offer:
    """`words` are those behind `kctl`; the last is the one to be completed, and may be empty."""
    *before, current = words
    matched = find(before)
    if matched is None:
        return Offer([], DEFAULT, f"unable to find a command for arguments: {_shown(before)}")
    value = _value(matched, current)
    dashed = "--" in value.words  # behind it nothing is a flag
    try:
        flags = parse(value.words, matched.flags)
    except KctlError as error:
        return Offer([], DEFAULT, f"Error while parsing flags from args {_shown(value.words)}: {error}")
    if value.unknown and not dashed:
        name = matched.path[-1].name if matched.path else program.name()
        return Offer([], DEFAULT, f"Subcommand '{name}' does not support flag '{value.unknown}'")
    if flags.changed("help"):
        return Offer([])
    if value.flag is not None and not dashed:
        return await of_flag(matched, flags, value.flag, value.current)
    if value.current.startswith("-") and "=" not in value.current and not dashed:
        return Offer(_flag_names(matched, flags, value.current))
    return await _argument(matched, flags, value.current)


def _shown(words: Sequence[str]) -> str:
    return f"[{' '.join(words)}]"


def _value(matched: CommandMatch, current: str) -> _Value:
    """Whether a flag's value is being completed: behind `=`, or behind a flag that needs one."""
    words = list(matched.rest)
    if current.startswith("-"):
        name, equals, value = current.partition("=")
        if not equals:
            return _Value(None, words, current)
        flag = _called(matched, name[2:] if name.startswith("--") else name[-1:])
        unknown = "" if flag else (name[2:] if name.startswith("--") else name[-1:])
        return _Value(flag, words, value if flag else current, unknown)
    if words and _is_flag(words[-1]) and "=" not in words[-1]:
        last = words[-1]
        name = last[2:] if last.startswith("--") else last[-1:]
        if not name:
            return _Value(None, words, current)
        flag = _called(matched, name)
        if flag is None:
            return _Value(None, words, current, name)
        if not flag.bare:
            return _Value(flag, words[:-1], current)
    return _Value(None, words, current)


def _is_flag(word: str) -> bool:
    return (len(word) >= 3 and word[:2] == "--") or (len(word) >= 2 and word[0] == "-" and word[1] != "-")


def _called(matched: CommandMatch, name: str) -> Flag | None:
    if len(name) == 1:
        return next((flag for flag in matched.flags if name in (flag.short, flag.name)), None)
    return next((flag for flag in matched.flags if flag.name == name.replace("_", "-")), None)


def _flag_names(matched: CommandMatch, flags: FlagSet, current: str) -> list[str]:
    required = _required(matched, flags, current)
    if required:
        return required
    offered = [*matched.inherited_flags, *matched.own_flags]
    return [
        word
        for flag in offered
        if not flags.changed(flag.name) or flag.kind in _SEVERAL
        for word in _named(matched, flag, current)
    ]


def _required(matched: CommandMatch, flags: FlagSet, current: str) -> list[str]:
    names = REQUIRED.get(matched.name, ())
    required = [flag for flag in matched.own_flags if flag.name in names and not flags.changed(flag.name)]
    return [word for flag in required for word in _named(matched, flag, current)]


def _named(matched: CommandMatch, flag: Flag, current: str) -> list[str]:
    if flag.hidden and flag.name != "help":
        return []
    usage = (
        flag.usage if flag.name != "help" else f"help for {matched.path[-1].name if matched.path else program.name()}"
    )
    names = [f"--{flag.name}", *([f"-{flag.short}"] if flag.short else [])]
    return [f"{name}\t{usage}" for name in fitting(current, names)]


async def _argument(matched: CommandMatch, flags: FlagSet, current: str) -> Offer:
    below: list[str] = []
    directive = DEFAULT
    local = {flag.name for flag in matched.own_flags}
    is_bare = not matched.path or not any(flags.changed(name) for name in local)
    if not flags.arguments and is_bare and (commands := summaries(matched.path)):
        if not matched.path:
            commands = sorted([*commands, *outsiders.names(known={name for name, _ in commands})])
        below = [f"{name}\t{summary}" for name, summary in commands if name.startswith(current)]
        directive = NO_FILES
    below += _required(matched, flags, current)
    taken = await arguments.of_command(matched, flags, current)
    return Offer(below, directive) if taken is None else Offer([*below, *taken.words], taken.directive)
