"""What several controllers have to know of namespaces: which are active, and that they may go at any time."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final

from localplane.apimachinery.errors import APIError, NotFound
from localplane.client import GroupVersionResource

NAMESPACES: Final = GroupVersionResource("", "v1", "namespaces")
_TERMINATING: Final = "NamespaceTerminating"


def is_active(namespace: Mapping[str, Any] | None) -> bool:
    return namespace is not None and (namespace.get("status") or {}).get("phase") == "Active"


@asynccontextmanager
async def in_namespace() -> AsyncIterator[None]:
    """Creating something in a namespace that goes, or is gone, is no failure: nobody needs it any more."""
    try:
        yield
    except NotFound:
        return
    except APIError as error:
        if not any(cause.reason == _TERMINATING for cause in error.causes):
            raise
