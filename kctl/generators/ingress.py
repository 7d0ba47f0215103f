"""`kctl create ingress`. Kubernetes: kubectl/pkg/cmd/create/create_ingress.go."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kctl.command import Command
from kctl.errors import KctlError
from kctl.flags import Flag
from kctl.launching.names import int_or_text

from .making import GENERATOR_FLAGS, Object, make, metadata, the_name

if TYPE_CHECKING:
    from kctl.flags import Given
    from kctl.session import Session

_RULE = re.compile(r"[\w*\-.]*/.*=[\w\-]+:[\w\-]+(,tls=?([\w\-]+)?)?", re.ASCII)


async def run(session: Session, given: Given) -> None:
    name = the_name(session, given)
    rules, backend = given.texts("rule"), given.text("default-backend")
    _check(given, rules, backend)
    spec: Object = {}
    if given.text("class"):
        spec["ingressClassName"] = given.text("class")
    if backend:
        spec["defaultBackend"] = _backend(backend)
    if tls := _tls(rules):
        spec["tls"] = tls
    if rules:
        spec["rules"] = _rules(rules)
    annotations = dict(one.split("=", 1) for one in given.texts("annotation"))
    obj = {
        "kind": "Ingress",
        "apiVersion": "networking.k8s.io/v1",
        "metadata": metadata(session, name, annotations=dict(sorted(annotations.items()))),
        "spec": spec,
        "status": {"loadBalancer": {}},
    }
    await make(session, given, obj, "ingresses", failure="failed to create ingress:")


def _check(given: Given, rules: list[str], backend: str) -> None:
    if not backend and not rules:
        raise KctlError(
            "not enough information provided: every ingress has to either specify a default-backend (which catches all "
            "traffic) or a list of rules (which catch specific paths)"
        )
    for rule in rules:
        if not _RULE.match(rule):
            raise KctlError(f"rule {rule} is invalid and should be in format host/path=svcname:svcport[,tls[=secret]]")
    for annotation in given.texts("annotation"):
        if "=" not in annotation:
            raise KctlError(f"annotation {annotation} is invalid and should be in format key=[value]")
    if backend and backend.count(":") != 1:
        raise KctlError("default-backend should be in format servicename:serviceport")


def _backend(text: str) -> Object:
    name, port = text.split(":")[:2]
    number = int_or_text(port)
    return {"service": {"name": name, "port": {"number" if isinstance(number, int) else "name": number}}}


def _tls(rules: list[str]) -> list[Object]:
    """One entry for each secret, with the hosts that use it; a host counts once."""
    entries: dict[str, Object] = {}
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
        entry: Object = {"hosts": [host]} if host else {}
        if secret:
            entry["secretName"] = secret
        if entry:
            entries[secret] = entry
    return [{key: entry[key] for key in ("hosts", "secretName") if key in entry} for entry in entries.values()]


def _rules(rules: list[str]) -> list[Object]:
    """One for each host, in order."""
    by_host: dict[str, Object] = {}
    for rule in rules:
        host, rest = rule.split(",")[0].split("/", 1)
        path = _path(rest)
        if host in by_host:
            by_host[host]["http"]["paths"].append(path)
        else:
            by_host[host] = ({"host": host} if host else {}) | {"http": {"paths": [path]}}
    return list(by_host.values())


def _path(text: str) -> Object:
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
    "Create an ingress with the specified name",
    run=run,
    aliases=("ing",),
    flags=(
        *GENERATOR_FLAGS,
        Flag("class", usage="Ingress Class to be used"),
        Flag(
            "rule",
            "array",
            (),
            "Rule in format host/path=service:port[,tls=secretname]. Paths containing the leading character '*' are "
            "considered pathType=Prefix. tls argument is optional.",
        ),
        Flag("default-backend", usage="Default service for backend, in format of svcname:port"),
        Flag("annotation", "array", (), "Annotation to insert in the ingress object, in the format annotation=value"),
    ),
    examples="""\
# Create a single ingress called 'simple' that directs requests to foo.com/bar to svc1:8080 with a TLS secret "my-cert"
kctl create ingress simple --rule="foo.com/bar=svc1:8080,tls=my-cert"

# Create a catch all ingress of "/path" pointing to service svc:port and Ingress Class as "otheringress"
kctl create ingress catch-all --class=otheringress --rule="/path=svc:port"

# Create an ingress with a default backend
kctl create ingress ingdefault --class=default --default-backend=defaultsvc:http \
--rule="foo.com/*=svc:8080,tls=secret1\"""",
)
