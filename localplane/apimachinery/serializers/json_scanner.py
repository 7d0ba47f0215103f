"""A JSON reader that says what Go's says. Slow and patient: it is asked when the fast one refused a body.

It does not recurse, so depth costs a list entry and ends where Go's does. Kubernetes: vendor/sigs.k8s.io/json.
"""

from __future__ import annotations

import re

from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.light_typing import Any, Final

from .errors import JSONSyntaxError, JSONValueError
from .utf8 import decode

MAX_DEPTH: Final = 10_000
MAX_DUPLICATES: Final = 100

_SPACE = re.compile(rb"[ \t\r\n]*")
_STRING = re.compile(rb'"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+"')
_STRING_PART = re.compile(rb'"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+')
_NUMBER = re.compile(rb"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][-+]?[0-9]++)?")
_LITERAL = re.compile(rb"true|false|null")
_ESCAPE = re.compile(
    r"\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|\\u([0-9a-fA-F]{4})|\\(.)", re.DOTALL
)
_ESCAPED = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_VALUES: Final = {b"true": True, b"false": False, b"null": None}
_OPENED: Final = object()
_COLON, _COMMA, _QUOTE = b':,"'
_BRACE, _END_BRACE, _BRACKET, _END_BRACKET = b"{}[]"


class Scanner:
    """Reads values from bytes."""

    def __init__(
        self,
        data: bytes,
        position: int = 0,
        containers: list[dict[str, Any] | list[Any]] | None = None,
        *,
        after_value: bool = False,
        at_key: bool = False,
    ) -> None:
        """With `containers`, the scanner stands inside them: behind a value, before a key, or else before a value."""
        self.position = position
        self._data = data
        self._containers = containers or []
        self._keys = [""] * len(self._containers)
        self._after_value = after_value
        self._at_key = at_key
        self._paths: dict[str, None] = {}
        self._bad_number = ""

    @property
    def duplicates(self) -> tuple[str, ...]:
        """A sentence for each key that came again, in the order of their coming."""
        return tuple(f"duplicate field {go_quote(path)}" for path in self._paths)

    def document(self) -> Any:
        """The only value of the data. Raises JSONSyntaxError, JSONValueError."""
        value = self.read()
        self._only_space()
        self.check_numbers()
        return value

    def check_numbers(self) -> None:
        """Raise for a number that was too great; later than for a fault of syntax, wherever that stands."""
        if self._bad_number:
            raise JSONValueError(f"json: cannot unmarshal number {self._bad_number} into Go value of type float64")

    def at_end(self) -> bool:
        self._skip_space()
        return self.position >= len(self._data)

    def take_one_step(self) -> None:
        """Raise JSONSyntaxError if the next token, or what follows it, is a fault."""
        if self._at_key and self._containers and isinstance(self._containers[-1], dict):
            self._key()
        if not self._after_value and self._begin() is _OPENED and self._begin() is _OPENED:
            return
        if self._containers:
            self._another()
        else:
            self._only_space()

    def _only_space(self) -> None:
        if not self.at_end():
            raise self._unexpected("after top-level value")

    def read(self) -> Any:
        """The next value; `position` is behind it afterwards."""
        while True:
            value = self._begin()
            if value is _OPENED:
                continue
            while self._containers:
                self._add(value)
                if self._another():
                    break
                value = self._pop()
            else:
                return value

    def _begin(self) -> Any:
        first = self._peek()
        match first:
            case 0x22:  # "
                return self._string()
            case 0x7B:  # {
                return self._open({}, _END_BRACE)
            case 0x5B:  # [
                return self._open([], _END_BRACKET)
            case 0x74 | 0x66 | 0x6E:  # t f n
                return self._literal(first)
            case 0x2D | 0x30 | 0x31 | 0x32 | 0x33 | 0x34 | 0x35 | 0x36 | 0x37 | 0x38 | 0x39:  # - 0 1 2 3 4 5 6 7 8 9
                return self._number()
        raise self._unexpected("looking for beginning of value")

    def _open(self, container: dict[str, Any] | list[Any], end: int) -> Any:
        if len(self._containers) >= MAX_DEPTH:
            raise self._unexpected("exceeded max depth")
        self._containers.append(container)
        self._keys.append("")
        self.position += 1
        if self._peek() == end:
            self.position += 1
            return self._pop()
        if end == _END_BRACE:
            self._key()
        return _OPENED

    def _pop(self) -> Any:
        self._keys.pop()
        return self._containers.pop()

    def _add(self, value: Any) -> None:
        container = self._containers[-1]
        if isinstance(container, dict):
            container[self._keys[-1]] = value
        else:
            container.append(value)

    def _another(self) -> bool:
        """Whether the open container goes on after the value that was just added."""
        following = self._peek()
        in_object = isinstance(self._containers[-1], dict)
        if following == _COMMA:
            self.position += 1
            if in_object:
                self._key()
            return True
        if following == (_END_BRACE if in_object else _END_BRACKET):
            self.position += 1
            return False
        raise self._unexpected("after object key:value pair" if in_object else "after array element")

    def _key(self) -> None:
        if self._peek() != _QUOTE:
            raise self._unexpected("looking for beginning of object key string")
        key = self._string()
        if self._peek() != _COLON:
            raise self._unexpected("after object key")
        self.position += 1
        self._keys[-1] = key
        if key in self._containers[-1] and len(self._paths) < MAX_DUPLICATES:
            self._paths[self._path()] = None

    def _path(self) -> str:
        pieces = [
            f".{key}" if isinstance(container, dict) else f"[{len(container)}]"
            for container, key in zip(self._containers, self._keys, strict=True)
        ]
        return "".join(pieces).removeprefix(".")

    def _string(self) -> str:
        match = _STRING.match(self._data, self.position)
        if match is None:
            raise self._bad_string()
        self.position = match.end()
        text = decode(match[0][1:-1])
        return _ESCAPE.sub(_unescape, text) if "\\" in text else text

    def _bad_string(self) -> JSONSyntaxError:
        part = _STRING_PART.match(self._data, self.position)
        assert part is not None
        self.position = part.end()
        if self.position >= len(self._data):
            return self._end()
        if self._character() != 0x5C:  # backslash
            return self._unexpected("in string literal")
        self.position += 1
        if self._character() != 0x75:  # u
            return self._unexpected("in string escape code")
        self.position += 1
        while chr(self._character()) in "0123456789abcdefABCDEF":
            self.position += 1
        return self._unexpected("in \\u hexadecimal character escape")

    def _number(self) -> Any:
        match = _NUMBER.match(self._data, self.position)
        if match is None:
            self.position += 1
            raise self._unexpected("in numeric literal")
        self.position = match.end()
        text = match[0].decode("ascii")
        following = self._character()
        if following == 0x2E and "." not in text and "e" not in text.lower():
            self.position += 1
            raise self._unexpected("after decimal point in numeric literal")
        if following in b"eE" and "e" not in text.lower():
            self.position += 1
            if self._character() in b"+-":
                self.position += 1
            raise self._unexpected("in exponent of numeric literal")
        return self._number_of(text)

    def _number_of(self, text: str) -> Any:
        value = number(text)
        if value in (float("inf"), float("-inf")):
            self._bad_number = self._bad_number or text
        return value

    def _literal(self, first: int) -> Any:
        match = _LITERAL.match(self._data, self.position)
        if match is not None:
            self.position = match.end()
            return _VALUES[match[0]]
        word = {0x74: "true", 0x66: "false", 0x6E: "null"}[first]
        for expected in word:
            if self._character() != ord(expected):
                raise self._unexpected(f"in literal {word} (expecting '{expected}')")
            self.position += 1
        raise AssertionError(word)

    def _skip_space(self) -> None:
        match = _SPACE.match(self._data, self.position)
        assert match is not None
        self.position = match.end()

    def _peek(self) -> int:
        """The next byte that is no space."""
        self._skip_space()
        if self.position >= len(self._data):
            raise self._end()
        return self._data[self.position]

    def _character(self) -> int:
        """The byte here. Go's scanner is told of the end by a space, and complains of that where none may stand."""
        return self._data[self.position] if self.position < len(self._data) else 0x20

    def _unexpected(self, context: str) -> JSONSyntaxError:
        character = chr(self._character())
        quoted = {"'": "\\'", '"': '"'}.get(character) or go_quote(character)[1:-1]
        offset = min(self.position + 1, len(self._data))
        return JSONSyntaxError(f"invalid character '{quoted}' {context}", offset)

    def _end(self) -> JSONSyntaxError:
        return JSONSyntaxError("unexpected end of JSON input", len(self._data))


def number(text: str) -> int | float:
    """A whole number that 64 bits hold stays whole; the rest is a float, infinite if it is too great."""
    if len(text) <= 20 and text.lstrip("-").isdigit():
        value = int(text)
        if -(2**63) <= value < 2**64:
            return value
    return float(text)


def too_great(text: str, position: int) -> str | None:
    """The number at a place of a text, if no float can hold it."""
    match = _NUMBER.match(text[position:].encode()) if text[position : position + 1] in "-0123456789" else None
    if match is None or float(match[0]) not in (float("inf"), float("-inf")):
        return None
    return match[0].decode()


def _unescape(match: re.Match[str]) -> str:
    high, low, code, character = match.groups()
    if high:
        return chr(0x10000 + ((int(high, 16) & 0x3FF) << 10) + (int(low, 16) & 0x3FF))
    if code:
        point = int(code, 16)
        return "\ufffd" if 0xD800 <= point <= 0xDFFF else chr(point)
    return _ESCAPED.get(character, character)
