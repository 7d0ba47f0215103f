"""`kctl create service clusterip|nodeport|loadbalancer|externalname`. Kubernetes: create_service.go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kctl.command import Command, Run
from kctl.errors import KctlError
from kctl.flags import Flag
from kctl.launching.sending import require
from localplane.apimachinery.objects import JSONObject

from .making import GENERATOR_FLAGS, make, metadata, the_name

if TYPE_CHECKING:
    from kctl.flags import Given
    from kctl.session import Session


def _runs(kind: str) -> Run:
    async def run(session: Session, given: Given) -> None:
        if kind == "ExternalName":
            require(given, "external-name")
        name = the_name(session, given)
        _check(given, kind)
        await make(
            session,
            given,
            _service(session, given, name, kind),
            "services",
            failure=f"failed to create {kind} service:",
            saves=False,  # kubectl has the flag here and forgets to read it
        )

    return run


def _check(given: Given, kind: str) -> None:
    if not given.texts("tcp") and kind != "ExternalName" and _text(given, "clusterip") != "None":
        raise KctlError("at least one tcp port specifier must be provided")
    if kind == "ExternalName":
        from localplane.apimachinery.names import dns1123_subdomain

        if dns1123_subdomain(given.text("external-name")):
            raise KctlError(f"invalid service external name {given.text('external-name')}")


def _text(given: Given, name: str) -> str:
    return given.text(name) if given.known(name) else ""


def _service(session: Session, given: Given, name: str, kind: str) -> JSONObject:
    from .ports import port_pair

    ports = []
    for text in given.texts("tcp"):
        port, target = port_pair(text)
        ports.append({"name": text.replace(":", "-"), "protocol": "TCP", "port": port, "targetPort": target})
        if given.known("node-port") and given.number("node-port"):
            ports[-1]["nodePort"] = given.number("node-port")
    spec = {
        "ports": ports,
        "selector": {"app": name},
        "clusterIP": _text(given, "clusterip"),
        "type": kind,
        "externalName": _text(given, "external-name"),
    }
    return {
        "kind": "Service",
        "apiVersion": "v1",
        "metadata": metadata(session, name, labels={"app": name}),
        "spec": {key: value for key, value in spec.items() if value},
        "status": {"loadBalancer": {}},
    }


def _command(name: str, kind: str, usage: str, summary: str, examples: str, *flags: Flag) -> Command:
    tcp = Flag("tcp", "slice", (), "A port, and the pods' port behind it if it is another: 80, 80:8080, 80:http.")
    return Command(
        name,
        f"{name} NAME {usage} [--dry-run=server|client|none]",
        summary,
        run=_runs(kind),
        flags=(*GENERATOR_FLAGS, tcp, *flags),
        description=f"{summary}. It selects pods with the label app=NAME.",
        examples=examples,
    )


COMMAND = Command(
    "service",
    "service",
    "Make a service",
    aliases=("svc",),
    description="Make a service: an address in the cluster, ports on the nodes, a load balancer or another name.",
    commands=(
        _command(
            "clusterip",
            "ClusterIP",
            "[--tcp=<port>:<targetPort>]",
            "Make a service with an address in the cluster",
            """\
# Port 80 leads to port 8080 of the pods
kctl create service clusterip web --tcp=80:8080

# No address: its name leads to the pods themselves
kctl create service clusterip db --clusterip=None""",
            Flag("clusterip", usage="The service's address; None for a service without one."),
        ),
        _command(
            "externalname",
            "ExternalName",
            "--external-name external.name",
            "Make a service that is another name for a host",
            """\
# Call a database outside of the cluster `db`
kctl create service externalname db --external-name=db.example.com""",
            Flag("external-name", usage="The host. Required."),
        ),
        _command(
            "loadbalancer",
            "LoadBalancer",
            "[--tcp=port:targetPort]",
            "Make a service that the cloud gives a load balancer",
            """\
# Port 443 leads to the port called https
kctl create service loadbalancer web --tcp=443:https""",
        ),
        _command(
            "nodeport",
            "NodePort",
            "[--tcp=port:targetPort]",
            "Make a service with a port on every node",
            """\
# On a port that the server chooses
kctl create service nodeport web --tcp=80

# On a certain one
kctl create service nodeport web --tcp=80:8080 --node-port=30080""",
            Flag("node-port", "int", 0, "The port on the nodes. Without it the server chooses."),
        ),
    ),
)
