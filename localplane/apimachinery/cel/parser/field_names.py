"""Names of fields as expressions write them. Upstream: apiserver/pkg/cel/escaping.go."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

RESERVED: Final = frozenset(
    {
        "true",
        "false",
        "null",
        "in",
        "as",
        "break",
        "const",
        "continue",
        "else",
        "for",
        "function",
        "if",
        "import",
        "let",
        "loop",
        "package",
        "namespace",
        "return",
        "var",
        "void",
        "while",
    }
)
_SYMBOLS: Final = {"__": "__underscores__", ".": "__dot__", "-": "__dash__", "/": "__slash__"}
_WORDS: Final = {word.strip("_"): symbol for symbol, word in _SYMBOLS.items()}
_SPECIAL: Final = re.compile(r"__|[-./]")
_ALLOWED: Final = re.compile(r"[A-Za-z_./-][A-Za-z0-9_./-]*")
_ESCAPED: Final = re.compile(r"__[^_]+__")


@lru_cache(maxsize=4096)
def escaped(name: str) -> str | None:
    """None for a name that no expression can write."""
    if name in RESERVED:
        return f"__{name}__"
    if _ALLOWED.fullmatch(name) is None:
        return None
    return _SPECIAL.sub(lambda match: _SYMBOLS[match.group()], name)


@lru_cache(maxsize=4096)
def unescaped(name: str) -> str | None:
    """None for an escape that there is not."""
    pieces: list[str] = []
    position = 0
    for match in _ESCAPED.finditer(name):
        word = match.group()[2:-2]
        if word not in _WORDS and (word not in RESERVED or len(match.group()) != len(name)):
            return None
        pieces += (name[position : match.start()], _WORDS.get(word, word))
        position = match.end()
    return "".join([*pieces, name[position:]])
