"""Discovery documents in the shape in which a kube-apiserver sends them, cut down to what the tests look at."""

from __future__ import annotations

from typing import Any

from localplane.apimachinery.objects import JSONObject
from localplane.client.transport.interface import BufferedResponse
from tests.unit.client.in_process import Asked, answer

VERBS = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"]


def _resource(
    name: str,
    kind: str,
    *short_names: str,
    scope: str = "Namespaced",
    group: str = "",
    version: str = "v1",
    **rest: Any,
) -> JSONObject:
    return {
        "resource": name,
        "responseKind": {"group": group, "version": version, "kind": kind},
        "scope": scope,
        "singularResource": kind.lower(),
        "verbs": VERBS,
        "shortNames": list(short_names),
        **rest,
    }


def _version(name: str, *resources: JSONObject, freshness: str = "Current") -> JSONObject:
    return {"version": name, "freshness": freshness, "resources": list(resources)}


def _aggregated(**groups: list[JSONObject]) -> JSONObject:
    """Groups by name, with `__` for a dot."""
    items = [
        {"metadata": {"name": name.replace("__", ".")} if name != "core" else {}, "versions": versions}
        for name, versions in groups.items()
    ]
    return {
        "kind": "APIGroupDiscoveryList",
        "apiVersion": "apidiscovery.k8s.io/v2",
        "metadata": {},
        "items": items,
    }


EVICTION: JSONObject = {
    "subresource": "eviction",
    "responseKind": {"group": "policy", "version": "v1", "kind": "Eviction"},
    "verbs": ["create"],
}
LOG: JSONObject = {"subresource": "log", "responseKind": {"group": "", "version": "", "kind": ""}, "verbs": ["get"]}

AGGREGATED_CORE = _aggregated(
    core=[
        _version(
            "v1",
            _resource("events", "Event", "ev"),
            _resource("namespaces", "Namespace", "ns", scope="Cluster"),
            _resource("pods", "Pod", "po", categories=["all"], subresources=[EVICTION, LOG]),
            _resource("services", "Service", "svc"),
        )
    ]
)

_AUTOSCALER = ("horizontalpodautoscalers", "HorizontalPodAutoscaler", "hpa")
AGGREGATED_NAMED = _aggregated(
    apps=[_version("v1", _resource("deployments", "Deployment", "deploy", group="apps"))],
    events__k8s__io=[_version("v1", _resource("events", "Event", "ev", group="events.k8s.io"))],
    autoscaling=[
        _version(version, _resource(*_AUTOSCALER, group="autoscaling", version=version)) for version in ("v2", "v1")
    ],
    serving__example__com=[
        _version("v1", _resource("services", "Service", "svc", "ksvc", group="serving.example.com")),
        _version("v1alpha1", freshness="Stale"),
    ],
)

LEGACY_CORE: JSONObject = {"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": []}

LEGACY_NAMED: JSONObject = {
    "kind": "APIGroupList",
    "apiVersion": "v1",
    "groups": [
        {
            "name": name,
            "versions": [{"groupVersion": f"{name}/{version}", "version": version} for version in versions],
            "preferredVersion": {"groupVersion": f"{name}/{versions[0]}", "version": versions[0]},
        }
        for name, versions in {"apps": ["v1"], "autoscaling": ["v2", "v1"]}.items()
    ],
}


def _legacy(group_version: str, *resources: JSONObject) -> JSONObject:
    return {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": group_version, "resources": list(resources)}


def _named(name: str, kind: str, singular: str, *, namespaced: bool = True, **rest: Any) -> JSONObject:
    return {"name": name, "singularName": singular, "namespaced": namespaced, "kind": kind, "verbs": VERBS, **rest}


LEGACY_RESOURCES: dict[str, JSONObject] = {
    "/api/v1": _legacy(
        "v1",
        _named("namespaces", "Namespace", "namespace", namespaced=False, shortNames=["ns"]),
        _named("pods", "Pod", "pod", shortNames=["po"], categories=["all"]),
        _named("pods/eviction", "Eviction", "", group="policy", version="v1"),
    ),
    "/apis/apps/v1": _legacy(
        "apps/v1",
        _named("deployments", "Deployment", "deployment", shortNames=["deploy"]),
        _named("deployments/scale", "Scale", "", group="autoscaling", version="v1"),
    ),
    "/apis/autoscaling/v2": _legacy(
        "autoscaling/v2", _named("horizontalpodautoscalers", "HorizontalPodAutoscaler", "", shortNames=["hpa"])
    ),
}

AGGREGATED_TYPE = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"


def aggregating(asked: Asked) -> BufferedResponse:
    """The two answers of a server that has aggregated discovery, if it is asked for it."""
    assert AGGREGATED_TYPE in asked.headers["Accept"]
    body = AGGREGATED_CORE if asked.path == "/api" else AGGREGATED_NAMED
    return BufferedResponse(200, [("Content-Type", AGGREGATED_TYPE)], answer(200, body).body)
