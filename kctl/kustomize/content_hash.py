"""The hash behind the name of a config map or secret, which changes with its content.

--append-hash of create puts it there, and kustomize. Kubernetes: kubectl/pkg/util/hash, kustomize's api/hasher.
"""

from __future__ import annotations

import hashlib
from typing import Any

from localplane.apimachinery.gotext import go_json
from localplane.apimachinery.objects import sorted_keys

_LENGTH = 10
_READABLE = str.maketrans("013ae", "ghkmt")
"""No vowels, and nothing that looks like a vowel: no hash is a word."""


def content_hash(content: dict[str, Any]) -> str:
    digest = hashlib.sha256(go_json(sorted_keys(content)).encode()).hexdigest()
    return digest[:_LENGTH].translate(_READABLE)
