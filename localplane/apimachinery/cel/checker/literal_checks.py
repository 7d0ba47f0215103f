"""What is checked of literals once types are known: durations, timestamps, patterns, formats, and lists and maps whose
parts differ. Upstream: cel/validator.go and ext/formatting.go, stringFormatValidator."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from localplane.apimachinery.cel.errors import EvaluationError
from localplane.apimachinery.cel.interpreter.arithmetic import SECOND, timestamp
from localplane.apimachinery.cel.interpreter.times import read_duration, read_timestamp
from localplane.apimachinery.cel.library.patterns import compiled
from localplane.apimachinery.cel.library.string_format import ACCEPTED, WRONG_TYPES, FormatError, interpolated
from localplane.apimachinery.cel.parser.source import Issue
from localplane.apimachinery.cel.parser.tree import Call, CreateList, CreateMap, Expr, Literal, children, descendants
from localplane.apimachinery.cel.types import Kind, Type


def literal_issues(tree: Expr) -> list[Issue]:
    calls: list[Call] = []
    has_mixed = False
    for node in descendants(tree):
        if isinstance(node, Call):
            calls.append(node)
        elif isinstance(node, CreateList):
            has_mixed = has_mixed or len(node.elements) > 1
        elif isinstance(node, CreateMap):
            has_mixed = has_mixed or len(node.entries) > 1
    issues: list[Issue] = []
    for function in ("duration", "timestamp", "matches"):
        for call in calls:
            if call.function == function and call.args:
                issues += _argument_issues(function, call.args[0])
    if has_mixed:
        mixed = list(_outside_formats(tree))
        issues += [issue for node in mixed if isinstance(node, CreateList) for issue in _list_issues(node)]
        issues += [issue for node in mixed if isinstance(node, CreateMap) for issue in _map_issues(node)]
    issues += [issue for call in calls if call.function == "format" for issue in _format_issues(call)]
    return issues


def _argument_issues(function: str, argument: Expr) -> Iterator[Issue]:
    if isinstance(argument, Literal) and not _is_valid(function, argument.value):
        yield Issue(argument.offset, f"invalid {function} argument")


def _is_valid(function: str, text: Any) -> bool:
    try:
        if not isinstance(text, str):
            return function != "timestamp" or timestamp(text * SECOND) is not None
        if function == "matches":
            return compiled(text) is not None
        return (read_duration(text) if function == "duration" else read_timestamp(text)) is not None
    except EvaluationError:
        return False


def _outside_formats(tree: Expr) -> Iterator[Expr]:
    """The arguments of string.format may be of any types."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        if not (isinstance(node, Call) and node.function == "format"):
            waiting.extend(reversed(children(node)))


def _equivalent(one: Type, other: Type) -> bool:
    if one.kind is not other.kind or len(one.parameters) != len(other.parameters):
        return False
    if one.kind is not Kind.TYPE_PARAMETER and one.name != other.name:
        return False
    return all(_equivalent(a, b) for a, b in zip(one.parameters, other.parameters, strict=True))


def _mismatch(node: Expr, expected: Type, found: Type) -> Issue:
    return Issue(node.offset, f"expected type '{expected}' but found '{found}'")


def _unwrapped(of: Type) -> Type:
    return of.parameters[0] if of.is_optional else of


def _list_issues(node: CreateList) -> Iterator[Issue]:
    expected: Type | None = None
    for number, element in enumerate(node.elements):
        type_ = _unwrapped(element.type) if number in node.optional else element.type
        if expected is None:
            expected = type_
        elif not _equivalent(expected, type_):
            yield _mismatch(element, expected, type_)
            return


def _map_issues(node: CreateMap) -> Iterator[Issue]:
    if not node.entries:
        return
    first = node.entries[0]
    key = first.key.type
    value = _unwrapped(first.value.type) if first.is_optional else first.value.type
    for entry in node.entries[1:]:
        if not _equivalent(key, entry.key.type):
            yield _mismatch(entry.key, key, entry.key.type)
        type_ = _unwrapped(entry.value.type) if entry.is_optional else entry.value.type
        if not _equivalent(value, type_):
            yield _mismatch(entry.value, value, type_)


class _WrongArgument(FormatError):
    def __init__(self, node: Expr, message: str) -> None:
        super().__init__(message)
        self.node = node


def _format_issues(node: Call) -> Iterator[Issue]:
    """Clauses against the types of the arguments, where both are written in the expression."""
    if node.target is None or "string_format" not in node.overloads:
        return
    text, arguments = node.target, node.args[0]
    if not (isinstance(text, Literal) and isinstance(text.value, str) and isinstance(arguments, CreateList)):
        return
    used = 0

    def clause(letter: str, _: int | None, number: int) -> str:
        nonlocal used
        used += 1
        wrong = _unaccepted(letter, arguments.elements[number])
        if wrong is not None:
            message = WRONG_TYPES[letter].format(wrong.type.name)
            raise _WrongArgument(wrong, f"error during formatting: {message}")
        return ""

    try:
        interpolated(text.value, len(arguments.elements), clause)
    except _WrongArgument as error:
        yield Issue(error.node.offset, str(error))
        return
    except FormatError as error:
        yield Issue(node.offset, str(error))
        return
    if len(arguments.elements) > used:
        message = "too many arguments supplied to string.format"
        yield Issue(node.offset, f"{message} (expected {used}, got {len(arguments.elements)})")


def _unaccepted(letter: str, argument: Expr) -> Expr | None:
    if argument.type.kind not in ACCEPTED[letter] and not argument.type.is_dyn:
        return argument
    if letter != "s" or not isinstance(argument, (CreateList, CreateMap)):
        return None
    return next((wrong for part in children(argument) if (wrong := _unaccepted("s", part)) is not None), None)
