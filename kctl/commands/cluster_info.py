"""`kctl cluster-info`: where the control plane is. Kubernetes: kubectl/pkg/cmd/clusterinfo."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kctl.command import Command

if TYPE_CHECKING:
    from kctl.flags import Given
    from kctl.session import Session

_LABEL = "kubernetes.io/cluster-service=true"


async def run(session: Session, given: Given) -> None:
    from localplane.client.names import GroupVersionResource
    from localplane.client.options import ListOptions

    server = session.client_config.server
    services = session.client.resource(
        GroupVersionResource("", "v1", "services"), given.text("namespace") or "kube-system"
    )
    try:
        found = await services.list(ListOptions(label_selector=_LABEL))
        session.write(f"Kubernetes control plane is running at {server}\n")
        for service in found.get("items") or ():
            metadata = service.get("metadata") or {}
            name = (metadata.get("labels") or {}).get("kubernetes.io/name") or metadata.get("name", "")
            session.write(f"{name} is running at {_link(server, service)}\n")
    finally:
        session.write("\nTo further debug and diagnose cluster problems, use 'kctl cluster-info dump'.\n")


def _link(server: str, service: dict[str, Any]) -> str:
    ingress = ((service.get("status") or {}).get("loadBalancer") or {}).get("ingress") or ()
    ports = (service.get("spec") or {}).get("ports") or ()
    if ingress:
        address = ingress[0].get("ip") or ingress[0].get("hostname", "")
        return "".join(f"http://{address}:{port.get('port')} " for port in ports)
    metadata = service.get("metadata") or {}
    name = metadata.get("name", "")
    if ports:
        port = ports[0].get("name", "")
        is_secure = port == "https" or ports[0].get("port") == 443
        name = f"https:{name}:{port}" if is_secure else (f"{name}:{port}" if port else name)
    return f"{server}/api/v1/namespaces/{metadata.get('namespace', '')}/services/{name}/proxy"


COMMAND = Command(
    "cluster-info",
    "cluster-info",
    "Display cluster information",
    run=run,
    description="""\
Display addresses of the control plane and services with label kubernetes.io/cluster-service=true.

To further debug and diagnose cluster problems, use 'kctl cluster-info dump'.""",
    examples="# Print the address of the control plane and cluster services\nkctl cluster-info",
)
