"""A server that asks for a certificate, takes whatever it is shown, and judges it at each request.

Kubernetes does so (Go: tls.RequestClientCert): a certificate that nobody trusts is a 401 with a sentence, and a good
token beside it still counts. Python's ssl has no word for it: with CERT_OPTIONAL a certificate that OpenSSL does not
trust ends the handshake. OpenSSL has (SSL_CTX_set_cert_verify_callback), so it is called here past Python, where that
is known to be safe: CPython of the versions whose contexts begin with OpenSSL's pointer, and an `_ssl` that is a
library of its own, through which its own OpenSSL is found and no other. Anywhere else nothing is changed.

It also says whose certificates it believes, as Kubernetes does: clients that have several choose by it, and ones that
have none of these show none. Python's ssl has no word for that either.
"""

from __future__ import annotations

import logging
import ssl
import sys
from collections.abc import Callable, Iterable
from typing import Any, Final

_log = logging.getLogger(__name__)

_KNOWN: Final = ((3, 11), (3, 13))
"""The first and the last version of CPython on which this was run. Whoever adds one has run it there."""
_MODES: Final = {ssl.CERT_NONE: 0, ssl.CERT_OPTIONAL: 1, ssl.CERT_REQUIRED: 3}
"""What OpenSSL says to Python's modes."""
_SET_SESSION_CACHE_MODE: Final = 44
_NO_CACHE: Final = 0


class AnyClientCertificate:
    """Keep it for as long as the context is in use: OpenSSL calls it."""

    def __init__(self, library: Any, pointer: int, accept: Callable[..., int]) -> None:
        self._accept = accept
        self._library = library
        self._pointer = pointer
        library.SSL_CTX_set_cert_verify_callback(pointer, accept, None)
        library.SSL_CTX_ctrl(pointer, _SET_SESSION_CACHE_MODE, _NO_CACHE, None)

    def name_authorities(self, certificates: Iterable[bytes]) -> None:
        """Tell clients from whom their certificates should be; each is in DER. Once for a context: there is no taking
        back."""
        import ctypes

        for certificate in dict.fromkeys(certificates):
            start = ctypes.c_char_p(certificate)
            if (parsed := self._library.d2i_X509(None, ctypes.byref(start), len(certificate))) is not None:
                self._library.SSL_CTX_add_client_CA(self._pointer, parsed)  # it keeps a copy of the name
                self._library.X509_free(parsed)


def accept_any(context: ssl.SSLContext) -> AnyClientCertificate | None:
    """Ask clients of the context for a certificate and take any; None if that can't be had here."""
    if sys.implementation.name != "cpython" or not _KNOWN[0] <= sys.version_info[:2] <= _KNOWN[1]:
        return None
    try:
        import _ssl
        import ctypes

        library = ctypes.CDLL(_ssl.__file__)
        library.SSL_CTX_get_verify_mode.argtypes = [ctypes.c_void_p]
        library.SSL_CTX_set_cert_verify_callback.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
        library.SSL_CTX_set_cert_verify_callback.restype = None
        library.SSL_CTX_ctrl.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_long, ctypes.c_void_p]
        library.SSL_CTX_ctrl.restype = ctypes.c_long
        library.SSL_CTX_add_client_CA.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
        library.d2i_X509.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_long]
        library.d2i_X509.restype = ctypes.c_void_p
        library.X509_free.argtypes = [ctypes.c_void_p]
        library.X509_free.restype = None
    except (ImportError, AttributeError, OSError) as error:  # no library of its own, or one that hides its OpenSSL
        _log.debug("certificates that nobody trusts end the handshake: %s", error)
        return None
    pointer = ctypes.c_void_p.from_address(id(context) + object.__basicsize__).value
    if pointer is None or not _is_that_of(context, lambda: library.SSL_CTX_get_verify_mode(pointer)):
        return None
    context.verify_mode = ssl.CERT_OPTIONAL
    return AnyClientCertificate(library, pointer, ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * 2)(_yes))


def _is_that_of(context: ssl.SSLContext, mode: Callable[[], int]) -> bool:
    """Whether what Python sets is what OpenSSL has."""
    before = context.verify_mode
    try:
        for wanted, expected in _MODES.items():
            context.verify_mode = wanted
            if mode() != expected:
                return False
    finally:
        context.verify_mode = before
    return True


def _yes(_store: int, _argument: int) -> int:
    return 1
