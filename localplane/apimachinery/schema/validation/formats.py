"""The formats of text that a schema may ask for, decided as Kubernetes decides them.

Names are compared without dashes (`date-time` is `datetime`); formats not named here are ignored.
Kubernetes: kube-openapi pkg/validation/strfmt and apiextensions-apiserver pkg/apiserver/validation/formats.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from datetime import date
from functools import cache
from ipaddress import AddressValueError, IPv6Address
from typing import Final
from urllib.parse import SplitResult, urlsplit

from localplane.apimachinery.times import InvalidDuration, parse_duration

Check = Callable[[str], bool]

_TIME = re.compile(r"([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))")
_DURATION = re.compile(r"(?<![0-9])([0-9]++)\s*+([A-Za-zµ]++)")
_UNITS = frozenset(("ns", "us", "µs", "ms", "s", "m", "h", "hr", "d", "w", "wk"))
_UNIT_PREFIXES = ("nano", "micro", "milli", "sec", "min", "hour", "day", "week")
_CARD = re.compile(
    r"4[0-9]{12}([0-9]{3})?|5[1-5][0-9]{14}|6(011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(0[0-5]|[68][0-9])[0-9]{11}"
    r"|(2131|1800|35[0-9]{3})[0-9]{11}"
)
_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
_ADDRESS = re.compile(r"[^\s@<>,;:\\\"()\[\]]++@[^\s@<>,;:\\\"()\[\]]++")
_LONGEST_EMAIL = 1024  # an address has at most 254 characters; the rest is a name
_COLOR_PART = r"\s*(0|[1-9][0-9]?|1[0-9][0-9]?|2[0-4][0-9]|25[0-5])\s*"
_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"


def _matching(pattern: str, *, longest: int | None = None) -> Check:
    """Compiled at the first use: most of these are never asked for."""
    compiled = cache(lambda: re.compile(pattern).fullmatch)
    return lambda text: (longest is None or len(text) <= longest) and compiled()(text) is not None


def _is_date(text: str) -> bool:
    if re.fullmatch("[0-9]{4}-[0-9]{2}-[0-9]{2}", text) is None:
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return text.startswith("0000") and _is_date(f"0004{text[4:]}")  # Go knows a year 0, and it leaps
    return True


def _is_datetime(text: str) -> bool:
    day, _, rest = text.lower().partition("t")
    match = _TIME.fullmatch(rest.split("t")[0])
    return match is not None and _is_date(day) and match[1] <= "23" and match[2] <= "59" and match[3] <= "59"


def _is_duration(text: str) -> bool:
    try:
        parse_duration(text)
    except InvalidDuration:
        units = [match[2].lower() for match in _DURATION.finditer(text)]
        return any(unit in _UNITS or unit.startswith(_UNIT_PREFIXES) for unit in units)
    return True


# urllib remembers what it has split, however long it was.
_urlsplit: Callable[[str], SplitResult] = getattr(urlsplit, "__wrapped__", urlsplit)


def _is_uri(text: str) -> bool:
    """An absolute URI or an absolute path."""
    if not text or any(character <= " " or character == "\x7f" for character in text) or _ESCAPE.search(text):
        return False
    try:
        parts = _urlsplit(text)
        _ = parts.port
    except ValueError:
        return False
    return text.startswith("/") or (bool(parts.scheme) and text[:1].isalpha())


def _is_email(text: str) -> bool:
    from email.utils import parseaddr  # brings half of the email package along, for the rarest of formats

    if len(text) > _LONGEST_EMAIL:
        return False
    try:
        _, address = parseaddr(text)
    except RecursionError:  # comments in comments
        return False
    return _ADDRESS.fullmatch(address) is not None and (
        text.strip() == address or text.rstrip().endswith(f"<{address}>")
    )


def _is_hostname(text: str) -> bool:
    """One label with a dash in second place at most, or several of which the last is letters only."""
    *labels, last = text.split(".")
    if len(text.encode()) > 255 or any(len(label.encode()) > 63 for label in (*labels, last)):
        return False
    if not labels:
        rest = last[1:].removeprefix("-")
        return _is_host_text(last[:1]) and (not rest or _is_host_text(rest))
    if not all(label[:1] != "-" and label[-1:] != "-" and _is_host_text(label.replace("-", "")) for label in labels):
        return False
    return len(last) >= 2 and last.isalpha()


def _is_host_text(text: str) -> bool:
    """Digits, letters and symbols of any script."""
    return text != "" and all(
        each in "0123456789" or each.isalpha() or unicodedata.category(each).startswith("S") for each in text
    )


def _is_ipv4(text: str) -> bool:
    """Leading zeros are tolerated, as Go once did."""
    if re.fullmatch(r"[0-9]{1,3}(\.[0-9]{1,3}){3}", text):
        return all(int(part) <= 255 for part in text.split("."))
    return "." in text and ":" in text and _is_ipv6(text)


def _is_ipv6(text: str) -> bool:
    if ":" not in text or "%" in text:
        return False
    try:
        IPv6Address(text)
    except AddressValueError:
        return False
    return True


def _is_cidr(text: str) -> bool:
    address, slash, length = text.partition("/")
    if not slash or re.fullmatch("[0-9]{1,3}", length) is None:
        return False
    if ":" in address:
        return _is_ipv6(address) and int(length) <= 128
    return _is_ipv4(address) and int(length) <= 32


def _is_isbn10(text: str) -> bool:
    digits = re.sub(r"[\s-]+", "", text)
    if re.fullmatch("[0-9]{9}X|[0-9]{10}", digits) is None:
        return False
    numbers = [10 if digit == "X" else int(digit) for digit in digits]
    return sum(place * number for place, number in enumerate(numbers, 1)) % 11 == 0


def _is_isbn13(text: str) -> bool:
    digits = re.sub(r"[\s-]+", "", text)
    if re.fullmatch("[0-9]{13}", digits) is None:
        return False
    total = sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(digits))
    return total % 10 == 0


def _is_credit_card(text: str) -> bool:
    digits = re.sub("[^0-9]+", "", text)
    if _CARD.fullmatch(digits) is None:
        return False
    doubled = (int(digit) * (2 if place % 2 else 1) for place, digit in enumerate(reversed(digits)))
    return sum(number - 9 if number > 9 else number for number in doubled) % 10 == 0


def _uuid(version: str, variant: str = "[0-9a-fA-F]") -> Check:
    hexadecimal = "[0-9a-fA-F]"
    return _matching(
        f"{hexadecimal}{{8}}-?{hexadecimal}{{4}}-?{version}{hexadecimal}{{3}}-?{variant}{hexadecimal}{{3}}-?"
        f"{hexadecimal}{{12}}"
    )


_PAIRS = "[0-9a-fA-F]{2}"
_QUADS = "[0-9a-fA-F]{4}"
_MAC = "|".join(
    [f"{_PAIRS}(?:{separator}{_PAIRS}){{{count}}}" for separator in (":", "-") for count in (5, 7, 19)]
    + [rf"{_QUADS}(?:\.{_QUADS}){{{count}}}" for count in (2, 3, 9)]
)

FORMATS: Final[dict[str, Check]] = {
    "bsonobjectid": _matching("[0-9a-fA-F]{24}"),
    "uri": _is_uri,
    "email": _is_email,
    "hostname": _is_hostname,
    "ipv4": _is_ipv4,
    "ipv6": _is_ipv6,
    "cidr": _is_cidr,
    "mac": _matching(_MAC),
    "uuid": _uuid("[0-9a-fA-F]"),
    "uuid3": _uuid("3"),
    "uuid4": _uuid("4", "[89abAB]"),
    "uuid5": _uuid("5", "[89abAB]"),
    "isbn": lambda text: _is_isbn10(text) or _is_isbn13(text),
    "isbn10": _is_isbn10,
    "isbn13": _is_isbn13,
    "creditcard": _is_credit_card,
    "ssn": _matching(r"(?=.{11}\Z)[0-9]{3}[- ]?[0-9]{2}[- ]?[0-9]{4}"),
    "hexcolor": _matching("#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})"),
    "rgbcolor": _matching(rf"rgb\({_COLOR_PART},{_COLOR_PART},{_COLOR_PART}\)"),
    "byte": _matching("(?!$)(?:[A-Za-z0-9+/]{4})*+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?"),
    "password": lambda _: True,
    "date": _is_date,
    "duration": _is_duration,
    "datetime": _is_datetime,
    "k8sshortname": _matching(_LABEL, longest=63),
    "k8slongname": _matching(rf"{_LABEL}(\.{_LABEL})*", longest=253),
}


def effective_format(type_: str, format_: str, *, int_or_string: bool = False) -> str:
    """The format as validation knows it: one that means nothing for the type is none."""
    kind = "" if int_or_string else type_
    if kind in ("", "string"):
        return format_ if format_.replace("-", "") in FORMATS else ""
    known = {"integer": ("int32", "int64"), "number": ("float", "double")}.get(kind, ())
    return format_ if format_ in known else ""


def has_format(text: str, format_: str) -> bool:
    check = FORMATS.get(format_.replace("-", ""))
    return check is None or check(text)
