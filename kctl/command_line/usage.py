"""The parser's complaints, in kubectl's words.

Typer ships a parser of its own from some version on and borrows click's before, so its errors are known here by their
class names and by the one class that Typer has always exported.

What was probably meant: names within two keystrokes, and names that begin so. Kubernetes: cobra's SuggestionsFor.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import typer

from kctl import program
from kctl.errors import KctlError, UsageError

# BadParameter's parents: the error of a wrong command line, and the root of whatever the parser raises.
PARSER_ERROR: type[Exception] = typer.BadParameter.__mro__[2]

_NO_SUCH_COMMAND = re.compile(r"No such command '(.*?)'\.")
_EXTRA_ARGUMENTS = re.compile(r"Got unexpected extra arguments?(?:\(s\))? \((.*)\)")


def usage_error(
    error: Any, *, command: Any, program: str, arguments: Sequence[str], explain: Callable[[], str]
) -> KctlError:
    """What kubectl would say about the command line that `error` complains about. `explain` is the verb's help."""
    said: str = error.format_message()
    if said.startswith("Missing command"):
        # A verb of verbs, alone: kubectl shows its help on stderr and fails.
        return KctlError(explain(), verbatim=True)
    path = _command_path(command, program, arguments)
    if found := _NO_SUCH_COMMAND.match(said):
        return UsageError(f'unknown command "{found[1]}"', hint=f"See '{path} -h' for help and examples")
    if found := _EXTRA_ARGUMENTS.match(said):
        message = f"extra arguments: [{found[1]}]"
    else:
        message = _complaint(error, arguments) or said[:1].lower() + said[1:]
    return UsageError(message, hint=f"See '{path} --help' for usage.", mistyped=_mistyped(error, command))


def _mistyped(error: Any, command: Any) -> tuple[str, Sequence[str]] | None:
    """A flag that there is not, and those that there are."""
    if type(error).__name__ != "NoSuchOption":
        return None
    parameters = getattr(getattr(error.ctx, "command", command), "params", ())
    return error.option_name, [name for one in parameters for name in one.opts if name.startswith("--")]


def without_presentation(arguments: Sequence[str]) -> list[str]:
    """Without --color and --error-format, which every verb has and `cli` sees to: the parser does not know them."""
    kept: list[str] = []
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        if word == "--":
            return [*kept, word, *rest]
        if word in ("--color", "--error-format") and rest:
            rest.pop(0)
        elif not word.startswith(("--color=", "--error-format=")):
            kept.append(word)
    return kept


def _complaint(error: Any, arguments: Sequence[str]) -> str | None:
    match type(error).__name__:
        case "NoSuchOption":
            return _unknown_flag(error.option_name, arguments)
        case "BadOptionUsage" if "requires an argument" in error.message:
            flag: str = error.option_name
            return f"flag needs an argument: {flag if flag.startswith('--') else f'{flag[-1]!r} in {flag}'}"
        case "MissingParameter" if error.param.param_type_name == "option":
            return f'required flag(s) "{error.param.opts[0].lstrip("-")}" not set'
        case "BadParameter" if error.param is not None and error.param.param_type_name == "option":
            return f'invalid argument for "{", ".join(sorted(error.param.opts, key=len))}" flag: {error.message}'
    return None


def _command_path(command: Any, program: str, arguments: Sequence[str]) -> str:
    """Some of the parser's errors don't know which command they are about; the arguments do."""
    words = [program]
    for word in arguments:
        command = getattr(command, "commands", {}).get(word)
        if command is None:
            break
        words.append(word)
    return " ".join(words)


def _unknown_flag(flag: str, arguments: Sequence[str]) -> str:
    if flag.startswith("--"):
        return f"unknown flag: {flag}"
    letter = flag[-1]
    short = (word[1:] for word in arguments if re.match(r"-[^-]", word) and letter in word)
    rest = next(short, letter)
    return f"unknown shorthand flag: {letter!r} in -{rest[rest.index(letter) :]}"


_MEANT_BY_OTHERS = {
    "get": ("list", "ls"),
    "describe": ("inspect",),
    "delete": ("rm", "remove"),
    "top": ("stats",),
}
"""What other programs call kubectl's verbs. Kubernetes: the commands' SuggestFor."""


def unknown_command(name: str, *, known: Sequence[str], own: Sequence[str] = ()) -> UsageError:
    """kubectl guesses what was meant, also where nobody watches. Our `own` come second."""
    near = [one for one in known if is_close(name, one) or name.lower() in _MEANT_BY_OTHERS.get(one, ())]
    near = near or close(name, own)
    return UsageError(f'unknown command "{name}" for "{program.name()}"', hint=did_you_mean(near))


def did_you_mean(names: Sequence[str]) -> str:
    """What follows an error; empty for nothing."""
    return "\n".join(("", "Did you mean this?", *(f"\t{name}" for name in names))) if names else ""


def close(name: str, known: Iterable[str]) -> list[str]:
    return [one for one in known if is_close(name, one)]


def is_close(name: str, known: str) -> bool:
    return _distance(name.lower(), known) <= 2 or known.startswith(name.lower())


def closest(name: str, known: Iterable[str], *, most: int = 5) -> list[str]:
    """The same where there are many: the nearest first, and few of them."""
    name = name.lower()
    ranked = sorted({(_distance(name, one), one) for one in known})
    limit = 1 if len(name) < 4 else 2
    return [one for distance, one in ranked if distance <= limit or (len(name) > 2 and one.startswith(name))][:most]


def _distance(one: str, other: str) -> int:
    """Levenshtein's: how many keystrokes lie between two words."""
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, start=1):
        previous, row[0] = row[0], i
        for j, b in enumerate(other, start=1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (a != b))
    return row[-1]
