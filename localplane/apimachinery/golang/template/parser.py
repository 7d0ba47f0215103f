"""From tokens to a tree, with Go's words for what can't be read. Go: text/template/parse/parse.go."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import NamedTuple

from .functions import FUNCTIONS, Functions
from .lexer import KEYWORDS, Lexer, TemplateSyntaxError, Token
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
from .values import Int

__all__ = ["Template", "TemplateSyntaxError", "parse"]

_END = Token("end", "", 0)
_WORDS = {"true": True, "false": False}


class Template(NamedTuple):
    name: str
    text: str
    body: tuple[Node, ...]
    named: Mapping[str, tuple[Node, ...]]
    functions: Functions


def parse(text: str, name: str, functions: Functions = FUNCTIONS) -> Template:
    """`functions` are all that the template may call. Raises TemplateSyntaxError."""
    parser = _Parser(text, name, functions)
    try:
        body, stopped = parser.nodes(top=True)
    except RecursionError:
        raise parser.lexer.error(parser.at, "max expression depth exceeded") from None
    if stopped:
        raise parser.lexer.error(parser.at, f"unexpected {{{{{stopped}}}}}")
    return Template(name, text, body, parser.named, functions)


class _Parser:
    def __init__(self, text: str, name: str, functions: Functions) -> None:
        self._functions = functions
        self.lexer = Lexer(text, name)
        self.text = text
        self.named: dict[str, tuple[Node, ...]] = {}
        self.at = 0
        self._tokens = list(self.lexer.tokens())
        self._position = 0
        self._variables = ["$"]
        self._loops = 0

    def _peek(self) -> Token:
        return self._tokens[self._position] if self._position < len(self._tokens) else _END

    def _next(self) -> Token:
        token = self._peek()
        self._position += 1
        self.at = token.at if token is not _END else len(self.text)
        return token

    def _solid(self) -> Token:
        """The next that is no space."""
        while (token := self._next()).kind == "space":
            continue
        return token

    def _expect(self, kind: str, where: str) -> Token:
        token = self._solid()
        if token.kind != kind:
            raise self._unexpected(token, where)
        return token

    def _unexpected(self, token: Token, where: str) -> TemplateSyntaxError:
        if token is _END:
            return self.lexer.error(len(self.text), "unexpected EOF")
        shown = f"<{token.text}>" if token.kind == "word" and token.text in KEYWORDS else f'"{token.text}"'
        return self.lexer.error(token.at, f"unexpected {shown} in {where}")

    def nodes(self, *, top: bool = False) -> tuple[tuple[Node, ...], str]:
        """Up to {{end}} or {{else}}, which is not part of them; the second says which it was."""
        found: list[Node] = []
        while True:
            token = self._next()
            if token is _END:
                if top:
                    return tuple(found), ""
                raise self.lexer.error(len(self.text), "unexpected EOF")
            if token.kind == "text":
                found.append(Text(token.text))
                continue
            while self._peek().kind == "space":
                self._next()
            word = self._peek()
            if word.kind == "word" and word.text in ("end", "else"):
                self._next()
                if word.text == "end":
                    self._expect("close", "end")
                return tuple(found), word.text
            if (node := self._action()) is not None:
                found.append(node)

    def _action(self) -> Node | None:
        token = self._peek()
        keyword = token.text if token.kind == "word" and token.text in KEYWORDS else ""
        if not keyword:
            return Output(self._pipeline("command", "close"))
        self._next()
        match keyword:
            case "if" | "with" | "range":
                return self._branch(keyword)
            case "break" | "continue":
                self._expect("close", keyword)
                if not self._loops:
                    raise self.lexer.error(token.at, f"{{{{{keyword}}}}} outside {{{{range}}}}")
                return Jump(keyword)
            case "define":
                self._define()
                return None
            case "block":
                return self._block()
        return self._call()

    def _branch(self, keyword: str) -> Branch:
        depth = len(self._variables)
        pipeline = self._pipeline(keyword, "close")
        self._loops += keyword == "range"
        body, stopped = self.nodes()
        self._loops -= keyword == "range"
        otherwise: tuple[Node, ...] = ()
        if stopped == "else":
            otherwise = self._else(keyword)
        del self._variables[depth:]
        return Branch(keyword, pipeline, body, otherwise)

    def _else(self, keyword: str) -> tuple[Node, ...]:
        while self._peek().kind == "space":
            self._next()
        following = self._peek()
        if following.kind == "word" and following.text == keyword and keyword in ("if", "with"):
            self._next()
            return (self._branch(keyword),)
        self._expect("close", "else")
        otherwise, stopped = self.nodes()
        if stopped == "else":
            raise self.lexer.error(self.at, "expected end; found {{else}}")
        return otherwise

    def _define(self) -> None:
        name = self._string(self._expect("string", "define clause"))
        self._expect("close", "define clause")
        outer, self._variables = self._variables, ["$"]
        self.named[name], _ = self.nodes()
        self._variables = outer

    def _block(self) -> Call:
        token = self._expect("string", "block clause")
        pipeline = self._pipeline("block clause", "close")
        outer, self._variables = self._variables, ["$"]
        self.named[self._string(token)], _ = self.nodes()
        self._variables = outer
        return Call(token.at, self._string(token), pipeline)

    def _call(self) -> Call:
        token = self._expect("string", "template clause")
        name = self._string(token)
        while self._peek().kind == "space":
            self._next()
        if self._peek().kind == "close":
            self._next()
            return Call(token.at, name, None)
        return Call(token.at, name, self._pipeline("template clause", "close"))

    def _pipeline(self, where: str, end: str) -> Pipeline:
        while self._peek().kind == "space":
            self._next()
        start = self._peek()
        names, assigns = self._declared(where)
        commands: list[Command] = []
        while True:
            while self._peek().kind == "space":
                self._next()
            token = self._peek()
            if token.kind == end or (end == "right" and token.text == ")"):
                self._next()
                break
            if token is _END or token.text in (")", "|", ","):
                raise self._unexpected(self._next(), where)
            commands.append(self._command(where))
        if not commands:
            raise self.lexer.error(start.at, f"missing value for {where}")
        self._variables += [] if assigns else names
        shown = " | ".join(command.shown for command in commands)
        return Pipeline(start.at, shown, tuple(commands), tuple(names), assigns)

    def _declared(self, where: str) -> tuple[list[str], bool]:
        """`$x :=`, `$i, $x :=` of a range, `$x =`."""
        start, names = self._position, list[str]()
        while True:
            token = self._solid()
            if token.kind != "variable":
                break
            names.append(token.text)
            token = self._solid()
            if token.kind in ("declare", "assign"):
                self._check_count(names, token, where)
                return names, token.kind == "assign"
            if token.text != "," or where != "range":
                break
        self._position = start
        return [], False

    def _check_count(self, names: list[str], token: Token, where: str) -> None:
        if len(names) > (2 if where == "range" else 1):
            raise self.lexer.error(token.at, f"too many declarations in {where}")

    def _command(self, where: str) -> Command:
        words: list[Operand] = []
        start = self._peek().at
        while True:
            while self._peek().kind == "space":
                self._next()
            token = self._peek()
            if token.kind == "close" or token.text == ")":
                break
            if token.text == "|":
                self._next()
                break
            words.append(self._operand(where))
        return Command(start, " ".join(word.shown for word in words), tuple(words))

    def _operand(self, where: str) -> Operand:
        token = self._next()
        node = self._term(token, where)
        fields: list[Token] = []
        while self._peek().kind == "field":
            fields.append(self._next())
        if not fields:
            return node
        names = tuple(one.text[1:] for one in fields)
        at, shown = fields[0].at, node.shown + "".join(one.text for one in fields)
        match node:
            case Field():
                return Field(at, shown, (*node.fields, *names))
            case Variable():
                return Variable(at, shown, node.name, (*node.fields, *names))
            case Pipeline():
                return Chain(at, f"({node.shown})" + "".join(one.text for one in fields), node, names)
        raise self.lexer.error(token.at, f'unexpected . after term "{node.shown}"')

    def _term(self, token: Token, where: str) -> Operand:
        match token.kind:
            case "field":
                return Field(token.at, token.text, (token.text[1:],))
            case "dot":
                return Dot(token.at)
            case "variable":
                if token.text not in self._variables:
                    raise self.lexer.error(token.at, f'undefined variable "{token.text}"')
                return Variable(token.at, token.text, token.text, ())
            case "string" | "raw":
                return Constant(token.at, token.text, self._string(token))
            case "char":
                return Constant(token.at, token.text, Int(ord(ast.literal_eval(token.text))))
            case "number":
                return Constant(token.at, token.text, _number(token.text))
            case "word" if token.text not in KEYWORDS:
                return self._word(token)
        if token.text == "(":
            return self._pipeline("parenthesized pipeline", "right")
        raise self._unexpected(token, "operand" if where == "command" else where)

    def _word(self, token: Token) -> Operand:
        if token.text in _WORDS:
            return Constant(token.at, token.text, _WORDS[token.text])
        if token.text == "nil":
            return Constant(token.at, "nil", None)
        if token.text not in self._functions:
            raise self.lexer.error(token.at, f'function "{token.text}" not defined')
        return Function(token.at, token.text)

    def _string(self, token: Token) -> str:
        if token.kind == "raw":
            return token.text[1:-1]
        try:
            return str(ast.literal_eval(token.text))
        except (SyntaxError, ValueError):
            raise self.lexer.error(token.at, "invalid syntax") from None


def _number(text: str) -> Int | float:
    digits = text.lstrip("+-")
    try:
        return Int(text, 8) if digits.startswith("0") and digits.isdecimal() else Int(text, 0)
    except ValueError:
        return float(text.replace("_", ""))
