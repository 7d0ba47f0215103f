"""Why another server could not be asked, as Go's HTTP client says it: users know it so, and look for it so."""

from __future__ import annotations

import os

import aiohttp

from localplane.tls.words import handshake_failure


def why(error: aiohttp.ClientError | TimeoutError, host: str, port: int, *, name: str = "") -> str:
    """`host` and `port` are what was connected to, `name` is whose certificate was wanted if that is another."""
    match error:
        case aiohttp.ClientConnectorCertificateError():
            problem = error.certificate_error
            return handshake_failure(problem, name or host) if isinstance(problem, OSError) else f"x509: {problem}"
        case aiohttp.ClientConnectorSSLError():
            return handshake_failure(error.os_error, name or host)
        case aiohttp.ClientConnectorDNSError():
            return f"dial tcp: lookup {host}: no such host"
        case aiohttp.ClientConnectorError():
            number = error.os_error.errno
            reason = os.strerror(number).lower() if number else str(error.os_error)
            return f"dial tcp {address(host, port)}: connect: {reason}"
        case aiohttp.ServerDisconnectedError():
            return "EOF"
        case aiohttp.ClientOSError():
            return f"read tcp: {os.strerror(error.errno).lower()}" if error.errno else "EOF"
        case TimeoutError():
            return "context deadline exceeded"
    return str(error)


def address(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
