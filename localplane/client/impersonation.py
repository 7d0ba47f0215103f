"""The headers that say in whose name a request is made."""

from __future__ import annotations

from .kubeconfig.connection import Impersonation
from .urls import escaped


def impersonation_headers(impersonate: Impersonation | None) -> list[tuple[str, str]]:
    if impersonate is None:
        return []
    headers = [("Impersonate-User", impersonate.user)]
    if impersonate.uid:
        headers.append(("Impersonate-Uid", impersonate.uid))
    headers += [("Impersonate-Group", group) for group in impersonate.groups]
    for key, values in impersonate.extra.items():
        # A header's name is not free text; the server decodes it.
        headers += [(f"Impersonate-Extra-{escaped(key)}", value) for value in values]
    return headers
