"""`kctl cluster-info`: where the control plane is. Kubernetes: kubectl/pkg/cmd/clusterinfo."""

from __future__ import annotations

from kctl import program
from kctl.command_line.command import Command
from kctl.command_line.flags import Flag, FlagSet
from kctl.command_line.standard_flags import ALL_NAMESPACES, pod_running_timeout
from kctl.printers import typed
from kctl.printers.choice import output_flags
from kctl.session.session import Session
from kctl.streaming import pods
from kctl.views import cluster_dump
from localplane.apimachinery.light_typing import Any
from localplane.client.rest import options
from localplane.client.rest.names import GroupVersionResource

_EXTENSIONS = {"json": ".json", "yaml": ".yaml"}
_LABEL = "kubernetes.io/cluster-service=true"


async def run(session: Session, flags: FlagSet) -> None:
    server = session.client_config.server
    services = session.client.resource(
        GroupVersionResource("", "v1", "services"), flags.text("namespace") or "kube-system"
    )
    try:
        found = await services.list(options.ListOptions(label_selector=_LABEL))
        session.write(f"Kubernetes control plane is running at {server}\n")
        for service in found.get("items") or ():
            metadata = service.get("metadata") or {}
            name = (metadata.get("labels") or {}).get("kubernetes.io/name") or metadata.get("name", "")
            session.write(f"{name} is running at {_link(server, service)}\n")
    finally:
        session.write(f"\nTo further debug and diagnose cluster problems, use '{program.name()} cluster-info dump'.\n")


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


async def dump(session: Session, flags: FlagSet) -> None:
    printer = typed.printer_for(flags, "")
    if flags.text("output").lower() == "name":
        printer = cluster_dump.RefusingPrinter()
    session.client_config  # noqa: B018 - whether there is one is asked before the flags below are looked at
    pods.timeout_of(flags)
    output, directory = flags.text("output"), flags.text("output-directory")
    writing = cluster_dump.Dump(session, printer, directory=directory, extension=_EXTENSIONS.get(output, ".txt"))
    await writing.nodes()
    if flags.is_on("all-namespaces"):
        names = await writing.namespaces()
    else:
        names = flags.texts("namespaces") or ["kube-system", session.namespace]
    for name in names:
        await writing.namespace(name)
    if directory and directory != "-":
        session.write(f"Cluster info dumped to {directory}\n")


COMMAND = Command(
    "cluster-info",
    "cluster-info",
    "Show where the control plane and its services are",
    run=run,
    commands=(
        Command(
            "dump",
            "dump",
            "Write down the state of the cluster, for somebody who looks for a fault",
            run=dump,
            flags=(
                ALL_NAMESPACES._replace(usage="Dump every namespace; --namespaces is not looked at."),
                Flag("namespaces", "slice", (), "Dump these namespaces instead, with commas between them."),
                Flag(
                    "output-directory",
                    usage="Write files below this directory, which is made if it is not there. Empty or '-': stdout.",
                ),
                *output_flags(default="json"),
                pod_running_timeout(20),
            ),
            description="""\
Write down what helps to find a fault in a cluster: its nodes, and of each namespace the events, replication
controllers, services, daemon sets, deployments, replica sets, pods, and the logs of all containers.

The namespaces are kube-system and the current one, unless --namespaces or --all-namespaces say otherwise. Everything
goes to stdout, or into one file per list below --output-directory: nodes.json, NAMESPACE/pods.json,
NAMESPACE/POD/logs.txt. Logs may contain secrets, so only you can read these files.""",
            examples="""\
# Look at everything, page by page
kctl cluster-info dump | less

# Collect it in files, to attach them to a bug report
kctl cluster-info dump --all-namespaces --output-directory=/tmp/cluster-state

# Two namespaces, as YAML
kctl cluster-info dump --namespaces=shop,kube-system -o yaml""",
        ),
    ),
    description="""\
Show the address of the control plane, and those of the services in kube-system (or the namespace of -n) that have the
label kubernetes.io/cluster-service=true.""",
    examples="""\
# Where is the cluster that I am talking to?
kctl cluster-info

# And its state, for a bug report
kctl cluster-info dump --output-directory=/tmp/cluster-state""",
)
