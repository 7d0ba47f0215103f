"""Just enough DER to read the subject of a certificate, and not a byte more forgiving than DER is.

Lengths must be definite and as short as they can be, and nothing may reach beyond what contains it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

INTEGER = 0x02
OBJECT_IDENTIFIER = 0x06
SEQUENCE = 0x30
SET = 0x31
EXPLICIT_0 = 0xA0

_TEXT_ENCODINGS = {
    0x0C: "utf-8",  # UTF8String
    0x12: "ascii",  # NumericString
    0x13: "ascii",  # PrintableString
    0x14: "latin-1",  # TeletexString, as the world writes it
    0x16: "ascii",  # IA5String
    0x1E: "utf-16-be",  # BMPString
}


class MalformedDER(ValueError):
    pass


@dataclass(frozen=True, slots=True)
class Element:
    tag: int
    content: bytes


def elements(data: bytes) -> Iterator[Element]:
    """What stands one after the other in `data`, to its last byte."""
    position = 0
    while position < len(data):
        tag = data[position]
        if tag & 0x1F == 0x1F:
            raise MalformedDER("a tag of more than one byte")
        start, length = _length(data, position + 1)
        position = start + length
        if position > len(data):
            raise MalformedDER("an element is longer than what contains it")
        yield Element(tag, data[start:position])


def _length(data: bytes, position: int) -> tuple[int, int]:
    """Where the content begins, and how long it is."""
    if position >= len(data):
        raise MalformedDER("the data ends before a length")
    first = data[position]
    position += 1
    if first < 0x80:
        return position, first
    count = first & 0x7F
    digits = data[position : position + count]
    if not 1 <= count <= 4 or len(digits) < count:
        raise MalformedDER("a length that is indefinite, too long or cut off")
    length = int.from_bytes(digits, "big")
    if length < 0x80 or digits[0] == 0:
        raise MalformedDER("a length that is not as short as it can be")
    return position + count, length


def only(data: bytes, tag: int) -> bytes:
    """The content of the one element that `data` is."""
    found = list(elements(data))
    if len(found) != 1:
        raise MalformedDER(f"{len(found)} elements in place of one")
    return content(found[0], tag)


def content(element: Element, tag: int) -> bytes:
    if element.tag != tag:
        raise MalformedDER(f"tag {element.tag:#04x} in place of {tag:#04x}")
    return element.content


def text(element: Element) -> str:
    encoding = _TEXT_ENCODINGS.get(element.tag)
    if encoding is None:
        raise MalformedDER(f"tag {element.tag:#04x} is no text")
    try:
        return element.content.decode(encoding)
    except UnicodeDecodeError:
        raise MalformedDER(f"text that is not {encoding}") from None


def object_identifier(data: bytes) -> str:
    """An object identifier as its numbers: 2.5.4.3."""
    if not data or data[-1] & 0x80:
        raise MalformedDER("an object identifier that is empty or cut off")
    numbers, value, fresh = [], 0, True
    for byte in data:
        if fresh and byte == 0x80:
            raise MalformedDER("a number that is not as short as it can be")
        value = value << 7 | byte & 0x7F
        fresh = not byte & 0x80
        if fresh:
            numbers.append(value)
            value = 0
    first = min(numbers[0] // 40, 2)
    return ".".join(map(str, (first, numbers[0] - 40 * first, *numbers[1:])))
