"""How values are encrypted: the forms of Kubernetes' providers. Kubernetes: apiserver/pkg/storage/value/encrypt.

k8s:enc:aescbc:v1:KEYNAME:    16 bytes of initialization vector, then AES-CBC of the padded value
k8s:enc:aesgcm:v1:KEYNAME:    12 bytes of nonce, then AES-GCM with the etcd key as additional data
(nothing)                     identity: the value itself
"""

from __future__ import annotations

import hashlib
import os
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CBC
from cryptography.hazmat.primitives.padding import PKCS7

ENCRYPTED: Final = b"k8s:enc:"
_VECTOR_BYTES: Final = 16
_NONCE_BYTES: Final = 12
_BLOCK_BITS: Final = 128


class Undecipherable(Exception):
    """Not a value of this key's."""


class Provider(ABC):
    """One key of one kind. `prefix` stands before what it has encrypted; `title` is for people and holds no secret."""

    prefix: bytes
    title: str
    fingerprint: str

    @abstractmethod
    def encrypt(self, value: bytes, key: bytes) -> bytes:
        """`key` is where the value is stored."""

    @abstractmethod
    def decrypt(self, data: bytes, key: bytes) -> bytes:
        """What comes behind the prefix. Raises Undecipherable."""


class Identity(Provider):
    """Values as they are."""

    prefix = b""
    title = "identity"
    fingerprint = "identity"

    def encrypt(self, value: bytes, key: bytes) -> bytes:  # noqa: ARG002 - where it is stored does not matter
        return value

    def decrypt(self, data: bytes, key: bytes) -> bytes:  # noqa: ARG002 - as above
        if data.startswith(ENCRYPTED):
            raise Undecipherable
        return data


class _Keyed(Provider):
    kind: str

    def __init__(self, name: str, secret: bytes) -> None:
        self.prefix = f"k8s:enc:{self.kind}:v1:{name}:".encode()
        self.title = f'{self.kind} key "{name}"'
        self.fingerprint = f"{self.kind}:{name}:{hashlib.sha256(b'localplane' + secret).hexdigest()[:16]}"


class AESCBC(_Keyed):
    """Nothing proves that a value is the one that was stored: Kubernetes keeps it for what it has encrypted before."""

    kind = "aescbc"

    def __init__(self, name: str, secret: bytes) -> None:
        super().__init__(name, secret)
        self._algorithm = AES(secret)

    def encrypt(self, value: bytes, key: bytes) -> bytes:  # noqa: ARG002 - where it is stored does not matter
        vector = os.urandom(_VECTOR_BYTES)
        padder = PKCS7(_BLOCK_BITS).padder()
        encryptor = Cipher(self._algorithm, CBC(vector)).encryptor()
        return vector + encryptor.update(padder.update(value) + padder.finalize()) + encryptor.finalize()

    def decrypt(self, data: bytes, key: bytes) -> bytes:  # noqa: ARG002 - as above
        if len(data) <= _VECTOR_BYTES or len(data) % _VECTOR_BYTES:
            raise Undecipherable
        decryptor = Cipher(self._algorithm, CBC(data[:_VECTOR_BYTES])).decryptor()
        unpadder = PKCS7(_BLOCK_BITS).unpadder()
        try:
            return unpadder.update(decryptor.update(data[_VECTOR_BYTES:]) + decryptor.finalize()) + unpadder.finalize()
        except ValueError as error:
            raise Undecipherable from error


class AESGCMProvider(_Keyed):
    kind = "aesgcm"

    def __init__(self, name: str, secret: bytes) -> None:
        super().__init__(name, secret)
        self._cipher = AESGCM(secret)

    def encrypt(self, value: bytes, key: bytes) -> bytes:
        nonce = os.urandom(_NONCE_BYTES)
        return nonce + self._cipher.encrypt(nonce, value, key)

    def decrypt(self, data: bytes, key: bytes) -> bytes:
        if len(data) <= _NONCE_BYTES:
            raise Undecipherable
        try:
            return self._cipher.decrypt(data[:_NONCE_BYTES], data[_NONCE_BYTES:], key)
        except InvalidTag as error:
            raise Undecipherable from error


@dataclass(frozen=True, slots=True)
class Decrypted:
    """`stale` says that it was not the first provider's, so that it should be written anew."""

    value: bytes
    stale: bool


class Providers:
    """Of one resource, in their order: the first encrypts, all of them decrypt."""

    def __init__(self, providers: Sequence[Provider]) -> None:
        self._providers = tuple(providers)
        self.first = providers[0]

    def encrypt(self, value: bytes, key: str) -> bytes:
        if value.startswith(ENCRYPTED):
            return value  # what nobody could decrypt is put back as it was
        return self.first.prefix + self.first.encrypt(value, key.encode())

    def decrypt(self, data: bytes, key: str) -> Decrypted | None:
        """None if none of them can. Several may have keys of one name: a failure of one says nothing about the next."""
        for position, provider in enumerate(self._providers):
            if data.startswith(provider.prefix):
                try:
                    value = provider.decrypt(data[len(provider.prefix) :], key.encode())
                except Undecipherable:
                    continue
                return Decrypted(value, position > 0)
        return None

    def have(self, fingerprint: str) -> bool:
        return any(provider.fingerprint == fingerprint for provider in self._providers)


WITHOUT_ENCRYPTION: Final = Providers((Identity(),))
"""What a resource has that nobody has named."""
