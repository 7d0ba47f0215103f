"""How a scalar is written in YAML: which quotes it needs, and where a long one is folded.

Kubernetes: vendor/go.yaml.in/yaml/v2, encode and emitterc.
"""

from __future__ import annotations

import re
from functools import cache

from localplane.apimachinery.golang.text import go_float, json_float
from localplane.apimachinery.light_typing import Any
from localplane.apimachinery.serializers import json_scanner

from .yaml_scalars import STR, resolve

WIDTH = 80

# All that is written as it is; emoji are not, nor tabs.
_SPECIAL = "[^\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]"
_NOT_PLAIN = re.compile(
    r"""[#,\[\]{}&*!|>'"%@`]"""  # an indicator at the beginning
    r"|[?-](?:[ \t]|\Z)|---|\.\.\."
    r"|(?s:.*?)(?::(?:[ \t]|\Z)|[ \t\n]\#)"  # what would be a key, or a comment, anywhere
)
_BASE_60 = r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?"
_TO_ESCAPE_IN_ASCII = r'["\\]|[^\x20-\x7e]'
_ESCAPES = {
    "\0": "\\0",
    "\a": "\\a",
    "\b": "\\b",
    "\t": "\\t",
    "\n": "\\n",
    "\v": "\\v",
    "\f": "\\f",
    "\r": "\\r",
    "\x1b": "\\e",
    '"': '\\"',
    "\\": "\\\\",
    "\x85": "\\N",
    "\u2028": "\\L",
    "\u2029": "\\P",
}


@cache
def _special() -> re.Pattern[str]:
    """Compiled for the first text that is not ASCII: a class of so many characters takes as long as TLS does."""
    return re.compile(_SPECIAL)


@cache
def _to_escape() -> re.Pattern[str]:
    return re.compile(f'["\\\\\n]|{_SPECIAL}')


def _has_special(text: str) -> bool:
    if text.isascii():
        return not text.replace("\n", "").isprintable()
    return _special().search(text) is not None


def scalar(value: Any, *, column: int, indent: int) -> str:
    """The text of a value that begins at `column`; its further lines are indented by `indent`."""
    if isinstance(value, str):
        return _text(value, column, indent)
    return _number_or_word(value)


def key(text: str) -> str | None:
    """A key in one line, or None if it needs a form of its own. Unlike kubectl's, a key `<<` can be read again."""
    if text == "<<":
        return '"<<"'
    if "\n" in text or len(text.encode("utf-8", "replace")) > 128:
        return None
    return _text(text, 0, 0, fold=False)


def _number_or_word(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        value = json_scanner.number(json_float(value))
    elif not -(2**63) <= value < 2**64:
        value = float(value)
    return go_float(value) if isinstance(value, float) else str(value)


def _text(text: str, column: int, indent: int, *, fold: bool = True) -> str:
    special = _has_special(text)
    if "\n" in text:
        if special or text.endswith(" ") or " \n" in text:
            return _double_quoted(text, column, indent, fold=fold)
        return _literal(text, indent)
    if special or resolve("", text)[0] != STR or (":" in text and re.fullmatch(_BASE_60, text)):
        return _double_quoted(text, column, indent, fold=fold)
    if text[0] == " " or text[-1] == " " or _NOT_PLAIN.match(text):
        doubled = text.replace("'", "''")
        return f"'{_folded(doubled, column + 1, indent, fold=fold, quoted=True)}'"
    return _folded(text, column, indent, fold=fold, quoted=False)


def _literal(text: str, indent: int) -> str:
    hint = "2" if text[0] in " \n" else ""
    chomp = "-" if not text.endswith("\n") else "+" if text == "\n" or text.endswith("\n\n") else ""
    margin = " " * indent
    lines = text.removesuffix("\n").split("\n")
    body = "\n".join(margin + line if line else line for line in lines)
    return f"|{hint}{chomp}\n{body}" + ("\n" if text.endswith("\n") else "")


def _folded(text: str, column: int, indent: int, *, fold: bool, quoted: bool) -> str:
    """Break lines at single spaces, once they are longer than the width."""
    if not fold or column + len(text) <= WIDTH:
        return text
    pieces: list[str] = []
    last = len(text) - 1
    start = 0
    for index, character in enumerate(text):
        if character != " " or column + index - start <= WIDTH:
            continue
        inside = not quoted or 0 < index < last
        if inside and text[index - 1] != " " and text[index + 1 : index + 2] != " ":
            pieces.append(text[start:index])
            start, column = index + 1, indent
    pieces.append(text[start:])
    return ("\n" + " " * indent).join(pieces)


def _double_quoted(text: str, column: int, indent: int, *, fold: bool) -> str:
    escape = (re.compile(_TO_ESCAPE_IN_ASCII) if text.isascii() else _to_escape()).sub
    escaped = [escape(_escape, word) for word in text.split(" ")]
    column += 1 + len(escaped[0])
    out = [escaped[0]]
    position = len(text.split(" ", 1)[0])
    previous_space = False
    words = text.split(" ")
    for index in range(1, len(words)):
        if fold and not previous_space and column > WIDTH and 0 < position < len(text) - 1:
            out.append("\n" + " " * indent + ("\\" if text[position + 1] == " " else ""))
            column = indent + (text[position + 1] == " ")
        else:
            out.append(" ")
            column += 1
        out.append(escaped[index])
        column += len(escaped[index])
        previous_space = not words[index]
        position += 1 + len(words[index])
    return f'"{"".join(out)}"'


def _escape(match: re.Match[str]) -> str:
    character = match[0]
    known = _ESCAPES.get(character)
    if known is not None:
        return known
    code = ord(character)
    if 0xD800 <= code <= 0xDFFF:
        return "\ufffd"
    if code <= 0xFF:
        return f"\\x{code:02X}"
    return f"\\u{code:04X}" if code <= 0xFFFF else f"\\U{code:08X}"
