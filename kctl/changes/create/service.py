"""Ports as they are typed: `80`, `80:8080`, `80:http`, `http`.

`kctl create service clusterip|nodeport|loadbalancer|externalname`. Kubernetes: create_service.go.
"""

from __future__ import annotations

import re

from kctl.changes.create.generator import GENERATOR_FLAGS, make, metadata, the_name
from kctl.changes.launch.names import int_or_text
from kctl.changes.launch.request import require
from kctl.command_line.command import Command, Run
from kctl.command_line.flags import Flag, FlagSet
from kctl.errors import KctlError
from kctl.session.session import Session
from localplane.apimachinery.names import dns1123_subdomain
from localplane.apimachinery.objects import JSONObject

_LARGEST = 65535
_NAME_MAX = 15


def port_pair(text: str) -> tuple[int, int | str]:
    """`port:targetPort`; the target is the same where none is given. Kubernetes: parsePorts in create_service.go."""
    parts = text.split(":")
    port = _port(parts[0])
    if len(parts) == 1:
        return port, port
    target = int_or_text(parts[1])
    if problems := _name_errors(target) if isinstance(target, str) else _number_errors(target):
        raise KctlError(",".join(problems))
    return port, target


def _port(text: str) -> int:
    if not re.fullmatch(r"[0-9]+", text):
        raise KctlError(f'strconv.ParseUint: parsing "{text}": invalid syntax')
    if int(text) > _LARGEST:
        raise KctlError(f'strconv.ParseUint: parsing "{text}": value out of range')
    return int(text)


def _number_errors(port: int) -> list[str]:
    return [] if 1 <= port <= _LARGEST else [f"must be between 1 and {_LARGEST}, inclusive"]


def _name_errors(name: str) -> list[str]:
    """Kubernetes: validation.IsValidPortName."""
    problems = []
    if len(name) > _NAME_MAX:
        problems.append(f"must be no more than {_NAME_MAX} characters")
    if not re.fullmatch("[-a-z0-9]+", name):
        problems.append("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)")
    if not re.search("[a-z]", name):
        problems.append("must contain at least one letter (a-z)")
    if "--" in name:
        problems.append("must not contain consecutive hyphens")
    if name.startswith("-") or name.endswith("-"):
        problems.append("must not begin or end with a hyphen")
    return problems


def _runs(kind: str) -> Run:
    async def run(session: Session, flags: FlagSet) -> None:
        if kind == "ExternalName":
            require(flags, "external-name")
        name = the_name(session, flags)
        _check(flags, kind)
        await make(
            session,
            flags,
            _service(session, flags, name, kind),
            "services",
            failure=f"failed to create {kind} service:",
            saves=False,  # kubectl has the flag here and forgets to read it
        )

    return run


def _check(flags: FlagSet, kind: str) -> None:
    if not flags.texts("tcp") and kind != "ExternalName" and _text(flags, "clusterip") != "None":
        raise KctlError("at least one tcp port specifier must be provided")
    if kind == "ExternalName" and dns1123_subdomain(flags.text("external-name")):
        raise KctlError(f"invalid service external name {flags.text('external-name')}")


def _text(flags: FlagSet, name: str) -> str:
    return flags.text(name) if flags.known(name) else ""


def _service(session: Session, flags: FlagSet, name: str, kind: str) -> JSONObject:

    ports = []
    for text in flags.texts("tcp"):
        port, target = port_pair(text)
        ports.append({"name": text.replace(":", "-"), "protocol": "TCP", "port": port, "targetPort": target})
        if flags.known("node-port") and flags.number("node-port"):
            ports[-1]["nodePort"] = flags.number("node-port")
    spec = {
        "ports": ports,
        "selector": {"app": name},
        "clusterIP": _text(flags, "clusterip"),
        "type": kind,
        "externalName": _text(flags, "external-name"),
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
