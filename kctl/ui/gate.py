"""Who is let in. Everybody on this machine reaches the port, and every page that the browser shows can send requests.

A one-time key is exchanged for a cookie. Browsers send cookies to every port of a host, so this one is bound to a path
that nobody else knows: a server on another port, perhaps another user's, is never sent it. Whatever asks has to name
our host (which ends DNS rebinding) and, if a browser says where it comes from, be our own page.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping
from http.cookies import CookieError, SimpleCookie
from typing import Final

COOKIE: Final = "kctl-ui"
MARK: Final = "X-Kctl-Ui"
"""A header that only a script of our own page can send: others would have to ask for it first, and are refused."""

HEADERS: Final[Mapping[str, str]] = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
        "trusted-types 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cache-Control": "no-store",
}
"""Of every answer, whatever it is."""

_SAFE: Final = ("GET", "HEAD")


class Refused(Exception):
    """What somebody asks for is not done; the text says why."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Gate:
    """`port` is ours, on 127.0.0.1."""

    def __init__(self, port: int) -> None:
        self.host = f"127.0.0.1:{port}"
        self.room = f"/{secrets.token_urlsafe(18)}/"
        """Where the console is; the cookie is for what is below it."""
        self._keys: set[str] = set()
        self._cookies: set[str] = set()

    def link(self) -> str:
        """A URL that lets one browser in, once."""
        key = secrets.token_urlsafe(32)
        self._keys.add(key)
        return f"http://{self.host}/?key={key}"

    def check_origin(self, method: str, headers: Mapping[str, str]) -> None:
        """Raises Refused for what names another host, or comes from another page."""
        if headers.get("Host", "") != self.host:
            raise Refused(421, f"this console is http://{self.host} and answers to no other name")
        origin = headers.get("Origin")
        if origin is not None and origin != f"http://{self.host}":
            raise Refused(403, "only the console's own page may ask this")
        if origin is None and method not in _SAFE:
            raise Refused(403, "a change has to say which page it comes from")

    def check_page(self, headers: Mapping[str, str]) -> None:
        """The same for what the page itself asks: raises Refused unless it is our script that does."""
        if headers.get("Sec-Fetch-Site", "same-origin") != "same-origin":
            raise Refused(403, "only the console's own page may ask this")

    def exchange(self, key: str) -> str:
        """The Set-Cookie header for a key, which is used up. Raises Refused."""
        known = next((one for one in self._keys if _same(one, key)), None)
        if known is None:
            raise Refused(
                403,
                "This link has been used, or is none of this console's. Press Enter where `kctl ui` runs for another.",
            )
        self._keys.discard(known)
        value = secrets.token_urlsafe(32)
        self._cookies.add(value)
        return f"{COOKIE}={value}; Path={self.room}; HttpOnly; SameSite=Strict"

    def check_cookie(self, headers: Mapping[str, str]) -> None:
        """Raises Refused for whoever has not come through the link."""
        try:
            cookie = SimpleCookie(headers.get("Cookie", "")).get(COOKIE)
        except CookieError:
            cookie = None
        if cookie is None or not any(_same(one, cookie.value) for one in self._cookies):
            raise Refused(
                401, "This console lets in who opens its link. Press Enter where `kctl ui` runs for a new one."
            )


def _same(one: str, other: str) -> bool:
    """In a time that tells nothing."""
    return hmac.compare_digest(one.encode(), other.encode("utf-8", "surrogateescape"))
