"""A template applied to an object. Go: text/template/exec.go."""

from __future__ import annotations

import inspect
from typing import Any

from localplane.apimachinery.golang.text import go_plain, go_quote

from .functions import FunctionError
from .nodes import (
    Branch,
    Call,
    Chain,
    Command,
    Constant,
    Dot,
    Field,
    Function,
    Jump,
    Node,
    Operand,
    Output,
    Pipeline,
    Text,
    Variable,
)
from .parser import Template
from .values import MISSING, Int, is_true, printed

_DEEPEST = 1000


class TemplateError(ValueError):
    """`written` is what came out before it went wrong."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.written = ""


class _Jumped(Exception):
    def __init__(self, keyword: str) -> None:
        super().__init__(keyword)
        self.keyword = keyword


def execute(template: Template, obj: Any, *, missing_is_error: bool = False) -> str:
    """Raises TemplateError."""
    data = obj
    run = _Run(template, template.name, missing_is_error=missing_is_error, written=[])
    run.variables.append(("$", data))
    try:
        run.nodes(template.body, data)
    except TemplateError as error:
        error.written = "".join(run.written)
        raise
    return "".join(run.written)


class _Run:
    def __init__(
        self, template: Template, name: str, *, missing_is_error: bool, written: list[str], depth: int = 0
    ) -> None:
        self._template = template
        self._functions = template.functions
        self._name = name
        self._missing_is_error = missing_is_error
        self._depth = depth
        self.written = written
        self.variables: list[tuple[str, Any]] = []

    def _error(self, node: Operand | Command, message: str) -> TemplateError:
        before = self._template.text[: node.at]
        line, column = 1 + before.count("\n"), len(before[before.rfind("\n") + 1 :].encode())
        where = f"{self._template.name}:{line}:{column}"
        return TemplateError(f'template: {where}: executing "{self._name}" at <{node.shown}>: {message}')

    def nodes(self, nodes: tuple[Node, ...], dot: Any) -> None:
        for node in nodes:
            match node:
                case Text(text):
                    self.written.append(text)
                case Output(pipeline):
                    value = self._pipeline(pipeline, dot)
                    if not pipeline.names:
                        self.written.append(printed(value))
                case Branch():
                    self._branch(node, dot)
                case Jump(keyword):
                    raise _Jumped(keyword)
                case Call():
                    self._call_template(node, dot)

    def _branch(self, node: Branch, dot: Any) -> None:
        depth = len(self.variables)
        value = self._pipeline(node.pipeline, dot)
        if node.keyword == "range":
            self._range(node, value, dot)
        elif is_true(value):
            self.nodes(node.body, value if node.keyword == "with" else dot)
        else:
            self.nodes(node.otherwise, dot)
        del self.variables[depth:]

    def _range(self, node: Branch, value: Any, dot: Any) -> None:
        pairs = self._pairs(node, value)
        if not pairs:
            self.nodes(node.otherwise, dot)
            return
        names = node.pipeline.names
        depth = len(self.variables) - len(names)
        for key, item in pairs:
            del self.variables[depth:]
            given = {0: (), 1: (item,), 2: (key, item)}[len(names)]
            for name, one in zip(names, given, strict=True):
                self._store(name, one, assigns=node.pipeline.assigns)
            inner = len(self.variables)
            try:
                self.nodes(node.body, item)
            except _Jumped as jump:
                if jump.keyword == "break":
                    break
            finally:
                del self.variables[inner:]

    def _pairs(self, node: Branch, value: Any) -> list[tuple[Any, Any]]:
        if isinstance(value, dict):
            return [(key, value[key]) for key in sorted(value)]
        if isinstance(value, list):
            return [(Int(number), item) for number, item in enumerate(value)]
        if isinstance(value, int) and not isinstance(value, bool):
            if len(node.pipeline.names) > 1:
                why = f"can't use {value} to iterate over more than one variable"
                raise self._error(node.pipeline.commands[-1], why)
            return [(type(value)(number), type(value)(number)) for number in range(value)]
        if value is None or value is MISSING:
            return []
        raise self._error(node.pipeline.commands[-1], f"range can't iterate over {go_plain(value)}")

    def _call_template(self, node: Call, dot: Any) -> None:
        body = self._template.named.get(node.name)
        if body is None:
            at = Constant(node.at, f'{{{{template "{node.name}"}}}}', None)
            raise self._error(at, f"template {go_quote(node.name)} not defined")
        if self._depth >= _DEEPEST:
            raise self._too_deep(node)
        value = MISSING if node.pipeline is None else self._pipeline(node.pipeline, dot)
        run = _Run(
            self._template,
            node.name,
            missing_is_error=self._missing_is_error,
            written=self.written,
            depth=self._depth + 1,
        )
        run.variables.append(("$", value))
        try:
            run.nodes(body, value)
        except RecursionError:  # Python's own limit may come first: a call is several of its calls
            raise self._too_deep(node) from None

    def _too_deep(self, node: Call) -> TemplateError:
        text = self._template.text
        written = text[text.rfind("{{", 0, node.at) : text.find("}}", node.at) + 2]
        return self._error(Constant(node.at, written, None), "exceeded maximum template depth (100000)")

    def _pipeline(self, pipeline: Pipeline, dot: Any) -> Any:
        value, final = MISSING, False
        for command in pipeline.commands:
            value = self._command(command, dot, (value,) if final else ())
            final = True
        for name in pipeline.names:
            self._store(name, value, assigns=pipeline.assigns)
        return value

    def _store(self, name: str, value: Any, *, assigns: bool) -> None:
        if not assigns:
            self.variables.append((name, value))
            return
        for position in range(len(self.variables) - 1, -1, -1):
            if self.variables[position][0] == name:
                self.variables[position] = (name, value)
                return

    def _command(self, command: Command, dot: Any, final: tuple[Any, ...]) -> Any:
        first, *rest = command.words
        if isinstance(first, Function):
            return self._function(first, tuple(rest), dot, final, command)
        if rest or final:
            if isinstance(first, (Field, Chain, Variable)):
                name = first.fields[-1] if first.fields else first.shown
                raise self._error(first, f"{name} is not a method but has arguments")
            raise self._error(first, f"can't give argument to non-function {first.shown}")
        return self._operand(first, dot)

    def _operand(self, node: Operand, dot: Any) -> Any:
        match node:
            case Constant():
                if node.shown == "nil":
                    raise self._error(node, "nil is not a command")
                return node.value
            case Dot():
                return dot
            case Field():
                return self._fields(node, dot, node.fields)
            case Variable():
                value = next(value for name, value in reversed(self.variables) if name == node.name)
                return self._fields(node, value, node.fields)
            case Chain():
                return self._fields(node, self._pipeline(node.inner, dot), node.fields)
            case Pipeline():
                return self._pipeline(node, dot)
            case Function():
                return self._function(node, (), dot, ())

    def _fields(self, node: Operand, value: Any, names: tuple[str, ...]) -> Any:
        for name in names:
            if value is MISSING or value is None:
                if self._missing_is_error and value is MISSING:
                    raise self._error(node, f"nil data; no entry for key {go_quote(name)}")
                if value is None:
                    raise self._error(node, f"nil pointer evaluating interface {{}}.{name}")
                continue
            if not isinstance(value, dict):
                raise self._error(node, f"can't evaluate field {name} in type interface {{}}")
            if name not in value and self._missing_is_error:
                raise self._error(node, f"map has no entry for key {go_quote(name)}")
            value = value.get(name, MISSING)
        return value

    def _function(
        self,
        node: Function,
        words: tuple[Operand, ...],
        dot: Any,
        final: tuple[Any, ...],
        command: Command | None = None,
    ) -> Any:
        name = node.shown
        function = self._functions[name]
        if function is None:
            return self._shortcut(node, words, dot, final)
        values = [self._argument(word, dot) for word in words] + list(final)
        self._check_count(node, len(values), len(words))
        try:
            # `call` wants to know what it calls, too.
            return function(*values, shown=words[0].shown if words else "") if name == "call" else function(*values)
        except FunctionError as error:
            raise self._error(command or node, f"error calling {name}: {error}") from error

    def _argument(self, word: Operand, dot: Any) -> Any:
        return None if isinstance(word, Constant) and word.shown == "nil" else self._operand(word, dot)

    def _shortcut(self, node: Function, words: tuple[Operand, ...], dot: Any, final: tuple[Any, ...]) -> Any:
        """`and` stops at the first that is empty, `or` at the first that is not."""
        if not words and not final:
            raise self._error(node, f"wrong number of args for {node.shown}: want at least 1 got 0")
        value = MISSING
        for word in words:
            value = self._argument(word, dot)
            if is_true(value) is (node.shown == "or"):
                return value
        return final[0] if final else value

    def _check_count(self, node: Function, count: int, written: int) -> None:
        function = self._functions[node.shown]
        assert function is not None
        parameters = inspect.signature(function).parameters.values()
        needed = sum(one.kind is one.POSITIONAL_OR_KEYWORD for one in parameters)
        open_ended = any(one.kind is one.VAR_POSITIONAL for one in parameters)
        if count < needed or (count > needed and not open_ended):
            want, got = (f"at least {needed}", written) if open_ended else (str(needed), count)
            raise self._error(node, f"wrong number of args for {node.shown}: want {want} got {got}")
