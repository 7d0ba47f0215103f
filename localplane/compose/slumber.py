"""How long controllers may sleep in a branch: what its trunk had was in order, so there is nothing to do before
something happens that concerns them.

To start them takes ten times as long as the rest of a branch, and many tests write custom resources only. They sleep
through objects that no controller has ever a thing to do with: custom resources and plain data that nobody owns.
Whatever else is written, and whatever is deleted, wakes all of them; and so do things in the trunk that were not done
with.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Any, Final

from localplane.apiserver.dialects import STRUCT_KINDS
from localplane.apiserver.registry.definition import Definition
from localplane.apiserver.storage.errors import StorageError
from localplane.apiserver.storage.interface import EventType, WatchOptions
from localplane.apiserver.storage.objects import StoredObject

from .kernel import Kernel
from .options import ClusterOptions

_QUIET: Final = frozenset(
    (
        "configmaps",
        "secrets",
        "events",
        "events.k8s.io/events",
        "coordination.k8s.io/leases",
        "apiextensions.k8s.io/customresourcedefinitions",
        "apiregistration.k8s.io/apiservices",
        "flowcontrol.apiserver.k8s.io/flowschemas",
        "networking.k8s.io/servicecidrs",
    )
)
"""Plain data, and what servers keep up themselves."""

_SETTLED: Final = frozenset(
    (
        "namespaces",
        "nodes",
        "serviceaccounts",
        "rbac.authorization.k8s.io/clusterroles",
        "rbac.authorization.k8s.io/clusterrolebindings",
        "rbac.authorization.k8s.io/roles",
        "rbac.authorization.k8s.io/rolebindings",
        "flowcontrol.apiserver.k8s.io/prioritylevelconfigurations",
        "scheduling.k8s.io/priorityclasses",
        "storage.k8s.io/storageclasses",
        "networking.k8s.io/ipaddresses",
        "storage.k8s.io/csinodes",
    )
)
"""What a fresh cluster has, and what is as it should be once controllers have seen it."""

_OWN_SERVICE: Final = ("services", "endpoints", "discovery.k8s.io/endpointslices")
_OWN_SERVICE_NAME: Final = "default/kubernetes"
_ROOT_CA: Final = "kube-root-ca.crt"
_CONCERNS: Final = (b'"ownerReferences"', b'"deletionTimestamp"', b'"kubernetes.io/service-account-token"')


async def slept(kernel: Kernel[Any], options: ClusterOptions) -> None:
    """Until controllers are needed in this branch."""
    loud = {_name(each): each.prefix for each in kernel.installer.definitions() if each.dialect is STRUCT_KINDS}
    for name in _QUIET:
        loud.pop(name, None)
    if not _is_at_rest(kernel, options, loud):
        return
    cacher = kernel.storage.cacher
    prefixes = frozenset(loud.values())
    with suppress(StorageError):  # nobody can tell what happens: better awake
        watch = await cacher.resource("/").watch("/", WatchOptions(resource_version=str(cacher.revision)))
        try:
            async for event in watch:
                stored = event.object
                if (
                    event.type is EventType.DELETED
                    or stored is None
                    or _concerns(stored, stored.key[len(cacher.root) :], prefixes)
                ):
                    return
        finally:
            await watch.stop()


def _is_at_rest(kernel: Kernel[Any], options: ClusterOptions, loud: dict[str, str]) -> bool:
    """Whether the trunk has nothing but what a fresh cluster has after a moment, and data."""
    cacher = kernel.storage.cacher
    for name, prefix in loud.items():
        entries = cacher.index.listing(cacher.root + prefix).entries
        if name in _OWN_SERVICE:
            own = (cacher.root + prefix + _OWN_SERVICE_NAME,)
            if any(not entry.key.startswith(own) for entry in entries):
                return False
        elif name not in _SETTLED and entries:
            return False
    if cacher.count(loud["nodes"]) < options.simulated_nodes:
        return False
    everything: Iterable[Any] = cacher.index.listing(cacher.root + "/").entries
    if any(isinstance(entry, StoredObject) and b'"deletionTimestamp"' in entry.data for entry in everything):
        return False
    certificate = f"{cacher.root}/configmaps/default/{_ROOT_CA}"
    return options.names_parts or cacher.index.get(certificate) is not None


def _concerns(stored: StoredObject, place: str, loud: frozenset[str]) -> bool:
    if any(word in stored.data for word in _CONCERNS) or stored.key.endswith(f"/{_ROOT_CA}"):
        return True
    _, first, second, *_ = place.split("/", 3)  # a prefix has one name or two
    return f"/{first}/" in loud or f"/{first}/{second}/" in loud


def _name(definition: Definition) -> str:
    group, plural = definition.resource.group, definition.resource.resource
    return f"{group}/{plural}" if group else plural
