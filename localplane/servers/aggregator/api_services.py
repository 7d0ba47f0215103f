"""APIServices: one object for each version of a group, and who serves it. Kubernetes: kube-aggregator pkg/registry."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, collected, invalid, not_supported, required
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.names import NameValidator, dns1035_label, dns1123_subdomain, path_segment_name
from localplane.apimachinery.objectmeta import validate_object_meta
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import age, now
from localplane.apiserver.registry.strategy import StatusStrategy, Strategy
from localplane.apiserver.request import Request
from localplane.catalog.declarations import builtin, group

_SPEC = Path("spec")


class APIServiceStrategy(Strategy):
    validates_schema = False
    tracks_generation = False

    def prepare_for_create(self, request: Request, obj: JSONObject) -> None:
        """What this server serves itself is there at once."""
        obj["status"] = {} if _spec(obj).get("service") else {"conditions": [local_condition()]}

    def validate(self, request: Request, obj: JSONObject) -> Sequence[FieldError]:
        spec, metadata = _spec(obj), obj["metadata"]
        wanted = f"{spec.get('version', '')}.{spec.get('group', '')}"
        return collected(
            validate_object_meta(metadata, namespaced=False, validate_name=_named(wanted)),
            _spec_errors(spec),
            _service_errors(spec),
        )

    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        return self.validate(request, obj)


class APIServiceStatusStrategy(StatusStrategy):
    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        conditions = (obj.get("status") or {}).get("conditions") or ()
        path = Path("status.conditions")
        return [
            not_supported(path[index] / "status", each.get("status", ""), ("True", "False", "Unknown"))
            for index, each in enumerate(conditions)
            if each.get("status") not in ("True", "False", "Unknown")
        ]


def local_condition() -> JSONObject:
    return {
        "type": "Available",
        "status": "True",
        "lastTransitionTime": now(),
        "reason": "Local",
        "message": "Local APIServices are always available",
    }


def _spec(obj: Mapping[str, Any]) -> JSONObject:
    spec: JSONObject = obj.get("spec") or {}
    return spec


def _named(wanted: str) -> NameValidator:
    def validate(name: str, /, *, prefix: bool = False) -> list[str]:  # noqa: ARG001 - no name is generated here
        problems = path_segment_name(name)
        if problems or name == wanted:
            return problems
        return [f'must be `spec.version+"."+spec.group`: {go_quote(wanted)}']

    return validate


def _spec_errors(spec: JSONObject) -> Iterator[FieldError]:
    group_name, version = spec.get("group", ""), spec.get("version", "")
    if not group_name and version != "v1":
        yield required(_SPEC / "group", "only v1 may have an empty group and it better be legacy kube")
    if group_name:
        yield from (invalid(_SPEC / "group", group_name, problem) for problem in dns1123_subdomain(group_name))
    yield from (invalid(_SPEC / "version", version, problem) for problem in dns1035_label(version))
    for field, most in (("groupPriorityMinimum", 20000), ("versionPriority", 1000)):
        value = spec.get(field, 0)
        if not 0 < value <= most:
            yield invalid(_SPEC / field, value, f"must be positive and less than {most}")


def _service_errors(spec: JSONObject) -> Iterator[FieldError]:
    service, bundle = spec.get("service"), base64.b64decode(spec.get("caBundle", ""))
    skips = spec.get("insecureSkipTLSVerify", False)
    skips_path = _SPEC / "insecureSkipTLSVerify"
    if service is None:
        if bundle:
            yield invalid(_SPEC / "caBundle", f"{len(bundle)} bytes", "local APIServices may not have a caBundle")
        if skips:
            yield invalid(skips_path, skips, "local APIServices may not have insecureSkipTLSVerify")
        return
    path = _SPEC / "service"
    yield from (required(path / field) for field in ("namespace", "name") if not service.get(field))
    port = service.get("port", 0)
    if not 0 < port < 65536:
        yield invalid(path / "port", port, "port is not valid: must be between 1 and 65535, inclusive")
    if skips and bundle:
        yield invalid(skips_path, skips, "may not be true if caBundle is present")


def _default(obj: JSONObject) -> None:
    service = _spec(obj).get("service")
    if service is not None:
        service.setdefault("port", 443)


def _cells(obj: JSONObject) -> list[Any]:
    metadata, service = obj["metadata"], _spec(obj).get("service")
    where = f"{service.get('namespace', '')}/{service.get('name', '')}" if service else "Local"
    return [metadata["name"], where, _availability(obj), age(metadata.get("creationTimestamp"))]


def _availability(obj: JSONObject) -> str:
    for each in (obj.get("status") or {}).get("conditions") or ():
        if each.get("type") == "Available":
            status, reason = each.get("status", ""), each.get("reason")
            return f"{status} ({reason})" if reason and status != "True" else status
    return "Unknown"


API_SERVICES = builtin(
    "apiregistration.k8s.io/apiservices",
    strategy=APIServiceStrategy(),
    status_strategy=APIServiceStatusStrategy,
    default=_default,
    cells=_cells,
)

GROUP = group("apiregistration.k8s.io", API_SERVICES)
