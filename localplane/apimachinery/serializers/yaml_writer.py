"""YAML out, in the form that `kubectl get -o yaml` has made familiar. Nothing here recurses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cmp_to_key

from localplane.apimachinery.light_typing import Any, Final

from .yaml_style import key as one_line_key
from .yaml_style import scalar

_INDENT: Final = 2
_END: Final = object()
_LETTERS = re.compile("[A-Za-z]*")


def to_yaml(value: Any) -> bytes:
    """One document, keys sorted, lists not indented, a line break at the end."""
    return _Writer().document(value).encode("utf-8", "replace")


class _Open:
    """A container that is being written. `inline`: its first entry goes on in the line that is begun."""

    __slots__ = ("entries", "indent", "inline", "is_mapping")

    def __init__(self, container: dict[str, Any] | list[Any], indent: int, *, inline: bool) -> None:
        self.is_mapping = isinstance(container, dict)
        self.entries: Iterator[Any] = iter(_sorted(container)) if isinstance(container, dict) else iter(container)
        self.indent = indent
        self.inline = inline


class _Writer:
    def __init__(self) -> None:
        self._out: list[str] = []
        self._column = 0
        self._stack: list[_Open] = []

    def document(self, value: Any) -> str:
        if isinstance(value, (dict, list)) and value:
            self._stack.append(_Open(value, 0, inline=True))
        else:
            self._put(_flat(value, 0, _INDENT))
        while self._stack:
            top = self._stack[-1]
            entry = next(top.entries, _END)
            if entry is _END:
                self._stack.pop()
            else:
                self._entry(top, entry)
        if self._column:
            self._put("\n")
        return "".join(self._out)

    def _entry(self, top: _Open, entry: Any) -> None:
        self._go_to(top.indent, break_first=not top.inline)
        top.inline = False
        if not top.is_mapping:
            self._put("-")
            self._value(entry, top.indent, inline=True)
            return
        name, value = entry
        text = one_line_key(name)
        if text is not None:
            self._put(f"{text}:")
            self._value(value, top.indent, inline=False)
            return
        self._put("?")
        self._value(name, top.indent, inline=True)
        self._go_to(top.indent, break_first=True)
        self._put(":")
        self._value(value, top.indent, inline=True)

    def _value(self, value: Any, indent: int, *, inline: bool) -> None:
        """What follows a dash or a colon. A list below a key stands as far left as the key."""
        if isinstance(value, (dict, list)) and value:
            deeper = inline or isinstance(value, dict)
            self._stack.append(_Open(value, indent + _INDENT if deeper else indent, inline=inline))
        else:
            self._put(" ")
            self._put(_flat(value, self._column, indent + _INDENT))

    def _go_to(self, indent: int, *, break_first: bool) -> None:
        if break_first and self._column:
            self._put("\n")
        self._put(" " * (indent - self._column))

    def _put(self, text: str) -> None:
        self._out.append(text)
        line_end = text.rfind("\n")
        self._column = self._column + len(text) if line_end < 0 else len(text) - line_end - 1


def _flat(value: Any, column: int, indent: int) -> str:
    if isinstance(value, (dict, list)):
        return "{}" if isinstance(value, dict) else "[]"
    return scalar(value, column=column, indent=indent)


def _sorted(mapping: dict[str, Any]) -> list[tuple[str, Any]]:
    if all(_LETTERS.fullmatch(name) for name in mapping):
        return sorted(mapping.items(), key=lambda item: item[0])
    by_name = cmp_to_key(_compare)
    return sorted(mapping.items(), key=lambda item: by_name(item[0]))


def _compare(a: str, b: str) -> int:
    """go-yaml's order: runs of digits as numbers, and letters after everything else."""
    for index, (left, right) in enumerate(zip(a, b, strict=False)):
        if left != right:
            return -1 if _before(a, b, index) else 1
    return len(a) - len(b)


def _before(a: str, b: str, index: int) -> bool:
    left, right = a[index], b[index]
    if left.isalpha() or right.isalpha():
        return left < right if left.isalpha() and right.isalpha() else right.isalpha()
    prefix = _nonzero_digits_before(a, index) if "0" in (left, right) else ""
    a_digits, b_digits = _digits(a, index), _digits(b, index)
    a_number, b_number = _magnitude(prefix + a_digits), _magnitude(prefix + b_digits)
    if a_number != b_number:
        return a_number < b_number
    if len(a_digits) != len(b_digits):
        return len(a_digits) < len(b_digits)
    return left < right


def _magnitude(digits: str) -> tuple[int, str]:
    """Orders numbers of any length."""
    significant = digits.lstrip("0")
    return len(significant), significant


def _nonzero_digits_before(text: str, index: int) -> str:
    """A digit to put before others if those before `index` make a number already, so that a zero here counts."""
    while index > 0 and text[index - 1].isdecimal():
        index -= 1
        if text[index] != "0":
            return "1"
    return ""


def _digits(text: str, index: int) -> str:
    end = index
    while end < len(text) and text[end].isdecimal():
        end += 1
    return text[index:end]
