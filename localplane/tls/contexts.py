"""The contexts of TLS clients: nothing else makes one.

There are three. `verifying` leaves the judging to OpenSSL, told to judge as Go does as far as it can be told: quick to
import, for a command that makes one connection. `judging` judges here, by Go's rules altogether and in its words: for
a server that calls others, and for a command whose first try was refused. `trusting_anybody` is for those who said so.
"""

from __future__ import annotations

import ssl

from localplane.apimachinery.light_typing import TYPE_CHECKING, Any, Final, Self
from localplane.tls import verification

from .authorities import NoAuthorities, certificates_in

if TYPE_CHECKING:
    from .verification import Pool

_CIPHERS: Final = "@SECLEVEL=1:ECDH+AESGCM:ECDH+CHACHA20:ECDH+AES:DHE+AES:!aNULL:!eNULL:!aDSS:!SHA1:!AESCCM"
"""Python's own, one level lower: RSA keys of 1024 bits are as small as Go takes them. SHA-1 signs nothing on it."""
_DER: Final = 2


def verifying(bundle: bytes = b"") -> ssl.SSLContext:
    """Believes those whom the bundle's certificates vouch for, or the system's if it is empty. Raises NoAuthorities."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    _as_go_does(context)
    if not bundle:
        context.load_default_certs()
        return context
    readable = 0
    for certificate in certificates_in(bundle):
        try:
            context.load_verify_locations(cadata=certificate)
        except ssl.SSLError:
            continue
        readable += 1
    if not readable:
        why = "failed to parse certificate: x509: malformed certificate"
        raise NoAuthorities(f"unable to load root certificates: {why}")
    return context


def judging(bundle: bytes = b"") -> ssl.SSLContext:
    """The same. The system's authorities are left to OpenSSL, which knows where they are. Raises NoAuthorities."""
    if not bundle:
        return verifying()
    return JudgingContext(verification.Pool.of_bundle(bundle))


def trusting_anybody() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    _as_go_does(context)
    return context


def _as_go_does(context: ssl.SSLContext) -> None:
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    # Whatever is in a bundle is trusted, a leaf or an intermediate as well as a root; and newer Pythons refuse
    # authorities without some extensions, which Go and so every cluster lives with.
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    context.hostname_checks_common_name = False
    context.set_ciphers(_CIPHERS)


class Distrusted(ssl.SSLCertVerificationError):
    """The peer's certificate was judged here. `verify_message` is what Go says."""

    def __init__(self, message: str) -> None:
        super().__init__(1, message)
        self.verify_code = 1
        self.verify_message = message

    def __str__(self) -> str:
        return self.verify_message


class JudgingContext(ssl.SSLContext):
    """OpenSSL shakes hands with anybody; the handshake is over when the certificate has been judged, and before that
    nothing is sent."""

    pool: Pool

    def __new__(cls, pool: Pool) -> Self:  # noqa: ARG004 - OpenSSL's own is made before there is a pool
        return super().__new__(cls, ssl.PROTOCOL_TLS_CLIENT)

    def __init__(self, pool: Pool) -> None:
        super().__init__()
        self.pool = pool
        self.check_hostname = False
        self.verify_mode = ssl.CERT_NONE
        _as_go_does(self)
        self.sslobject_class = _JudgedObject
        self.sslsocket_class = _JudgedSocket

    def judge(self, peer: ssl.SSLObject | ssl.SSLSocket) -> None:
        """Raises Distrusted."""
        try:
            verification.verify(
                shown_by(peer), self.pool, purpose=verification.Purpose.SERVER, host=peer.server_hostname or ""
            )
        except verification.Untrusted as error:
            raise Distrusted(str(error)) from error


class _JudgedObject(ssl.SSLObject):
    def do_handshake(self) -> None:
        super().do_handshake()
        assert isinstance(self.context, JudgingContext)
        self.context.judge(self)


class _JudgedSocket(ssl.SSLSocket):
    def do_handshake(self, block: bool = False) -> None:  # noqa: FBT001, FBT002 - so it is called
        super().do_handshake(block)
        assert isinstance(self.context, JudgingContext)
        self.context.judge(self)


def shown_by(peer: ssl.SSLObject | ssl.SSLSocket) -> list[bytes]:
    """The certificates that a peer has sent, in DER, its own first; none if it has sent none."""
    own = peer.getpeercert(binary_form=True)
    if own is None:
        return []
    if hasattr(peer, "get_unverified_chain"):  # since Python 3.13
        chain: list[bytes] = peer.get_unverified_chain()
    else:
        hidden: Any = peer
        chain = [each.public_bytes(_DER) for each in hidden._sslobj.get_unverified_chain() or ()]  # noqa: SLF001
    return chain if chain[:1] == [own] else [own, *chain]
