"""The hash that --append-hash puts behind a name. Kubernetes: kubectl/pkg/util/hash."""

from __future__ import annotations

import hashlib
from typing import Any

from localplane.apimachinery.gotext import go_json

_READABLE = str.maketrans({"0": "g", "1": "h", "3": "k", "a": "m", "e": "t"})


def name_with_hash(name: str, content: dict[str, Any]) -> str:
    """`content` is what the hash is of, the name included."""
    text = go_json(dict(sorted({**content, "name": name}.items())))
    return f"{name}-{hashlib.sha256(text.encode()).hexdigest()[:10].translate(_READABLE)}"
