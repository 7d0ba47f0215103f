"""Bindings outside of a pod's path, as they were first: a binding names its pod."""

from __future__ import annotations

from localplane.apiserver.registry.definition import Definition
from localplane.apiserver.resource import Resource
from localplane.catalog.declarations import builtin
from localplane.catalog.options import CatalogOptions

from .pods.subresources.binding import LegacyBindingStore


def bindings(options: CatalogOptions) -> Resource:
    """Can only be created, and nothing of it is stored but what it does to the pod."""

    def storage(_: Definition) -> LegacyBindingStore:
        return LegacyBindingStore(lambda: options.storage_of("pods"))

    return builtin("bindings", storage=storage)
