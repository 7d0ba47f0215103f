"""Nothing that a server says can drive a terminal: escape sequences are shown, not sent.

escape    what kubectl does with the cells of its tables, wherever they go
harmless  every control character, for a terminal
shown     one of them, by where it goes
Painted   what came through one of them, and has colours since
"""

from __future__ import annotations

import re

from localplane.apimachinery.light_typing import TextIO

_CONTROL = "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|\r(?!\n)"


class Painted(str):
    """A text whose escape sequences are ours: all others were made harmless before."""

    __slots__ = ()


def escape(text: str) -> str:
    """What kubectl does in tables, always. Kubernetes: cli-runtime/pkg/printers/terminal.go."""
    if "\x1b" not in text and "\r" not in text:
        return text
    return text.replace("\x1b", "^[").replace("\r", "\\r")


def harmless(text: str) -> str:
    """For a terminal: every control character but tabs and the ends of lines, in caret notation.

    A carriage return within a line is one of them: what comes after it would be written over what came before.
    """
    return re.sub(_CONTROL, _caret, text)


def shown(text: str, stream: TextIO) -> str:
    """For people, who may have put a pager between us and their terminal."""
    return harmless(text) if stream.isatty() else escape(text)


def _caret(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code == 0x7F:
        return "^?"
    return f"^{chr(code + 64)}" if code < 0x20 else f"\\x{code:02x}"
