"""The YAML that kubeconfigs are mostly written in, read without a YAML library: importing one takes longer than
everything else that is done with the file.

It knows block mappings and lists of words that can mean nothing else. Whatever is beyond that (quotes with escapes,
numbers, anchors, comments behind values, tabs) it declines, and the whole parser decides.
"""

from __future__ import annotations

import json

from localplane.apimachinery.light_typing import Any, Final

_LETTERS: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
_IN_KEYS: Final = _LETTERS | frozenset("0123456789_.-")
_IN_WORDS: Final = _IN_KEYS | frozenset("/:@+=~")
_STARTS_WORDS: Final = _LETTERS | frozenset("/_")
_STARTS_NUMBERS: Final = frozenset("0123456789-")
_NEVER_IN_NUMBERS: Final = frozenset("ghjklmqrsuvwyGHJKLMQRSUVWY")
"""Nor in times. Tokens may begin with anything, and have some of these."""
# Without regular expressions: to compile these few would take longer than to read the file.
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
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _lines(text: str) -> list[tuple[int, str]]:
    found = []
    for line in text.split("\n"):
        content = line.strip(" ")
        if content and not content.startswith("#"):
            found.append((len(line) - len(line.lstrip(" ")), content))
    return found


def _mapping(lines: list[tuple[int, str]], at: int, indent: int) -> tuple[dict[str, Any], int]:
    found: dict[str, Any] = {}
    while at < len(lines) and lines[at][0] == indent and not lines[at][1].startswith("- "):
        pair = _pair(lines[at][1])
        if pair is None or pair[0] in found or pair[0].lower() in _AMBIGUOUS:
            raise _Declined
        at += 1
        key, value = pair
        if value:
            found[key] = _scalar(value)
        else:
            found[key], at = _below(lines, at, indent)
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
        if _pair(content) is not None:
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
    if text[:1] in ("'", '"'):
        return _quoted(text)
    is_number = text[:1] in _STARTS_NUMBERS and _NEVER_IN_NUMBERS.isdisjoint(text)
    starts_well = text[:1] in _STARTS_WORDS or text[:1] in _STARTS_NUMBERS
    if is_number or not starts_well or not _IN_WORDS.issuperset(text):
        raise _Declined
    if text.endswith(":") or text.lower() in _AMBIGUOUS:
        raise _Declined
    return text


def _pair(content: str) -> tuple[str, str] | None:
    """A key and what stands beside it, which may be nothing. None for what is no key."""
    key, colon, rest = content.partition(":")
    if not colon or key[:1] not in _LETTERS or not _IN_KEYS.issuperset(key) or (rest and not rest.startswith(" ")):
        return None
    return key, rest.lstrip(" ")


def _quoted(text: str) -> str:
    """Between quotes, as long as nothing in there means anything else."""
    quote, content = text[0], text[1:-1]
    is_plain = quote not in content and content.isprintable() and (quote == "'" or "\\" not in content)
    if len(text) < 2 or not text.endswith(quote) or not is_plain:
        raise _Declined
    return content
