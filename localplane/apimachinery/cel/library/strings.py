"""Functions on text. Upstream: common/stdlib/standard.go and ext/strings.go, version 2."""

from __future__ import annotations

import string
from typing import Any, Final

from localplane.apimachinery.cel.declarations import Function, member, overload
from localplane.apimachinery.cel.errors import CostExceeded, EvaluationError, no_such_overload
from localplane.apimachinery.cel.types import BOOL, BYTES, DYN, INT, STRING, list_of, map_of, parameter
from localplane.apimachinery.cel.values import MOST_BUILT, Mapper

from .patterns import matches
from .string_format import formatted
from .value_text import shown

_A, _B = parameter("A"), parameter("B")
_TEXTS = list_of(STRING)


def _size(value: Any) -> int:
    if isinstance(value, (str, bytes, list, Mapper)):
        return len(value)
    raise no_such_overload("size")


def _both_texts(one: Any, other: Any) -> None:
    if type(one) is not str or type(other) is not str:
        raise no_such_overload()


def _starts_with(text: Any, prefix: Any) -> bool:
    _both_texts(text, prefix)
    return bool(text.startswith(prefix))


def _ends_with(text: Any, suffix: Any) -> bool:
    _both_texts(text, suffix)
    return bool(text.endswith(suffix))


def _contains(text: Any, part: Any) -> bool:
    _both_texts(text, part)
    return part in text


def _out_of_range(index: int) -> EvaluationError:
    return EvaluationError(f"index out of range: {index}")


def _char_at(text: str, index: int) -> str:
    if not 0 <= index <= len(text):
        raise _out_of_range(index)
    return text[index : index + 1]


def _index_of(text: str, part: str, offset: int = 0) -> int:
    if offset < 0:
        raise _out_of_range(offset)
    return min(offset, len(text)) if not part else text.find(part, offset)


def _last_index_of(text: str, part: str, offset: int | None = None) -> int:
    if offset is None:
        return len(text) if not part else text.rfind(part)
    if offset < 0:
        raise _out_of_range(offset)
    if not part:
        return min(offset, len(text))
    return -1 if offset >= len(text) else text.rfind(part, 0, offset + len(part))


_LOWER: Final = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
_UPPER: Final = str.maketrans(string.ascii_lowercase, string.ascii_uppercase)


def _split(text: str, separator: str, limit: int = -1) -> list[str]:
    if limit == 0:
        return []
    if not separator:
        return list(text) if limit < 0 or limit >= len(text) else [*text[: limit - 1], text[limit - 1 :]]
    return text.split(separator, limit - 1 if limit > 0 else -1)


def _substring(text: str, start: int, end: int | None = None) -> str:
    if end is None:
        end = len(text)
        if not 0 <= start <= end:
            raise _out_of_range(start)
        return text[start:]
    if start > end:
        raise EvaluationError(f"invalid substring range. start: {start}, end: {end}")
    for index in (start, end):
        if not 0 <= index <= len(text):
            raise _out_of_range(index)
    return text[start:end]


def _replaced(text: str, old: str, new: str, limit: int = -1) -> str:
    """Raises CostExceeded before it makes what is too long to be looked at."""
    times = text.count(old)
    if 0 <= limit < times:
        times = limit
    if len(text) + times * (len(new) - len(old)) > MOST_BUILT:
        raise CostExceeded
    return text.replace(old, new, limit)


# Go's unicode.IsSpace, which Python's strip goes beyond.
_SPACE: Final = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f"
    "\u205f\u3000"
)


def trimmed(text: str) -> str:
    return text.strip(_SPACE)


def _joined(texts: list[Any], separator: str = "") -> str:
    length = len(separator) * len(texts)
    for each in texts:
        if type(each) is not str:
            raise EvaluationError(f"join: invalid input: {shown(each)}")
        length += len(each)
    if length > MOST_BUILT:
        raise CostExceeded
    return separator.join(texts)


_QUOTED: Final = str.maketrans(
    {
        "\a": "\\a",
        "\b": "\\b",
        "\f": "\\f",
        "\n": "\\n",
        "\r": "\\r",
        "\t": "\\t",
        "\v": "\\v",
        "\\": "\\\\",
        '"': '\\"',
    }
)


def _quoted(text: str) -> str:
    return f'"{text.translate(_QUOTED)}"'


STRINGS: tuple[Function, ...] = (
    Function(
        "size",
        (
            overload("size_bytes", (BYTES,), INT, _size),
            member("bytes_size", (BYTES,), INT, _size),
            overload("size_list", (list_of(_A),), INT, _size),
            member("list_size", (list_of(_A),), INT, _size),
            overload("size_map", (map_of(_A, _B),), INT, _size),
            member("map_size", (map_of(_A, _B),), INT, _size),
            overload("size_string", (STRING,), INT, _size),
            member("string_size", (STRING,), INT, _size),
        ),
        unguarded=True,
    ),
    Function("contains", (member("contains_string", (STRING, STRING), BOOL, _contains),), unguarded=True),
    Function("endsWith", (member("ends_with_string", (STRING, STRING), BOOL, _ends_with),), unguarded=True),
    Function("startsWith", (member("starts_with_string", (STRING, STRING), BOOL, _starts_with),), unguarded=True),
    Function(
        "matches",
        (
            overload("matches", (STRING, STRING), BOOL, matches),
            member("matches_string", (STRING, STRING), BOOL, matches),
        ),
        unguarded=True,
    ),
    Function("charAt", (member("string_char_at_int", (STRING, INT), STRING, _char_at),)),
    Function(
        "indexOf",
        (
            member("string_index_of_string", (STRING, STRING), INT, _index_of),
            member("string_index_of_string_int", (STRING, STRING, INT), INT, _index_of),
        ),
    ),
    Function(
        "lastIndexOf",
        (
            member("string_last_index_of_string", (STRING, STRING), INT, _last_index_of),
            member("string_last_index_of_string_int", (STRING, STRING, INT), INT, _last_index_of),
        ),
    ),
    Function("lowerAscii", (member("string_lower_ascii", (STRING,), STRING, lambda text: text.translate(_LOWER)),)),
    Function("upperAscii", (member("string_upper_ascii", (STRING,), STRING, lambda text: text.translate(_UPPER)),)),
    Function(
        "replace",
        (
            member("string_replace_string_string", (STRING, STRING, STRING), STRING, _replaced),
            member("string_replace_string_string_int", (STRING, STRING, STRING, INT), STRING, _replaced),
        ),
    ),
    Function(
        "split",
        (
            member("string_split_string", (STRING, STRING), _TEXTS, _split),
            member("string_split_string_int", (STRING, STRING, INT), _TEXTS, _split),
        ),
    ),
    Function(
        "substring",
        (
            member("string_substring_int", (STRING, INT), STRING, _substring),
            member("string_substring_int_int", (STRING, INT, INT), STRING, _substring),
        ),
    ),
    Function("trim", (member("string_trim", (STRING,), STRING, trimmed),)),
    Function("format", (member("string_format", (STRING, list_of(DYN)), STRING, formatted),)),
    Function("strings.quote", (overload("strings_quote", (STRING,), STRING, _quoted),)),
    Function(
        "join",
        (
            member("list_join", (_TEXTS,), STRING, _joined),
            member("list_join_string", (_TEXTS, STRING), STRING, _joined),
        ),
    ),
)
