"""Reading IP addresses with Go's messages. Upstream: net/netip, ParseAddr and ParsePrefix."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address

from localplane.apimachinery.golang.text import go_quote

_HEX = frozenset("0123456789abcdefABCDEF")


class InvalidAddress(ValueError):
    pass


def _wrong(text: str, message: str, at: str = "") -> InvalidAddress:
    where = f" (at {go_quote(at)})" if at else ""
    return InvalidAddress(f"ParseAddr({go_quote(text)}): {message}{where}")


def parse_address(text: str) -> tuple[IPv4Address | IPv6Address, str]:
    """The address and its zone."""
    for character in text:
        if character == ".":
            return IPv4Address(_v4(text, text)), ""
        if character == ":":
            return _v6(text)
        if character == "%":
            raise _wrong(text, "missing IPv6 address")
    raise _wrong(text, "unable to parse IP")


def _v4(text: str, whole: str) -> bytes:
    fields = bytearray()
    value, digits = 0, 0
    for position, character in enumerate(text):
        if character in "0123456789":
            if digits == 1 and value == 0:
                raise _wrong(whole, "IPv4 field has octet with leading zero")
            value, digits = value * 10 + int(character), digits + 1
            if value > 255:
                raise _wrong(whole, "IPv4 field has value >255")
        elif character == ".":
            if position in (0, len(text) - 1) or text[position - 1] == ".":
                raise _wrong(whole, "IPv4 field must have at least one digit", text[position:])
            if len(fields) == 3:
                raise _wrong(whole, "IPv4 address too long")
            fields.append(value)
            value, digits = 0, 0
        else:
            raise _wrong(whole, "unexpected character", text[position:])
    if len(fields) < 3:
        raise _wrong(whole, "IPv4 address too short")
    fields.append(value)
    return bytes(fields)


def _v6(whole: str) -> tuple[IPv6Address, str]:  # noqa: C901, PLR0912 - one loop over one text, as its original
    text, percent, zone = whole.partition("%")
    if percent and not zone:
        raise _wrong(whole, "zone must be a non-empty string")
    ellipsis = -1
    fields = bytearray()
    if text.startswith("::"):
        ellipsis = 0
        text = text[2:]
        if not text:
            return IPv6Address(bytes(16)), zone
    while len(fields) < 16:
        length = 0
        while length < len(text) and text[length] in _HEX:
            length += 1
            if length > 4:
                raise _wrong(whole, "each group must have 4 or less digits", text)
        if length == 0:
            raise _wrong(whole, "each colon-separated field must have at least one digit", text)
        if length < len(text) and text[length] == ".":
            if ellipsis < 0 and len(fields) != 12:
                raise _wrong(whole, "embedded IPv4 address must replace the final 2 fields of the address", text)
            if len(fields) + 4 > 16:
                raise _wrong(whole, "too many hex fields to fit an embedded IPv4 at the end of the address", text)
            fields += _v4(text, whole)
            text = ""
            break
        fields += int(text[:length], 16).to_bytes(2, "big")
        text = text[length:]
        if not text:
            break
        if text[0] != ":":
            raise _wrong(whole, "unexpected character, want colon", text)
        if len(text) == 1:
            raise _wrong(whole, "colon must be followed by more characters", text)
        text = text[1:]
        if text[0] == ":":
            if ellipsis >= 0:
                raise _wrong(whole, "multiple :: in address", text)
            ellipsis = len(fields)
            text = text[1:]
            if not text:
                break
    if text:
        raise _wrong(whole, "trailing garbage after address", text)
    if len(fields) < 16:
        if ellipsis < 0:
            raise _wrong(whole, "address string too short")
        fields[ellipsis:ellipsis] = bytes(16 - len(fields))
    elif ellipsis >= 0:
        raise _wrong(whole, "the :: must expand to at least one field of zeros")
    return IPv6Address(bytes(fields)), zone


def parse_prefix(text: str) -> tuple[IPv4Address | IPv6Address, int]:
    def wrong(message: str) -> InvalidAddress:
        return InvalidAddress(f"netip.ParsePrefix({go_quote(text)}): {message}")

    host, slash, bits = text.rpartition("/")
    if not slash:
        raise wrong("no '/'")
    try:
        address, zone = parse_address(host)
    except InvalidAddress as error:
        raise wrong(str(error)) from None
    if zone:
        raise wrong("IPv6 zones cannot be present in a prefix")
    if len(bits) > 1 and (bits[0] not in "123456789"):
        raise wrong(f"bad bits after slash: {go_quote(bits)}")
    if not (bits.isascii() and bits.isdigit()) or len(bits) > 18:
        raise wrong(f"bad bits after slash: {go_quote(bits)}")
    if int(bits) > address.max_prefixlen:
        raise wrong("prefix length out of range")
    return address, int(bits)
