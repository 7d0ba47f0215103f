"""Where a kind keeps the pods it makes. Kubernetes: polymorphichelpers, UpdatePodSpecForObject."""

from __future__ import annotations

from kctl.errors import KctlError
from localplane.apimachinery.objects import JSONObject

_TEMPLATE = ("spec", "template")
_TEMPLATES = {
    ("", "ReplicationController"): _TEMPLATE,
    ("apps", "Deployment"): _TEMPLATE,
    ("apps", "DaemonSet"): _TEMPLATE,
    ("apps", "ReplicaSet"): _TEMPLATE,
    ("apps", "StatefulSet"): _TEMPLATE,
    ("batch", "Job"): _TEMPLATE,
    ("batch", "CronJob"): ("spec", "jobTemplate", "spec", "template"),
}


def pod_spec(obj: JSONObject) -> JSONObject:
    """The spec itself, to be changed in place. Raises KctlError for a kind without pods."""
    group, version, kind = _kind(obj)
    path = ("spec",) if (group, kind) == ("", "Pod") else _TEMPLATES.get((group, kind))
    if path is None:
        raise KctlError(f"the object is not a pod or does not have a pod template: {go_type(obj)}")
    del version
    return _at(obj, path if path == ("spec",) else (*path, "spec"))


def pod_template(obj: JSONObject) -> JSONObject | None:
    """None for a kind that has none."""
    group, _, kind = _kind(obj)
    path = _TEMPLATES.get((group, kind))
    return None if path is None else _at(obj, path)


def go_type(obj: JSONObject) -> str:
    """What Go's %T shows for an object of a known kind."""
    _, version, kind = _kind(obj)
    return f"*{version}.{kind}"


def _kind(obj: JSONObject) -> tuple[str, str, str]:
    group, _, version = str(obj.get("apiVersion", "")).rpartition("/")
    return group, version, str(obj.get("kind", ""))


def _at(obj: JSONObject, path: tuple[str, ...]) -> JSONObject:
    for name in path:
        obj = obj.setdefault(name, {})
    return obj
