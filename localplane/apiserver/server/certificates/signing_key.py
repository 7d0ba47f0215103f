"""The key that a server signs tokens with. Apart from whoever signs: to make one takes longer than to import it."""

from __future__ import annotations

from typing import Final

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key

_BITS: Final = 2048


def new_signing_key() -> RSAPrivateKey:
    """It takes about a tenth of a second, in which Python has nothing to do."""
    return generate_private_key(public_exponent=65537, key_size=_BITS)
