"""URLs as Go's net/url takes them apart, its error texts included."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import unquote

from localplane.apimachinery.golang.text import go_quote

_SCHEME = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]*):")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_BAD_ESCAPE = re.compile("%(?![0-9a-fA-F]{2}).{0,2}")
_NOT_IN_HOST = re.compile(r"(?![A-Za-z0-9\-_.~!$&'()*+,;=:\[\]<>\"%])[\x00-\x7f]")
_NOT_IN_USER = re.compile(r"[^A-Za-z0-9\-._:~!$&'()*+,;=%@]")


class InvalidURL(ValueError):
    """The text of Go's url.Error."""


@dataclass(frozen=True, slots=True)
class URL:
    """`user` is None where there is none; the fragment is decoded, the query is not."""

    scheme: str
    host: str
    user: str | None
    query: str
    fragment: str


def parse_url(text: str) -> URL:
    """Raises InvalidURL."""
    try:
        return _parse(text)
    except InvalidURL as error:
        raise InvalidURL(f"parse {go_quote(text)}: {error}") from None


def _parse(text: str) -> URL:
    rest, _, fragment = text.partition("#")
    if _CONTROL.search(rest):
        raise InvalidURL("net/url: invalid control character in URL")
    if rest.startswith(":"):
        raise InvalidURL("missing protocol scheme")
    match = _SCHEME.match(rest)
    scheme = match.group(1).lower() if match else ""
    rest, _, query = rest[match.end() if match else 0 :].partition("?")
    if scheme and not rest.startswith("/"):
        return URL(scheme, "", None, query, unquote(fragment))  # opaque, as `mailto:someone` is
    if not rest.startswith("/") and ":" in rest.partition("/")[0]:
        raise InvalidURL("first path segment in URL cannot contain colon")
    host, user = "", None
    if rest.startswith("//") and (scheme or not rest.startswith("///")):
        authority, slash, path = rest[2:].partition("/")
        host, user = _authority(authority)
        rest = slash + path
    _check_escapes(rest)
    _check_escapes(fragment)
    return URL(scheme, host, user, query, unquote(fragment))


def _authority(text: str) -> tuple[str, str | None]:
    """The host with its port, and who speaks to it."""
    user, at, host = text.rpartition("@")
    if at and _NOT_IN_USER.search(user):
        raise InvalidURL("net/url: invalid userinfo")
    if host.startswith("["):
        if "]" not in host:
            raise InvalidURL("missing ']' in host")
        port = host[host.rindex("]") + 1 :]
    else:
        port = host[host.rindex(":") :] if ":" in host else ""
    if port and not re.fullmatch(":[0-9]*", port):
        raise InvalidURL(f"invalid port {go_quote(port)} after host")
    _check_escapes(host)
    if bad := _NOT_IN_HOST.search(host):
        raise InvalidURL(f"invalid character {go_quote(bad.group())} in host name")
    return host, user if at else None


def _check_escapes(text: str) -> None:
    if bad := _BAD_ESCAPE.search(text):
        raise InvalidURL(f"invalid URL escape {go_quote(bad.group())}")
