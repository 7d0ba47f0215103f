"""What connecting to a pod has in common: its container, and the node that runs it.

Kubernetes: pkg/registry/core/pod (validateContainer, streamLocation) and pkg/kubelet/client (GetConnectionInfo).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from localplane.apimachinery.errors import APIError, BadRequest, InternalError, NotFound
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.groups import GroupResource
from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.registry import reads
from localplane.apiserver.registry.definition import Definition
from localplane.apiserver.request import Request
from localplane.catalog.kubelets import Kubelet, KubeletConnections

_KINDS = ("initContainers", "containers", "ephemeralContainers")


async def pod_of(pods: Definition, request: Request, name: str) -> JSONObject:
    """Raises NotFound."""
    return pods.converter.hub_of(await reads.get(pods, request, name, resource_version=""))


def check_container(pod: Mapping[str, Any], container: str) -> None:
    """A container that is named must be there; one that is not must be the only one."""
    name, spec = pod["metadata"]["name"], pod.get("spec") or {}
    names = [each.get("name", "") for kind in _KINDS for each in spec.get(kind) or ()]
    if container:
        if container not in names:
            raise BadRequest(f"container {container} is not valid for pod {name}")
        return
    match len(spec.get("containers") or ()):
        case 1:
            return
        case 0:
            raise BadRequest(f"a container name must be specified for pod {name}")
        case _:
            choice = f"[{' '.join(names)}]"
            raise BadRequest(f"a container name must be specified for pod {name}, choose one of: {choice}")


class Nodes:
    """Where pods run. `definition` finds the nodes' own, once they are served; `connections` know who answers for
    them, if anybody does."""

    def __init__(self, definition: Callable[[], Definition], connections: KubeletConnections | None = None) -> None:
        self._definition = definition
        self.connections = connections

    async def kubelet(self, request: Request, name: str) -> Kubelet:
        """Who answers for a node. Raises APIError if it can't be connected to: nobody here speaks over the network.

        Kubernetes names a missing one after what was asked for: `pods "node-1" not found`.
        """
        nodes = self._definition()
        try:
            node = nodes.converter.hub_of(await reads.get(nodes, request, name, resource_version=""))
        except NotFound:
            raise NotFound.of(GroupResource(request.info.group, request.info.resource), name) from None
        kubelet = self.connections.of(node) if self.connections is not None else None
        if kubelet is None:
            raise _unreachable(node, name)
        return kubelet


def _unreachable(node: Mapping[str, Any], name: str) -> APIError:
    addresses = (node.get("status") or {}).get("addresses") or ()
    if not addresses:
        return APIError("no preferred addresses found; known addresses: []")
    return InternalError.of(f"error dialing backend: nobody connects to nodes here, such as {go_quote(name)}")
