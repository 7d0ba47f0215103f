"""What a document would be built from, in one hash: so the index can name every document's hash and build none."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import fields
from typing import Any

from localplane.apiserver.endpoints.discovery.model import InstalledResource, InstalledSubresource

from .documents import Served


def fingerprint(served: Served, *about: str) -> str:
    """Upper-case hexadecimal, as clients know it. `about` is what else the document says."""
    version = served.version
    said = (*about, served.path, version.custom, [_identity(each) for each in version.resources])
    return _hash(repr(said))


def combined(fingerprints: Iterable[str]) -> str:
    return _hash("".join(fingerprints))


def _hash(text: str) -> str:
    return hashlib.sha512(text.encode()).hexdigest().upper()


def _identity(described: InstalledResource | InstalledSubresource) -> list[Any]:
    """All that is said but the schema itself: only its identity counts."""
    found: list[Any] = []
    for each in fields(described):
        value = getattr(described, each.name)
        if each.name == "subresources":
            value = [_identity(below) for below in value]
        elif each.name == "schema":
            value = value is not None
        found.append(list(value) if isinstance(value, tuple) else value)
    return found
