"""Why another server could not be asked, as Go's HTTP client says it: users know it so, and look for it so."""

from __future__ import annotations

import os
import ssl

import aiohttp

UNREADABLE_AUTHORITY = "unable to load root certificates: unable to parse bytes as PEM block"

_UNKNOWN_AUTHORITY = (18, 19, 20, 21)
"""OpenSSL's X509_V_ERR codes: self-signed, or an issuer that is not there."""
_OUT_OF_TIME = (9, 10)
_OTHER_NAME = 62


def why(error: aiohttp.ClientError | TimeoutError, host: str, port: int) -> str:
    match error:
        case aiohttp.ClientConnectorCertificateError():
            return f"tls: failed to verify certificate: x509: {_distrust(error.certificate_error)}"
        case aiohttp.ClientConnectorDNSError():
            return f"dial tcp: lookup {host}: no such host"
        case aiohttp.ClientConnectorError():
            number = error.os_error.errno
            reason = os.strerror(number).lower() if number else str(error.os_error)
            return f"dial tcp {address(host, port)}: connect: {reason}"
        case aiohttp.ServerDisconnectedError():
            return "EOF"
        case TimeoutError():
            return "context deadline exceeded"
    return str(error)


def address(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _distrust(error: Exception) -> str:
    if not isinstance(error, ssl.SSLCertVerificationError):
        return str(error)
    if error.verify_code in _UNKNOWN_AUTHORITY:
        return "certificate signed by unknown authority"
    if error.verify_code in _OUT_OF_TIME:
        return "certificate has expired or is not yet valid"
    if error.verify_code == _OTHER_NAME:
        return "certificate is not valid for the requested name"
    return error.verify_message
