"""Encryption at rest, as kube-apiserver's --encryption-provider-config has it: values are encrypted on their way into
the store, in Kubernetes' own form, so that either reads what the other has stored.

- `configuration`   the file, checked in Kubernetes' words: which resources, which providers, which keys
- `providers`       identity, aescbc and aesgcm: bytes to bytes
- `backend`         a backend on another that encrypts and decrypts; everything above it sees plain values

`compose.storage` puts it between a store and its cache where somebody asks for it; nobody else knows of it. Caches and
snapshots hold plain values.
"""

from .backend import EncryptedBackend
from .configuration import ConfigurationInvalid, EncryptionRules, read_configuration

__all__ = ["ConfigurationInvalid", "EncryptedBackend", "EncryptionRules", "read_configuration"]
