"""URLs, read as Go's net/url reads them. Upstream: pkg/cel/library/urls.go."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar, Final
from urllib.parse import unquote_to_bytes

from localplane.apimachinery.cel.declarations import Function, member, overload
from localplane.apimachinery.cel.errors import EvaluationError
from localplane.apimachinery.cel.types import BOOL, STRING, URL, Type, list_of, map_of
from localplane.apimachinery.cel.values import Extension, Map
from localplane.apimachinery.golang.text import go_quote

from .addresses import InvalidAddress, parse_address

_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+\-.]*):")
_BAD_ESCAPE: Final = re.compile(r"%(?![0-9A-Fa-f]{2}).{0,2}", re.DOTALL)
_UNRESERVED: Final = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~")
_PATH: Final = _UNRESERVED | frozenset(b"$&+,/:;=@")
_ENCODED_PATH: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~$&+,/:;=@!'()*[]%")
_HOST: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~!$&'()*+,;=:[]<>\"")
_USER: Final = re.compile(r"[A-Za-z0-9\-._:~!$&'()*+,;=%@]*")
_PORT: Final = re.compile(r"(?::[0-9]*)?")


class InvalidURL(ValueError):
    pass


@dataclass(frozen=True, slots=True)
class URLValue(Extension):
    scheme: str = ""
    opaque: str = ""
    user: str = ""
    host: str = ""
    path: str = ""
    raw_query: str = ""
    fragment: str = ""
    cel_type: ClassVar[Type] = URL

    def __str__(self) -> str:
        text = f"{self.scheme}:" if self.scheme else ""
        if self.opaque:
            text += self.opaque
        else:
            if self.host or self.user:
                text += f"//{self.user}@{self.host}" if self.user else f"//{self.host}"
            text += self.path
        text += f"?{self.raw_query}" if self.raw_query else ""
        return text + (f"#{self.fragment}" if self.fragment else "")


def parse_request_uri(text: str) -> URLValue:
    """An absolute URI or an absolute path. Raises InvalidURL."""
    try:
        return _parsed(text, from_request=True)
    except InvalidURL as error:
        raise InvalidURL(f"parse {go_quote(text)}: {error}") from None


def _parsed(text: str, *, from_request: bool) -> URLValue:
    if any(character < " " or character == "\x7f" for character in text):
        raise InvalidURL("net/url: invalid control character in URL")
    if not text and from_request:
        raise InvalidURL("empty url")
    if text == "*":
        return URLValue(path="*")
    if text.startswith(":"):
        raise InvalidURL("missing protocol scheme")
    match = _SCHEME.match(text)
    scheme, rest = (match[1].lower(), text[match.end() :]) if match is not None else ("", text)
    rest, _, query = rest.partition("?")
    if not rest.startswith("/"):
        if scheme:
            return URLValue(scheme, opaque=rest, raw_query=query)
        if from_request:
            raise InvalidURL("invalid URI for request")
        if ":" in rest.partition("/")[0]:
            raise InvalidURL("first path segment in URL cannot contain colon")
    user = host = ""
    if rest.startswith("//") and (scheme or (not from_request and not rest.startswith("///"))):
        authority, slash, tail = rest[2:].partition("/")
        rest = slash + tail
        user, host = _authority(authority)
    return URLValue(scheme, user=user, host=host, path=_path(rest), raw_query=query)


def _check_escapes(text: str) -> None:
    wrong = _BAD_ESCAPE.search(text)
    if wrong is not None:
        raise InvalidURL(f"invalid URL escape {go_quote(wrong.group())}")


def _unescaped(text: str) -> str:
    return unquote_to_bytes(text).decode("utf-8", "surrogateescape")


def _path(raw: str) -> str:
    """The path as it is written again: as it was, if that is a correct way to write it."""
    _check_escapes(raw)
    if all(character in _ENCODED_PATH for character in raw):
        return raw
    plain = unquote_to_bytes(raw)
    return "".join(chr(byte) if byte in _PATH else f"%{byte:02X}" for byte in plain)


def _authority(text: str) -> tuple[str, str]:
    user, at, host = text.rpartition("@")
    parsed = _host(host)
    if at:
        if not _USER.fullmatch(user):
            raise InvalidURL("net/url: invalid userinfo")
        _check_escapes(user)
    return user, parsed


def _host(text: str) -> str:
    if text.startswith("["):
        return _literal_host(text)
    port = text[text.index(":") :] if ":" in text else ""
    if not _PORT.fullmatch(port):
        raise InvalidURL(f"invalid port {go_quote(port)} after host")
    return _unescaped_host(text)


def _literal_host(text: str) -> str:
    end = text.rfind("]")
    if end < 0:
        raise InvalidURL("missing ']' in host")
    port = text[end + 1 :]
    if not _PORT.fullmatch(port):
        raise InvalidURL(f"invalid port {go_quote(port)} after host")
    inner, percent, zone = text[1:end].partition("%25")
    inner = _unescaped_host(inner)
    name = f"{inner}%{_unescaped(zone)}" if percent else inner
    try:
        address, _ = parse_address(name)
    except InvalidAddress as error:
        raise InvalidURL(f"invalid host: {error}") from None
    if address.version == 4:
        raise InvalidURL("invalid IP-literal")
    return f"[{name}]{port}"


def _unescaped_host(text: str) -> str:
    position = 0
    while position < len(text):
        character = text[position]
        if character == "%":
            escape = text[position : position + 3]
            # In a host only bytes beyond ASCII may be escaped.
            if _BAD_ESCAPE.match(escape) or int(escape[1:], 16) < 0x80:
                raise InvalidURL(f"invalid URL escape {go_quote(escape)}")
            position += 3
            continue
        if character < "\x80" and character not in _HOST:
            raise InvalidURL(f"invalid character {go_quote(character)} in host name")
        position += 1
    return _unescaped(text)


def _url(text: str) -> URLValue:
    try:
        parse_request_uri(text)
        plain, _, fragment = text.partition("#")
        try:
            parsed = _parsed(plain, from_request=False)
            _check_escapes(fragment)
        except InvalidURL as error:
            raise InvalidURL(f"parse {go_quote(text)}: {error}") from None
    except InvalidURL as error:
        raise EvaluationError(f"URL parse error during conversion from string: {error}") from None
    return URLValue(parsed.scheme, parsed.opaque, parsed.user, parsed.host, parsed.path, parsed.raw_query, fragment)


def _is_url(text: str) -> bool:
    try:
        parse_request_uri(text)
    except InvalidURL:
        return False
    return True


def _split_host(host: str) -> tuple[str, str]:
    name, colon, port = host.rpartition(":")
    if not colon or not _PORT.fullmatch(f":{port}"):
        name, port = host, ""
    if name.startswith("[") and name.endswith("]"):
        name = name[1:-1]
    return name, port


def _query(value: URLValue) -> Map:
    found: dict[str, list[str]] = {}
    for pair in value.raw_query.split("&"):
        if not pair or ";" in pair:
            continue
        key, _, text = pair.partition("=")
        if _BAD_ESCAPE.search(key) or _BAD_ESCAPE.search(text):
            continue
        found.setdefault(_unescaped(key.replace("+", " ")), []).append(_unescaped(text.replace("+", " ")))
    return Map.of(list(found.items()))


URLS: tuple[Function, ...] = (
    Function("url", (overload("string_to_url", (STRING,), URL, _url),)),
    Function("isURL", (overload("is_url_string", (STRING,), BOOL, _is_url),)),
    Function("getScheme", (member("url_get_scheme", (URL,), STRING, lambda value: value.scheme),)),
    Function("getHost", (member("url_get_host", (URL,), STRING, lambda value: value.host),)),
    Function("getHostname", (member("url_get_hostname", (URL,), STRING, lambda v: _split_host(v.host)[0]),)),
    Function("getPort", (member("url_get_port", (URL,), STRING, lambda value: _split_host(value.host)[1]),)),
    Function("getEscapedPath", (member("url_get_escaped_path", (URL,), STRING, lambda value: value.path),)),
    Function("getQuery", (member("url_get_query", (URL,), map_of(STRING, list_of(STRING)), _query),)),
)
