"""The hash of a storage version. Kubernetes: endpoints/discovery/storageversionhash.go."""

from __future__ import annotations

import hashlib
from base64 import b64encode


def storage_version_hash(group: str, version: str, kind: str) -> str:
    """Equal hashes, equal storage: migrators compare it between resources and over time."""
    return b64encode(hashlib.sha256(f"{group}/{version}/{kind}".encode()).digest()[:8]).decode()
