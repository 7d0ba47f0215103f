"""From text to tokens, as the lexer of cel-go's grammar (parser/gen/CEL.g4) splits it.

What is no token is reported and skipped the way ANTLR does it: from where it began up to and including the character
at which it could not go on.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from .source import Issue

_ESCAPE: Final = r"\\(?:[abfnrtv\"'\\?`]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2})"
_STRING: Final = (
    r"(?:[rR](?:\"\"\"[\s\S]*?\"\"\"|'''[\s\S]*?'''|\"[^\"\n\r]*\"|'[^'\n\r]*')"
    rf"|\"\"\"(?:{_ESCAPE}|[^\\])*?\"\"\"|'''(?:{_ESCAPE}|[^\\])*?'''"
    rf"|\"(?:{_ESCAPE}|[^\\\"\n\r])*\"|'(?:{_ESCAPE}|[^\\'\n\r])*')"
)
_TOKEN: Final = re.compile(
    r"(?P<SPACE>[\t \r\n\f]+|//[^\n]*)"
    r"|(?P<NUM_FLOAT>[0-9]+\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+|\.[0-9]+(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<NUM_UINT>0x[0-9a-fA-F]+[uU]|[0-9]+[uU])"
    r"|(?P<NUM_INT>0x[0-9a-fA-F]+|[0-9]+)"
    rf"|(?P<BYTES>[bB]{_STRING})"
    rf"|(?P<STRING>{_STRING})"
    r"|(?P<IDENTIFIER>[A-Za-z_][A-Za-z0-9_]*)"
    r"|(?P<ESC_IDENTIFIER>`[A-Za-z0-9_.\-/ ]+`)"
    r"|(?P<SYMBOL>==|!=|<=|>=|&&|\|\||[<>\[\]{}().,\-!?:+*/%])"
)
_KEYWORDS: Final = frozenset({"in", "true", "false", "null"})
END: Final = "<EOF>"


@dataclass(frozen=True, slots=True)
class Token:
    """`kind` is the name of a class of tokens (STRING), or the symbol itself."""

    kind: str
    text: str
    offset: int
    space: str = ""
    """White space and comments before it, which ANTLR shows when it quotes several tokens."""


def tokens_of(text: str, issues: list[Issue]) -> list[Token]:
    """All tokens and the end; what is no token becomes an issue."""
    found: list[Token] = []
    position, end, space = 0, len(text), ""
    while position < end:
        match = _TOKEN.match(text, position)
        if match is None:
            stop = _failure(text, position)
            wrong = text[position : stop + 1]
            issues.append(Issue(position, f"Syntax error: token recognition error at: '{wrong}'"))
            position = stop + 1
            continue
        kind = match.lastgroup or ""
        if kind != "SPACE":
            word = match.group()
            if kind == "SYMBOL" or (kind == "IDENTIFIER" and word in _KEYWORDS):
                kind = word
            found.append(Token(kind, word, position, space))
            space = ""
        else:
            space += match.group()
        position = match.end()
    found.append(Token(END, END, end, space))
    return found


_PARTIAL: Final = re.compile(rf"\"(?:{_ESCAPE}|[^\\\"\n\r])*|'(?:{_ESCAPE}|[^\\'\n\r])*|`[A-Za-z0-9_.\-/ ]*|[=&|]")
_PARTIAL_ESCAPE: Final = re.compile(r"\\(?:[xX][0-9a-fA-F]?|u[0-9a-fA-F]{0,3}|U[0-9a-fA-F]{0,7}|[0-3][0-7]?)?")


def _failure(text: str, start: int) -> int:
    """Where the lexer could not go on."""
    match = _PARTIAL.match(text, start)
    if match is None:
        return start
    stop = match.end()
    if text[start] in "\"'" and stop < len(text) and text[stop] == "\\":
        escape = _PARTIAL_ESCAPE.match(text, stop)
        stop = escape.end() if escape is not None else stop
    return stop
