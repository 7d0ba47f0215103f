"""`kctl create service clusterip|nodeport|loadbalancer|externalname`. Kubernetes: create_service.go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kctl.command import Command, Run
from kctl.errors import KctlError
from kctl.flags import Flag
from kctl.launching.sending import require

from .making import GENERATOR_FLAGS, Object, make, metadata, the_name

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


def _service(session: Session, given: Given, name: str, kind: str) -> Object:
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


def _command(name: str, kind: str, usage: str, example: str, *flags: Flag) -> Command:
    tcp = Flag("tcp", "slice", (), "Port pairs can be specified as '<port>:<targetPort>'.")
    return Command(
        name,
        f"{name} NAME {usage} [--dry-run=server|client|none]",
        f"Create {'an' if kind[0] in 'AEIOU' else 'a'} {kind} service",
        run=_runs(kind),
        flags=(*GENERATOR_FLAGS, tcp, *flags),
        examples=f"# Create a new {kind} service named my-service\nkctl create service {name} my-service {example}",
    )


COMMAND = Command(
    "service",
    "service",
    "Create a service using a specified subcommand",
    aliases=("svc",),
    commands=(
        _command(
            "clusterip",
            "ClusterIP",
            "[--tcp=<port>:<targetPort>]",
            "--tcp=5678:8080",
            Flag(
                "clusterip",
                usage="Assign your own ClusterIP or set to 'None' for a 'headless' service (no loadbalancing).",
            ),
        ),
        _command(
            "externalname",
            "ExternalName",
            "--external-name external.name",
            "--external-name bar.com",
            Flag("external-name", usage="External name of service"),
        ),
        _command("loadbalancer", "LoadBalancer", "[--tcp=port:targetPort]", "--tcp=5678:8080"),
        _command(
            "nodeport",
            "NodePort",
            "[--tcp=port:targetPort]",
            "--tcp=5678:8080",
            Flag("node-port", "int", 0, "Port used to expose the service on each node in a cluster."),
        ),
    ),
)
