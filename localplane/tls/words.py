"""What Go says about a handshake that failed: users know it so, and look for it so. Go: crypto/tls, net/http."""

from __future__ import annotations

import ssl
from collections.abc import Callable

from localplane.apimachinery.light_typing import Final
from localplane.tls import certificates, hostnames, verification

from .contexts import Distrusted

_OUT_OF_TIME: Final = (9, 10)
_OTHER_NAME: Final = (62, 64)
"""OpenSSL's X509_V_ERR codes; all others are about who signed."""
_NO_TLS: Final = ("WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE", "HTTP_REQUEST", "UNEXPECTED_MESSAGE")
_ALERTS: Final = {
    "TLSV1_ALERT_UNKNOWN_CA": "unknown certificate authority",
    "TLSV13_ALERT_CERTIFICATE_REQUIRED": "certificate required",
    "SSLV3_ALERT_BAD_CERTIFICATE": "bad certificate",
    "SSLV3_ALERT_CERTIFICATE_EXPIRED": "expired certificate",
    "SSLV3_ALERT_CERTIFICATE_UNKNOWN": "unknown certificate",
    "SSLV3_ALERT_HANDSHAKE_FAILURE": "handshake failure",
    "SSLV3_ALERT_UNSUPPORTED_CERTIFICATE": "unsupported certificate",
    "TLSV1_ALERT_ACCESS_DENIED": "access denied",
    "TLSV1_ALERT_INTERNAL_ERROR": "internal error",
    "TLSV1_ALERT_PROTOCOL_VERSION": "protocol version not supported",
    "TLSV1_UNRECOGNIZED_NAME": "unrecognized name",
}


def handshake_failure(error: OSError, host: str, shown: Callable[[], bytes] | None = None) -> str:
    """`shown` returns the certificate that the server has shown, in DER; it is asked only if it matters."""
    if isinstance(error, Distrusted):
        return f"tls: failed to verify certificate: {error}"
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"tls: failed to verify certificate: {_distrust(error.verify_code, host, shown)}"
    if isinstance(error, ssl.SSLEOFError | ConnectionResetError):
        return "EOF"
    if isinstance(error, ssl.SSLError):
        if error.reason in _NO_TLS:
            return "http: server gave HTTP response to HTTPS client"
        return f"remote error: tls: {_ALERTS.get(error.reason or '', str(error))}"
    return str(error)


def _distrust(code: int, host: str, shown: Callable[[], bytes] | None) -> str:
    if code in _OUT_OF_TIME:
        return _out_of_time(shown)
    if code in _OTHER_NAME:
        return _other_name(host, shown)
    return "x509: certificate signed by unknown authority"


def _out_of_time(shown: Callable[[], bytes] | None) -> str:
    """Of the server's own certificate; if one above it is over, nobody has shown that."""
    known = "x509: certificate has expired or is not yet valid"
    if shown is None or not (raw := shown()):
        return known
    try:
        verification.verify([raw], verification.Pool(), purpose=verification.Purpose.SERVER)
    except (verification.Untrusted, certificates.MalformedCertificate) as problem:
        return str(problem) if str(problem).startswith(known) else known
    return known


def _other_name(host: str, shown: Callable[[], bytes] | None) -> str:
    if shown is None or not (raw := shown()):
        return f"x509: certificate is not valid for {host}"
    try:
        return hostnames.mismatch(certificates.Certificate.load(raw), host)
    except certificates.MalformedCertificate:
        return f"x509: certificate is not valid for {host}"
