"""What a container's command would do, if it is one of the simplest: `sleep 5`, `false`, `sh -c "echo hi; exit 1"`.

No process runs: the command is read, and what comes of it is how long it takes, its exit code, what it prints. Of the
shell's language there are lists (`;` `&&` `||` and new lines), `if`, endless loops, tests of files and numbers,
functions, `trap`, variables of the container's environment and sums of whole numbers. A command of which any part is
not known is not understood at all, and the caller falls back on what the pod's restart policy suggests.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, MutableSet, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from random import Random
from typing import Final

from .scripts import Branch, Function, Loop, NotUnderstood, Script, Simple, Statement, parse

_LONGEST: Final = 8192
_SHELLS: Final = frozenset({"sh", "bash", "ash", "dash"})
_UNITS: Final = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_DURATION: Final = re.compile(r"([0-9]{1,9}(?:\.[0-9]{0,9})?|\.[0-9]{1,9})([smhd]?)")
_LONG: Final = 60.0
_SLEEP: Final = re.compile(r"\bsleep\s([0-9]{1,9})([smhd]?)\b")
_ENDLESS: Final = re.compile(r"\bsleep\sinf|\bwhile\s(?:true|:)|\btail\s-[fF]\b")
_DEEPEST: Final = 20
_MOST_STEPS: Final = 1000
_STOP_SIGNALS: Final = frozenset({"TERM", "SIGTERM", "15"})
_WHOLE: Final = re.compile(r"-?[0-9]{1,18}")
_VARIABLE: Final = re.compile(r"\$(?:\{([A-Za-z_][A-Za-z0-9_]*)(?::([-?])([^${}]*))?\}|([A-Za-z_][A-Za-z0-9_]*))")
_SUM: Final = re.compile(r"\$\(\(([^()]*)\)\)|\$\(expr ([^()]*)\)")
_TEXT: Final = re.compile(r"\$\((date[^()]*|hostname(?: -f| --fqdn)?)\)")


REFERENCE: Final = re.compile(r"\$(?:\$|\(([-._a-zA-Z][-._a-zA-Z0-9]*)\))")
"""What the kubelet itself replaces in commands and values: `$(NAME)`, and `$$` for a dollar."""


@dataclass(frozen=True, slots=True)
class StopReply:
    """What a command does when it is told to stop: after so many seconds it ends with this code or, if it has none,
    goes on."""

    seconds: float
    exit_code: int | None


@dataclass(frozen=True, slots=True)
class CommandRun:
    """How a command goes: after so many seconds it ends with this code, or never (None)."""

    seconds: float
    exit_code: int | None
    output: tuple[str, ...] = ()
    message: str = ""
    """What it leaves in the container's termination log."""
    reply: StopReply | None = None
    """None if it has set no trap, or none that is understood."""


@dataclass(slots=True)
class CommandSurroundings:
    """What a command finds: its variables, the files that others have left (it adds its own), dice."""

    variables: Mapping[str, str] = field(default_factory=dict)
    files: MutableSet[str] = field(default_factory=set)
    dice: Random = field(default_factory=Random)
    termination_log: str = "/dev/termination-log"
    domain_name: str = ""
    """The name of the host with its domain."""


class _Exit(Exception):
    def __init__(self, code: int) -> None:
        self.code = code


class _Forever(Exception):
    pass


def expanded(text: str, values: Mapping[str, str]) -> str:
    """With the values of `$(NAME)`; what has none stays as it is, and `$$` is a dollar. Kubernetes:
    third_party/forked/golang/expansion."""

    def value(match: re.Match[str]) -> str:
        return "$" if match.group(1) is None else values.get(match.group(1), match.group())

    return REFERENCE.sub(value, text)


def understand(command: Sequence[str], surroundings: CommandSurroundings) -> CommandRun | None:
    """None if it is not understood."""
    if not command or sum(map(len, command)) > _LONGEST:
        return None
    shell = _Shell(surroundings)
    try:
        return shell.run(_outcome(partial(shell.call, list(command))))
    except (NotUnderstood, RecursionError):
        return None


def _outcome(go: Callable[[], int]) -> int | None:
    """The exit code; None if it never ends. Raises NotUnderstood."""
    try:
        return go()
    except _Exit as exit_:
        return exit_.code
    except _Forever:
        return None


def looks_endless(command: Sequence[str]) -> bool:
    """Whether a command that is not understood is written to go on: it loops for ever, or sleeps for long."""
    text = " ".join(command)
    if len(text) > _LONGEST:
        return False
    long = (float(match.group(1)) * _UNITS[match.group(2)] >= _LONG for match in _SLEEP.finditer(text))
    return _ENDLESS.search(text) is not None or any(long)


class _Shell:
    """Goes through a script and keeps count of what it does."""

    def __init__(self, surroundings: CommandSurroundings) -> None:
        self._around = surroundings
        self._seconds = 0.0
        self._output: list[str] = []
        self._message = ""
        self._stops_at_failure = False
        self._depth = self._steps = 0
        self._functions: dict[str, Script] = {}
        self._trap: str | None = None
        self._commands: Mapping[str, Callable[[list[str]], int]] = {
            "sleep": self._sleep,
            "echo": self._echo,
            "exit": self._exit,
            "touch": self._touch,
            "rm": self._remove,
            "test": _Tests(surroundings.files).judge,
            "[": lambda words: _Tests(surroundings.files).judge(_closed(words, "]")),
            "[[": lambda words: _Tests(surroundings.files).judge(_closed(words, "]]")),
            "set": self._set,
            "tail": self._tail,
            "exec": self.call,
            "cat": self._cat,
            "env": self._environment,
            "printenv": self._environment,
            "mkdir": lambda _: 0,
            "trap": self._set_trap,
            "true": lambda _: 0,
            ":": lambda _: 0,
            "false": lambda _: 1,
        }

    def run(self, code: int | None) -> CommandRun:
        return CommandRun(self._seconds, code, tuple(self._output), self._message, self._reply())

    def _reply(self) -> StopReply | None:
        """The trap that was set last is in force while the command runs on."""
        if self._trap is None:
            return None
        shell = _Shell(replace(self._around, files=set(self._around.files)))
        shell._functions = self._functions
        try:
            code = shell._ended(parse(self._trap))
        except (NotUnderstood, RecursionError):
            return None
        return StopReply(shell._seconds, code)

    def _ended(self, trap: Script) -> int | None:
        """The code that a trap exits with; None if what it has interrupted goes on."""
        try:
            self._go(trap)
        except _Exit as exit_:
            return exit_.code
        except _Forever:
            return None
        return None

    def call(self, words: list[str]) -> int:
        if not words:
            raise NotUnderstood
        if words[0] in self._functions:
            return self._called(words[0])
        name = words[0].rpartition("/")[2]
        if name in _SHELLS:
            return self._script(words[1:])
        command = self._commands.get(name)
        if command is None:
            raise NotUnderstood
        return command(words[1:])

    def _called(self, name: str) -> int:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise NotUnderstood
        status = self._go(self._functions[name])
        self._depth -= 1
        return status

    def _script(self, words: list[str]) -> int:
        if len(words) < 2 or not re.fullmatch("-[a-z]*c", words[0]):
            raise NotUnderstood
        if "e" in words[0]:
            self._stops_at_failure = True
        return self._go(parse(self._expanded(words[1])))

    def _expanded(self, text: str) -> str:
        """Variables, sums and a few texts take their values before anything is read: no value changes later."""
        text = _VARIABLE.sub(self._value, text)
        text = _TEXT.sub(self._told, text)
        text = _SUM.sub(lambda match: str(_sum(match.group(1) or match.group(2) or "")), text)
        if "$" in text or "`" in text:
            raise NotUnderstood
        return text

    def _told(self, match: re.Match[str]) -> str:
        match match.group(1).split():
            case ["hostname"]:
                return self._around.variables.get("HOSTNAME", "")
            case ["hostname", *_]:
                return self._around.domain_name
            case _:
                return "date"

    def _value(self, match: re.Match[str]) -> str:
        name = match.group(1) or match.group(4)
        if name == "RANDOM":
            return str(self._around.dice.randrange(32768))
        value = self._around.variables.get(name, "")
        if not value and match.group(2) == "?":
            raise NotUnderstood
        return value or match.group(3) or ""

    def _go(self, script: Script) -> int:
        status = 0
        for step in script:
            if (step.joint == "&&" and status != 0) or (step.joint == "||" and status == 0):
                continue
            status = self._do(step.statement)
            if status and self._stops_at_failure and not step.is_judged:
                raise _Exit(status)
        return status

    def _do(self, statement: Statement) -> int:
        self._steps += 1
        if self._steps > _MOST_STEPS:
            raise NotUnderstood
        match statement:
            case Simple():
                return self._simple(statement)
            case Branch():
                chosen = statement.then if self._go(statement.condition) == 0 else statement.otherwise
                return self._go(chosen)
            case Loop():
                return self._loop(statement)
            case Function():
                self._functions[statement.name] = statement.body
                return 0

    def _loop(self, loop: Loop) -> int:
        """Once around shows whether it ends: what is true stays so, as far as we understand scripts."""
        if self._go(loop.condition) != 0:
            return 0
        before = self._seconds
        self._go(loop.body)
        if self._go(loop.condition) != 0:
            return 0
        if self._seconds == before:
            raise NotUnderstood
        raise _Forever

    def _simple(self, statement: Simple) -> int:
        if statement.output is None:
            return self.call(list(statement.words))
        said = len(self._output)
        status = self.call(list(statement.words))
        text = "\n".join(self._output[said:])
        del self._output[said:]
        if statement.output == self._around.termination_log:
            self._message = text
        elif statement.output != "/dev/null":
            self._around.files.add(statement.output)
        return status

    def _sleep(self, words: list[str]) -> int:
        if words in (["infinity"], ["inf"]):
            raise _Forever
        if not words:
            raise NotUnderstood
        for word in words:
            match = _DURATION.fullmatch(word)
            if match is None:
                raise NotUnderstood
            self._seconds += float(match.group(1)) * _UNITS[match.group(2)]
        return 0

    def _echo(self, words: list[str]) -> int:
        while words and words[0] in ("-n", "-e"):
            words = words[1:]
        self._output.append(" ".join(words))
        return 0

    def _environment(self, words: list[str]) -> int:
        known = self._around.variables
        if words:
            self._output.extend(known[word] for word in words if word in known)
            return int(any(word not in known for word in words))
        self._output.extend(f"{name}={value}" for name, value in known.items())
        return 0

    def _exit(self, words: list[str]) -> int:
        if len(words) > 1 or (words and not words[0].isdecimal()):
            raise NotUnderstood
        raise _Exit(int(words[0][-9:]) % 256 if words else 0)

    def _touch(self, words: list[str]) -> int:
        for word in words:
            self._around.files.add(word)
        return 0

    def _remove(self, words: list[str]) -> int:
        for word in words:
            self._around.files.discard(word)
        return 0

    def _cat(self, words: list[str]) -> int:
        """Only whether there is something to show is known."""
        if not words or not all(word in self._around.files for word in words):
            raise NotUnderstood
        return 0

    def _set(self, words: list[str]) -> int:
        if not words or not all(re.fullmatch("[-+][a-z]*", word) or word == "pipefail" for word in words):
            raise NotUnderstood
        if any(word.startswith("-") and "e" in word for word in words):
            self._stops_at_failure = True
        return 0

    def _set_trap(self, words: list[str]) -> int:
        if _STOP_SIGNALS & set(words[1:]):
            self._trap = None if words[0] == "-" else words[0]
        return 0

    def _tail(self, words: list[str]) -> int:
        if words and words[0] in ("-f", "-F") and words[-1] == "/dev/null":
            raise _Forever
        raise NotUnderstood


def _closed(words: list[str], bracket: str) -> list[str]:
    if not words or words[-1] != bracket:
        raise NotUnderstood
    return words[:-1]


class _Tests:
    """The `test` command: 0 for what is so."""

    def __init__(self, files: MutableSet[str]) -> None:
        self._files = files

    def judge(self, words: list[str]) -> int:
        match words:
            case ["!", *rest]:
                return 1 - self.judge(rest)
            case ["-r" | "-e" | "-f" | "-s", path]:
                return 0 if path in self._files else 1
            case ["-z" | "-n" as what, text]:
                return int(bool(text) == (what == "-z"))
            case [one, "=" | "==" | "!=" as operator, other]:
                return int((one == other) == (operator == "!="))
            case [one, operator, other] if operator in _COMPARISONS:
                return 0 if _COMPARISONS[operator](_whole(one), _whole(other)) else 1
            case _:
                raise NotUnderstood


_COMPARISONS: Final[Mapping[str, Callable[[int, int], bool]]] = {
    "-eq": lambda one, other: one == other,
    "-ne": lambda one, other: one != other,
    "-lt": lambda one, other: one < other,
    "-le": lambda one, other: one <= other,
    "-gt": lambda one, other: one > other,
    "-ge": lambda one, other: one >= other,
}
_OPERATIONS: Final[Mapping[str, Callable[[int, int], int]]] = {
    "+": lambda one, other: one + other,
    "-": lambda one, other: one - other,
    "*": lambda one, other: one * other,
    "/": lambda one, other: int(one / other),
    "%": lambda one, other: one % other,
}


def _sum(text: str) -> int:
    """A number, or two with something between."""
    match text.split():
        case [one]:
            return _whole(one)
        case [one, operator, other] if operator in _OPERATIONS:
            divisor = _whole(other)
            if divisor == 0 and operator in "/%":
                raise NotUnderstood
            return _OPERATIONS[operator](_whole(one), divisor)
        case _:
            raise NotUnderstood


def _whole(text: str) -> int:
    if _WHOLE.fullmatch(text) is None:
        raise NotUnderstood
    return int(text)
