"""The YAML that kubeconfigs are mostly written in, read without a YAML library: importing one takes longer than
everything else that is done with the file.

It knows block mappings and lists of words that can mean nothing else. Whatever is beyond that (quotes with escapes,
numbers, anchors, comments behind values, tabs) it declines, and the whole parser decides.
"""

from __future__ import annotations

import re
from typing import Any, Final

_LINE: Final = re.compile(r"( *)(.*?) *")
_KEY: Final = re.compile(r"([A-Za-z][A-Za-z0-9_.-]*):(?: +(.*))?")
_WORD: Final = re.compile(r"[A-Za-z/][A-Za-z0-9_./:@+=~-]*")
_QUOTED: Final = re.compile(r'"([^"\\\x00-\x1f\x7f-\x9f]*)"|\'([^\'\x00-\x1f\x7f-\x9f]*)\'')
_CONSTANTS: Final[dict[str, Any]] = {"true": True, "false": False, "null": None, "{}": {}, "[]": []}
_AMBIGUOUS: Final = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false", "null"))


class _Declined(Exception):
    pass


def parse_plain(text: bytes) -> dict[str, Any] | None:
    """The document, or None if that is for somebody else to say."""
    if text.startswith(b"{"):
        return _json(text)
    try:
        lines = _lines(text.decode("ascii"))
        if not lines or lines[0][0] != 0:
            return None
        value, end = _mapping(lines, 0, 0)
    except (UnicodeDecodeError, _Declined):
        return None
    return value if end == len(lines) else None


def _json(text: bytes) -> dict[str, Any] | None:
    """Some programs write kubeconfigs so: it is YAML, too."""
    import json

    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _lines(text: str) -> list[tuple[int, str]]:
    found = []
    for line in text.split("\n"):
        match = _LINE.fullmatch(line)
        if match is None:
            raise _Declined
        indent, content = match.groups()
        if content and not content.startswith("#"):
            found.append((len(indent), content))
    return found


def _mapping(lines: list[tuple[int, str]], at: int, indent: int) -> tuple[dict[str, Any], int]:
    found: dict[str, Any] = {}
    while at < len(lines) and lines[at][0] == indent and not lines[at][1].startswith("- "):
        key = _KEY.fullmatch(lines[at][1])
        if key is None or key[1] in found or key[1].lower() in _AMBIGUOUS:
            raise _Declined
        at += 1
        if key[2]:
            found[key[1]] = _scalar(key[2])
        else:
            found[key[1]], at = _below(lines, at, indent)
    if not found or (at < len(lines) and lines[at][0] > indent):
        raise _Declined
    return found, at


def _below(lines: list[tuple[int, str]], at: int, indent: int) -> tuple[Any, int]:
    """What stands under a key that has nothing beside it. A list may be as far left as its key."""
    if at >= len(lines):
        return None, at
    inner, content = lines[at]
    if content.startswith("- ") and inner >= indent:
        return _list(lines, at, inner)
    return _mapping(lines, at, inner) if inner > indent else (None, at)


def _list(lines: list[tuple[int, str]], at: int, indent: int) -> tuple[list[Any], int]:
    found: list[Any] = []
    while at < len(lines) and lines[at][0] == indent and lines[at][1].startswith("- "):
        content = lines[at][1][2:].lstrip()
        if _KEY.fullmatch(content):
            inner = indent + len(lines[at][1]) - len(content)
            rest = [(inner, content), *lines[at + 1 :]]
            value, used = _mapping(rest, 0, inner)
            at += used
        else:
            value = _scalar(content)
            at += 1
        found.append(value)
    if at < len(lines) and lines[at][0] > indent:
        raise _Declined
    return found, at


def _scalar(text: str) -> Any:
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if quoted := _QUOTED.fullmatch(text):
        return quoted[1] if quoted[1] is not None else quoted[2]
    if not _WORD.fullmatch(text) or text.endswith(":") or text.lower() in _AMBIGUOUS:
        raise _Declined
    return text
