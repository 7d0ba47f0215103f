"""From text to a tree: a recursive descent over cel-go's grammar (parser/gen/CEL.g4).

It reads what is right. What is wrong is read again by `syntax_errors`, which says it in ANTLR's words.
"""

from __future__ import annotations

from typing import Final

from localplane.apimachinery.cel.parser import syntax_errors
from localplane.apimachinery.cel.values import Unsigned

from . import literals
from .field_names import RESERVED
from .macros import MacroError, expanded
from .source import NOWHERE, CompilationFailed, Issue
from .tokens import END, Token, tokens_of
from .tree import Call, CreateList, CreateMap, CreateStruct, Entry, Expr, Ident, Literal, Select

LONGEST: Final = 100_000
DEEPEST: Final = 250
_NESTED: Final = f"expression recursion limit exceeded: {DEEPEST}"
_CHAINED: Final = "max recursion depth exceeded"

_OPERATORS: Final = {
    "||": (1, "_||_"),
    "&&": (2, "_&&_"),
    "<": (3, "_<_"),
    "<=": (3, "_<=_"),
    ">=": (3, "_>=_"),
    ">": (3, "_>_"),
    "==": (3, "_==_"),
    "!=": (3, "_!=_"),
    "in": (3, "@in"),
    "+": (4, "_+_"),
    "-": (4, "_-_"),
    "*": (5, "_*_"),
    "/": (5, "_/_"),
    "%": (5, "_%_"),
}
_LITERALS: Final = frozenset({"NUM_INT", "NUM_UINT", "NUM_FLOAT", "STRING", "BYTES", "true", "false", "null"})


def parse(text: str, *, binds: bool = False) -> Expr:
    """Raises CompilationFailed. Where nothing `binds`, there is no cel.bind."""
    if len(text) > LONGEST:
        message = f"expression code point size exceeds limit: size: {len(text)}, limit {LONGEST}"
        raise CompilationFailed(text, [Issue(NOWHERE, message)])
    issues: list[Issue] = []
    tokens = tokens_of(text, issues)
    parser = _Parser(tokens, issues, binds=binds)
    try:
        if issues:
            raise _SyntaxProblem
        tree = parser.whole()
    except _SyntaxProblem:
        raise CompilationFailed(text, [*issues, *syntax_errors.syntax_issues(tokens)]) from None
    except _TooDeep as error:
        raise CompilationFailed(text, [Issue(NOWHERE, str(error))]) from None
    except RecursionError:
        raise CompilationFailed(text, [Issue(NOWHERE, _NESTED)]) from None
    if issues:
        raise CompilationFailed(text, issues)
    return tree


class _SyntaxProblem(Exception):
    pass


class _TooDeep(Exception):
    pass


class _Parser:
    def __init__(self, tokens: list[Token], issues: list[Issue], *, binds: bool) -> None:
        self._tokens = tokens
        self._position = 0
        self._issues = issues
        self._binds = binds
        self._depth = 0

    def whole(self) -> Expr:
        tree = self._expression()
        if self._current.kind != END:
            raise _SyntaxProblem
        return tree

    @property
    def _current(self) -> Token:
        return self._tokens[self._position]

    def _next(self) -> Token:
        token = self._tokens[self._position]
        self._position += 1
        return token

    def _accept(self, kind: str) -> Token | None:
        return self._next() if self._tokens[self._position].kind == kind else None

    def _expect(self, kind: str) -> Token:
        token = self._next()
        if token.kind != kind:
            raise _SyntaxProblem
        return token

    def _wrong(self, offset: int, message: str) -> Expr:
        self._issues.append(Issue(offset, message))
        return Literal(offset, None)

    def _expression(self) -> Expr:
        self._depth += 1
        if self._depth > DEEPEST:
            raise _TooDeep(_NESTED)
        result = self._binary(1)
        operator = self._accept("?")
        if operator is not None:
            then = self._binary(1)
            self._expect(":")
            result = Call(operator.offset, "_?_:_", None, [result, then, self._expression()])
        self._depth -= 1
        return result

    def _binary(self, lowest: int) -> Expr:
        """Precedence climbing. Chains of && and || become balanced trees, as in cel-go."""
        left = self._unary()
        chain = 0
        while True:
            token = self._current
            level, function = _OPERATORS.get(token.kind, (0, ""))
            if level < lowest or level == 0:
                return left
            if level <= 2:
                left = self._logical(left, level, function)
                continue
            chain += 1
            if chain > DEEPEST:
                raise _TooDeep(_CHAINED)
            self._next()
            left = Call(token.offset, function, None, [left, self._binary(level + 1)])

    def _logical(self, first: Expr, level: int, function: str) -> Expr:
        terms, offsets = [first], []
        symbol = self._current.kind
        while self._current.kind == symbol:
            offsets.append(self._next().offset)
            terms.append(self._binary(level + 1))
        return _balanced(function, terms, offsets, 0, len(offsets) - 1)

    def _unary(self) -> Expr:
        token = self._current
        if token.kind not in ("!", "-"):
            return self._member()
        if token.kind == "-" and self._tokens[self._position + 1].kind in ("NUM_INT", "NUM_FLOAT"):
            return self._member()
        times = 0
        while self._accept(token.kind):
            times += 1
        operand = self._member()
        if times % 2 == 0:
            return operand
        return Call(token.offset, "!_" if token.kind == "!" else "-_", None, [operand])

    def _member(self) -> Expr:
        result = self._primary()
        chain = 0
        while True:
            token = self._current
            if token.kind == ".":
                result = self._selected(result)
            elif token.kind == "[":
                self._next()
                function = "_[?_]" if self._accept("?") else "_[_]"
                index = self._expression()
                self._expect("]")
                result = Call(token.offset, function, None, [result, index])
            else:
                return result
            chain += 1
            if chain > DEEPEST:
                raise _TooDeep(_CHAINED)

    def _selected(self, operand: Expr) -> Expr:
        dot = self._next()
        optional = self._accept("?")
        name = self._next()
        if name.kind == "ESC_IDENTIFIER":
            field = name.text[1:-1]
        elif name.kind == "IDENTIFIER":
            field = name.text
            if optional is None and self._current.kind == "(":
                opening = self._next()
                return self._call(opening.offset, field, operand, self._arguments())
        else:
            raise _SyntaxProblem
        if optional is not None:
            return Call(dot.offset, "_?._", None, [operand, Literal(name.offset, field)])
        return Select(dot.offset, operand, field)

    def _arguments(self) -> list[Expr]:
        if self._accept(")"):
            return []
        arguments = [self._expression()]
        while self._accept(","):
            arguments.append(self._expression())
        self._expect(")")
        return arguments

    def _call(self, offset: int, function: str, target: Expr | None, arguments: list[Expr]) -> Expr:
        try:
            result = expanded(offset, function, target, arguments, binds=self._binds)
        except MacroError as error:
            return self._wrong(error.offset, str(error))
        return result if result is not None else Call(offset, function, target, arguments)

    def _primary(self) -> Expr:
        token = self._next()
        match token.kind:
            case "IDENTIFIER":
                return self._named("", token, token)
            case "." if self._current.kind == "IDENTIFIER":
                return self._named(".", token, self._next())
            case "(":
                result = self._expression()
                self._expect(")")
                return result
            case "[":
                return self._list(token)
            case "{":
                return self._map(token)
            case "-":
                return self._literal(self._next(), token)
            case kind if kind in _LITERALS:
                return self._literal(token, None)
        raise _SyntaxProblem

    def _named(self, dot: str, start: Token, token: Token) -> Expr:
        struct = self._struct(dot, token)
        if struct is not None:
            return struct
        if self._current.kind == "(":
            opening = self._next()
            arguments = self._arguments()
            if token.text in RESERVED:
                return self._wrong(start.offset, f"reserved identifier: {token.text}")
            return self._call(opening.offset, dot + token.text, None, arguments)
        if token.text in RESERVED:
            return self._wrong(start.offset, f"reserved identifier: {token.text}")
        return Ident(token.offset, dot + token.text)

    def _struct(self, dot: str, token: Token) -> Expr | None:
        """`a.b.C{field: value}`: names and dots up to a brace."""
        ahead, names = self._position, [token.text]
        while self._tokens[ahead].kind == "." and self._tokens[ahead + 1].kind == "IDENTIFIER":
            names.append(self._tokens[ahead + 1].text)
            ahead += 2
        if self._tokens[ahead].kind != "{":
            return None
        self._position = ahead
        opening = self._next()
        fields: list[tuple[str, Expr]] = []
        while self._current.kind not in ("}", ","):
            self._accept("?")
            name = self._next()
            if name.kind not in ("IDENTIFIER", "ESC_IDENTIFIER"):
                raise _SyntaxProblem
            self._expect(":")
            fields.append((name.text.strip("`"), self._expression()))
            if not self._accept(","):
                break
        self._closed("}", empty=not fields)
        return CreateStruct(opening.offset, dot + ".".join(names), fields)

    def _closed(self, kind: str, *, empty: bool) -> None:
        """A comma before the end is allowed, even if there is nothing before it."""
        if empty:
            self._accept(",")
        self._expect(kind)

    def _list(self, opening: Token) -> Expr:
        elements: list[Expr] = []
        optional: set[int] = set()
        while self._current.kind not in ("]", ","):
            if self._accept("?"):
                optional.add(len(elements))
            elements.append(self._expression())
            if not self._accept(","):
                break
        self._closed("]", empty=not elements)
        return CreateList(opening.offset, elements, frozenset(optional))

    def _map(self, opening: Token) -> Expr:
        entries: list[Entry] = []
        while self._current.kind not in ("}", ","):
            is_optional = self._accept("?") is not None
            key = self._expression()
            colon = self._expect(":")
            entries.append(Entry(colon.offset, key, self._expression(), is_optional))
            if not self._accept(","):
                break
        self._closed("}", empty=not entries)
        return CreateMap(opening.offset, entries)

    def _literal(self, token: Token, sign: Token | None) -> Expr:
        offset, negative = (sign or token).offset, sign is not None
        try:
            match token.kind:
                case "NUM_INT":
                    return Literal(offset, literals.integer(token.text, negative=negative))
                case "NUM_FLOAT":
                    return Literal(offset, literals.double(token.text, negative=negative))
                case "NUM_UINT":
                    return Literal(offset, Unsigned(literals.unsigned(token.text)))
                case "STRING":
                    return Literal(offset, literals.text_of(token.text))
                case "BYTES":
                    return Literal(offset, literals.bytes_of(token.text[1:]))
                case "true" | "false":
                    return Literal(offset, token.kind == "true")
                case "null":
                    return Literal(offset, None)
        except literals.InvalidLiteral as error:
            return self._wrong(offset, str(error))
        raise _SyntaxProblem


def _balanced(function: str, terms: list[Expr], offsets: list[int], low: int, high: int) -> Expr:
    middle = (low + high + 1) // 2
    left = terms[middle] if middle == low else _balanced(function, terms, offsets, low, middle - 1)
    right = terms[middle + 1] if middle == high else _balanced(function, terms, offsets, middle + 1, high)
    return Call(offsets[middle], function, None, [left, right])
