"""What the tests of discovery and OpenAPI install: a core group, a built-in one with two versions, and custom toys."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated, Any

from localplane.apimachinery.groups import GroupVersionKind
from localplane.apimachinery.schema import Field, Schema
from localplane.apiserver.endpoints.discovery import (
    InstalledGroup,
    InstalledResource,
    InstalledSubresource,
    InstalledVersion,
    storage_version_hash,
)
from localplane.apiserver.request import Query, Request, Response

ALL_VERBS = ("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch")
STATUS_VERBS = ("get", "patch", "update")
PATCH_TYPES = ("application/apply-patch+yaml", "application/json-patch+json", "application/merge-patch+json")
AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"


class WidgetSpec:
    """How it should be."""

    size: Annotated[int, Field(description="Its width in millimetres.")]
    colors: list[str] | None = None
    inner: WidgetSpec | None = None


class Widget:
    """Something to play with."""

    spec: WidgetSpec


class Scale:
    """How many there are."""

    __definition__ = "io.k8s.api.autoscaling.v1.Scale"

    replicas: int = 0


class Place:
    """A part of the cluster with a name."""

    __definition__ = "io.k8s.api.core.v1.Namespace"


class Note:
    """Some text."""

    __definition__ = "io.k8s.api.core.v1.ConfigMap"

    data: dict[str, str] | None = None


WIDGET, SCALE, PLACE, NOTE = (Schema.of(each) for each in (Widget, Scale, Place, Note))

STATUS = InstalledSubresource(name="status", kind="Widget", verbs=STATUS_VERBS)
SCALED = InstalledSubresource(
    name="scale",
    kind="Scale",
    verbs=STATUS_VERBS,
    answers=GroupVersionKind("autoscaling", "v1", "Scale"),
    schema=lambda: SCALE,
)
NAMESPACES = InstalledResource(
    name="namespaces",
    singular="namespace",
    namespaced=False,
    kind="Namespace",
    verbs=tuple(verb for verb in ALL_VERBS if verb != "deletecollection"),
    schema=lambda: PLACE,
    short_names=("ns",),
    storage_version_hash=storage_version_hash("", "v1", "Namespace"),
)
CONFIG_MAPS = InstalledResource(
    name="configmaps",
    singular="configmap",
    namespaced=True,
    kind="ConfigMap",
    verbs=ALL_VERBS,
    schema=lambda: NOTE,
    short_names=("cm",),
    patch_types=(*PATCH_TYPES, "application/strategic-merge-patch+json"),
)


def widgets(**changes: Any) -> InstalledResource:
    described: dict[str, Any] = {
        "name": "widgets",
        "singular": "widget",
        "namespaced": True,
        "kind": "Widget",
        "verbs": ALL_VERBS,
        "schema": lambda: WIDGET,
        "short_names": ("wd",),
        "categories": ("all",),
        "subresources": (STATUS, SCALED),
        "patch_types": PATCH_TYPES,
    }
    return InstalledResource(**(described | changes))


CORE = InstalledGroup(
    name="", priority=18000, versions=[InstalledVersion(version="v1", resources=[NAMESPACES, CONFIG_MAPS])]
)
TOYS = InstalledGroup(
    name="toys.example.com",
    versions=[InstalledVersion(version="v1", resources=[widgets()], custom=True, full_kinds=True)],
)
BUILT_IN = InstalledGroup(
    name="play.k8s.io",
    priority=17000,
    preferred_version="v1",
    versions=[
        InstalledVersion(version="v1", resources=[widgets(subresources=(STATUS, SCALED))]),
        InstalledVersion(version="v2", resources=[widgets(name="gadgets", kind="Gadget", subresources=())]),
    ],
)


def request(path: str, accept: str = "", *, method: str = "GET", **headers: str) -> Request:
    where, _, query = path.partition("?")
    values = [pair.partition("=") for pair in query.split("&") if pair]
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    if accept:
        sent["accept"] = accept
    return Request(method, where, Query({name: [value] for name, _, value in values}), sent, _no_body)


async def _no_body(_: int) -> bytes:
    return b""


def body_of(answer: object) -> Any:
    assert isinstance(answer, Response)
    assert isinstance(answer.body, bytes)
    return json.loads(answer.body)


def named(values: Sequence[dict[str, Any]], key: str = "name") -> list[str]:
    return [value[key] for value in values]
