"""Pods as they are served. Kubernetes: pkg/registry/core/pod/storage."""

from __future__ import annotations

from typing import Any

from localplane.apiserver.registry.definition import Definition
from localplane.apiserver.resource import MakeStorage, Resource
from localplane.catalog.declarations import builtin
from localplane.catalog.options import CatalogOptions

from .columns import pod_cells, row_conditions
from .defaults import default_pod
from .status import PodStatusStrategy
from .strategy import PodStrategy
from .subresources.binding import BindingStore
from .subresources.budgets import Budgets
from .subresources.connections import Nodes
from .subresources.eviction import EvictionStore
from .subresources.log import LogStore
from .subresources.proxy import PodProxyStore
from .subresources.spec_parts import ephemeral_containers, resize
from .subresources.streams import StreamStore


def pods(options: CatalogOptions) -> Resource:
    """An eviction asks the budgets, and who connects to a pod is told about its node."""
    strategy = PodStrategy()
    budgets = Budgets(lambda: options.storage_of("policy/poddisruptionbudgets"))
    nodes = Nodes(lambda: options.storage_of("nodes"), options.kubelets)

    def stream(kind: str) -> MakeStorage:
        return lambda definition: StreamStore(definition, nodes, options.demanding or options.authorizer, kind)

    def eviction(definition: Definition) -> EvictionStore:
        return EvictionStore(definition, budgets)

    def log(definition: Definition) -> LogStore:
        return LogStore(definition, nodes)

    return builtin(
        "pods",
        strategy=strategy,
        status_strategy=PodStatusStrategy(strategy),
        default=default_pod,
        cells=pod_cells,
        row_conditions=row_conditions,
        selectable={"status.podIP": _pod_ip, "spec.hostNetwork": _host_network},
        subresources={
            "attach": stream("PodAttachOptions"),
            "binding": BindingStore,
            "ephemeralcontainers": ephemeral_containers,
            "eviction": eviction,
            "exec": stream("PodExecOptions"),
            "log": log,
            "portforward": stream("PodPortForwardOptions"),
            "proxy": PodProxyStore,
            "resize": resize,
        },
    )


def _pod_ip(pod: dict[str, Any]) -> str:
    addresses = (pod.get("status") or {}).get("podIPs") or [{}]
    return str(addresses[0].get("ip") or "")


def _host_network(pod: dict[str, Any]) -> str:
    return "true" if (pod.get("spec") or {}).get("hostNetwork") else "false"
