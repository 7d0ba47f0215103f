"""The certificates in a bundle. Go takes what it can read and passes over the rest, and so does this.

Go: crypto/x509 (CertPool.AppendCertsFromPEM). Kubernetes: client-go/transport (rootCertPool, createErrorParsingCAData).
"""

from __future__ import annotations

import binascii
from collections.abc import Iterator

from localplane.apimachinery.light_typing import Final, NamedTuple

_CERTIFICATE: Final = b"CERTIFICATE"
_BEGIN: Final = b"-----BEGIN "
_END: Final = b"-----END "
_DASHES: Final = b"-----"
_LONGEST_KIND: Final = 64


class NoAuthorities(ValueError):
    """A bundle without a certificate; the text is client-go's."""


class _Block(NamedTuple):
    kind: bytes
    content: bytes


def certificates_in(bundle: bytes) -> list[bytes]:
    """All of them, in DER. Raises NoAuthorities if there is none."""
    found, broken, blocks = [], False, 0
    for block in _blocks(bundle):
        blocks += 1
        if block.kind != _CERTIFICATE or b":" in block.content:
            continue  # a colon is a header's
        certificate = _decoded(block.content)
        if certificate is not None:
            found.append(certificate)
        else:
            broken = True
    if found:
        return found
    why = "unable to parse bytes as PEM block"
    if broken:
        why = "failed to parse certificate: x509: malformed certificate"
    elif blocks:
        why = "no valid certificate authority data seen"
    raise NoAuthorities(f"unable to load root certificates: {why}")


def _blocks(bundle: bytes) -> Iterator[_Block]:
    """Each byte is looked at once or twice: an end is searched for only behind the last one, and if there is none that
    is the end of it all."""
    start, end = bundle.find(_BEGIN), -1
    while start >= 0:
        head = bundle.find(_DASHES, start + len(_BEGIN))
        content = head + len(_DASHES)
        if head >= 0 and end < content:
            end = bundle.find(_END, content)
        if head < 0 or end < 0:
            return
        kind = bundle[start + len(_BEGIN) : head]
        closing = _END + kind + _DASHES
        if len(kind) < _LONGEST_KIND and bundle.startswith(closing, end):
            yield _Block(kind, bundle[content:end])
            content = end + len(closing)
        start = bundle.find(_BEGIN, content)


def _decoded(text: bytes) -> bytes | None:
    """The one ASN.1 sequence that a certificate is, or None."""
    try:
        content = binascii.a2b_base64(b"".join(text.split()), strict_mode=True)
    except binascii.Error:
        return None
    return content if _is_one_sequence(content) else None


def _is_one_sequence(content: bytes) -> bool:
    if len(content) < 4 or content[0] != 0x30:
        return False
    count = content[1] & 0x7F if content[1] & 0x80 else 0
    length = int.from_bytes(content[2 : 2 + count], "big") if count else content[1]
    return count <= 4 and len(content) == 2 + count + length
