"""The service that exposes an object: which ports, which protocols, which pods. Kubernetes: cmd/expose/expose.go."""

from __future__ import annotations

from kctl.changes.launch.names import int_or_text, labels_of
from kctl.command_line.flags import FlagSet
from kctl.errors import KctlError
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.objects import JSONObject

_NAME_MAX = 63
_EXPOSABLE = (
    ("", "ReplicationController"),
    ("", "Service"),
    ("", "Pod"),
    ("apps", "Deployment"),
    ("apps", "ReplicaSet"),
    ("extensions", "Deployment"),
    ("extensions", "ReplicaSet"),
)


class Exposing:
    """What was asked for. What was left out is taken from the first object, and stays for those that follow."""

    def __init__(self, flags: FlagSet) -> None:
        self._flags = flags
        self._selector = labels_of(flags.text("selector"))
        self._labels = labels_of(flags.text("labels"))
        self._ports = [flags.text("port")] if flags.text("port") else []

    def service(self, group: str, kind: str, obj: JSONObject) -> JSONObject:
        flags = self._flags
        if (group, kind) not in _EXPOSABLE:
            raise KctlError(f"cannot expose a {kind}.{group}" if group else f"cannot expose a {kind}")
        self._selector = self._selector or _selector(kind, obj)
        if not self._ports:
            self._ports = list(dict.fromkeys(port for port, _ in _port_pairs(kind, obj)))
            if not self._ports and flags.text("cluster-ip") != "None":
                raise KctlError("couldn't find port via --port flag or introspection")
        self._labels = self._labels or dict(sorted(_of(obj, "metadata", "labels").items()))
        metadata: JSONObject = {"name": flags.text("name") or str(_of(obj, "metadata").get("name", ""))[:_NAME_MAX]}
        if self._labels:
            metadata["labels"] = self._labels
        return {
            "kind": "Service",
            "apiVersion": "v1",
            "metadata": metadata,
            "spec": self._spec(self._service_ports(_protocols(kind, obj))),
            "status": {"loadBalancer": {}},
        }

    def _service_ports(self, protocols: dict[str, list[str]]) -> list[JSONObject]:
        ports: list[JSONObject] = []
        wanted = self._ports[0].split(",") if len(self._ports) == 1 else self._ports
        for number, text in enumerate(wanted, start=1):
            port = _integer(text)
            name = f"port-{number}" if len(wanted) > 1 else ""
            protocol = self._flags.text("protocol")
            known = [] if protocol else protocols.get(text, [])
            if len(known) > 1:
                ports += [_port(f"port-{number}-{each.lower()}", each, port) for each in known]
            else:
                ports.append(_port(name, protocol or (known or ["TCP"])[0], port))
        target = self._flags.text("target-port")
        return [port | {"targetPort": int_or_text(target) if target else port["port"]} for port in ports]

    def _spec(self, ports: list[JSONObject]) -> JSONObject:
        flags = self._flags
        affinity, kind = flags.text("session-affinity"), flags.text("type")
        if affinity not in ("", "None", "ClientIP"):
            raise KctlError(f"unknown session affinity: {affinity}")
        spec: JSONObject = {
            "ports": ports,
            "selector": self._selector,
            "clusterIP": flags.text("cluster-ip"),
            "type": kind,
            "externalIPs": [flags.text("external-ip")] if flags.text("external-ip") else None,
            "sessionAffinity": affinity,
            "loadBalancerIP": flags.text("load-balancer-ip") if kind == "LoadBalancer" else "",
        }
        return {key: value for key, value in spec.items() if value}


def _port(name: str, protocol: str, port: int) -> JSONObject:
    named = {"name": name} if name else {}
    return {**named, "protocol": protocol, "port": port}


def _integer(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise KctlError(f"strconv.Atoi: parsing {go_quote(text)}: invalid syntax") from None


def _of(obj: JSONObject, *path: str) -> JSONObject:
    for name in path:
        obj = obj.get(name) or {}
    return obj


def _selector(kind: str, obj: JSONObject) -> dict[str, str]:
    """Kubernetes: polymorphichelpers.mapBasedSelectorForObject."""
    problem, found = "", {}
    match kind:
        case "Pod":
            found = _of(obj, "metadata", "labels")
            problem = "" if found else "the pod has no labels and cannot be exposed"
        case "Service" | "ReplicationController":
            found = _of(obj, "spec", "selector")
            problem = "" if found or kind != "Service" else "the service has no pod selector set"
        case _:
            found = _of(obj, "spec", "selector", "matchLabels")
            expressions = _of(obj, "spec", "selector").get("matchExpressions")
            if not found:
                problem = f"invalid {kind.lower()}: no selectors, therefore cannot be exposed"
            elif expressions:
                shown = " ".join(map(_expression, expressions))
                problem = f'couldn\'t convert expressions - "[{shown}]" to map-based selector format'
    if problem:
        raise KctlError(f"couldn't retrieve selectors via --selector flag or introspection: {problem}")
    if not found:
        raise KctlError("selector must be specified")
    return dict(sorted(found.items()))


def _expression(one: JSONObject) -> str:
    """Go's %+v."""
    values = " ".join(one.get("values") or ())
    return f"{{Key:{one.get('key')} Operator:{one.get('operator')} Values:[{values}]}}"


def _port_pairs(kind: str, obj: JSONObject) -> list[tuple[str, str]]:
    """Every port with its protocol."""
    if kind == "Service":
        ports = _of(obj, "spec").get("ports") or []
        return [(str(port.get("port")), port.get("protocol") or "TCP") for port in ports]
    spec = _of(obj, "spec") if kind == "Pod" else _of(obj, "spec", "template", "spec")
    return [
        (str(port.get("containerPort")), port.get("protocol") or "TCP")
        for container in spec.get("containers") or ()
        for port in container.get("ports") or ()
    ]


def _protocols(kind: str, obj: JSONObject) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for port, protocol in _port_pairs(kind, obj):
        found.setdefault(port, []).append(protocol)
    return found
