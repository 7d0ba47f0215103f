"""`kctl create ingress`. Kubernetes: kubectl/pkg/cmd/create/create_ingress.go."""

from __future__ import annotations

import re

from kctl.changes.create.generator import GENERATOR_FLAGS, make, metadata, the_name
from kctl.changes.launch.names import int_or_text
from kctl.command_line.command import Command
from kctl.command_line.flags import Flag, FlagSet
from kctl.errors import KctlError
from kctl.session.session import Session
from localplane.apimachinery.objects import JSONObject

_RULE = re.compile(r"[\w*\-.]*/.*=[\w\-]+:[\w\-]+(,tls=?([\w\-]+)?)?", re.ASCII)


async def run(session: Session, flags: FlagSet) -> None:
    name = the_name(session, flags)
    rules, backend = flags.texts("rule"), flags.text("default-backend")
    _check(flags, rules, backend)
    spec: JSONObject = {}
    if flags.text("class"):
        spec["ingressClassName"] = flags.text("class")
    if backend:
        spec["defaultBackend"] = _backend(backend)
    if tls := _tls(rules):
        spec["tls"] = tls
    if rules:
        spec["rules"] = _rules(rules)
    annotations = dict(one.split("=", 1) for one in flags.texts("annotation"))
    obj = {
        "kind": "Ingress",
        "apiVersion": "networking.k8s.io/v1",
        "metadata": metadata(session, name, annotations=dict(sorted(annotations.items()))),
        "spec": spec,
        "status": {"loadBalancer": {}},
    }
    await make(session, flags, obj, "ingresses", failure="failed to create ingress:")


def _check(flags: FlagSet, rules: list[str], backend: str) -> None:
    if not backend and not rules:
        raise KctlError(
            "not enough information provided: every ingress has to either specify a default-backend (which catches all "
            "traffic) or a list of rules (which catch specific paths)"
        )
    for rule in rules:
        # A path with an equals sign passes kubectl's pattern too, and then takes it down.
        if not _RULE.match(rule) or ":" not in rule.split(",")[0].split("/", 1)[1].split("=")[1]:
            raise KctlError(f"rule {rule} is invalid and should be in format host/path=svcname:svcport[,tls[=secret]]")
    for annotation in flags.texts("annotation"):
        if "=" not in annotation:
            raise KctlError(f"annotation {annotation} is invalid and should be in format key=[value]")
    if backend and backend.count(":") != 1:
        raise KctlError("default-backend should be in format servicename:serviceport")


def _backend(text: str) -> JSONObject:
    name, port = text.split(":")[:2]
    number = int_or_text(port)
    return {"service": {"name": name, "port": {"number" if isinstance(number, int) else "name": number}}}


def _tls(rules: list[str]) -> list[JSONObject]:
    """One entry for each secret, with the hosts that use it; a host counts once."""
    entries: dict[str, JSONObject] = {}
    hosts = set()
    for rule in rules:
        parts = rule.split(",")
        host = rule.split("/", 1)[0]
        if len(parts) != 2 or host in hosts:
            continue
        hosts.add(host)
        words = parts[1].split("=")
        secret = words[1] if len(words) > 1 else ""
        if secret in entries:
            entries[secret].setdefault("hosts", []).append(host)
            continue
        entry: JSONObject = {"hosts": [host]} if host else {}
        if secret:
            entry["secretName"] = secret
        if entry:
            entries[secret] = entry
    return [{key: entry[key] for key in ("hosts", "secretName") if key in entry} for entry in entries.values()]


def _rules(rules: list[str]) -> list[JSONObject]:
    """One for each host, in order."""
    by_host: dict[str, JSONObject] = {}
    for rule in rules:
        host, rest = rule.split(",")[0].split("/", 1)
        path = _path(rest)
        if host in by_host:
            by_host[host]["http"]["paths"].append(path)
        else:
            by_host[host] = ({"host": host} if host else {}) | {"http": {"paths": [path]}}
    return list(by_host.values())


def _path(text: str) -> JSONObject:
    path, service = text.split("=")[:2]
    path = f"/{path}"
    prefix = path.endswith("*")
    return {
        "path": path[:-1] if prefix else path,
        "pathType": "Prefix" if prefix else "Exact",
        "backend": _backend(service),
    }


COMMAND = Command(
    "ingress",
    "ingress NAME --rule=host/path=service:port[,tls[=secret]]",
    "Make an ingress: lead requests from outside to services",
    run=run,
    aliases=("ing",),
    flags=(
        *GENERATOR_FLAGS,
        Flag("class", usage="The ingress class, which says who serves it."),
        Flag(
            "rule",
            "array",
            (),
            "host/path=service:port, and behind it ,tls or ,tls=secret; may be repeated. A path that ends in * stands "
            "for all below it.",
        ),
        Flag("default-backend", usage="The service for all other requests, service:port."),
        Flag("annotation", "array", (), "An annotation, key=value; may be repeated."),
    ),
    description="""\
Make an ingress. Each rule leads a host and a path to a port of a service; without a host it is for all hosts. ,tls
asks for encryption with the certificate that the class has by default, ,tls=secret with that of a secret.""",
    examples="""\
# Everything of a host
kctl create ingress web --rule='shop.example.com/*=web:80'

# Two paths, encrypted
kctl create ingress web --rule='shop.example.com/*=web:80,tls=shop' --rule='shop.example.com/api/*=api:http'

# Any host, of a certain class, with an annotation
kctl create ingress any --class=nginx --rule=/status=health:8080 --annotation=example.com/owner=shop

# One service for everything
kctl create ingress all --default-backend=web:80""",
)
