"""Nothing that an object contains can drive a terminal: escape sequences are shown, not sent."""

from __future__ import annotations

import re

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|\r(?!\n)")


def escape(text: str) -> str:
    """What kubectl does in tables, always. Kubernetes: cli-runtime/pkg/printers/terminal.go."""
    if "\x1b" not in text and "\r" not in text:
        return text
    return text.replace("\x1b", "^[").replace("\r", "\\r")


def harmless(text: str) -> str:
    """For a terminal: every control character but tabs and the ends of lines, in caret notation.

    A carriage return within a line is one of them: what comes after it would be written over what came before.
    """
    return _CONTROL.sub(_caret, text) if _CONTROL.search(text) else text


def _caret(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code == 0x7F:
        return "^?"
    return f"^{chr(code + 64)}" if code < 0x20 else f"\\x{code:02x}"
