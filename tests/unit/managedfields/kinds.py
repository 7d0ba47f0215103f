"""Kinds that the tests share: two in the shape of built-in ones, and a custom resource."""

# ruff: noqa: N815 - the names on the wire

from __future__ import annotations

from typing import Annotated, Any

from localplane.apimachinery.groups import GroupVersion
from localplane.apimachinery.managedfields import FieldManager, of_paths
from localplane.apimachinery.schema import Field, Int32, IntOrString, ObjectMeta, Quantity, Schema

FIRST, SECOND, THIRD = "2026-01-01T00:00:01Z", "2026-01-01T00:00:02Z", "2026-01-01T00:00:03Z"


class ConfigMap:
    metadata: ObjectMeta
    data: dict[str, str] | None = None
    immutable: bool | None = None


class EnvVar:
    name: str
    value: str = ""


class ContainerPort:
    name: str = ""
    containerPort: Int32
    protocol: Annotated[str, Field(default="TCP")] = ""


class Resources:
    limits: dict[str, Quantity] | None = None


class Container:
    name: str
    image: str = ""
    args: list[str] | None = None
    env: Annotated[list[EnvVar] | None, Field(patch_strategy="merge", patch_merge_key="name")] = None
    ports: Annotated[
        list[ContainerPort] | None, Field(list_type="map", list_map_keys=["containerPort", "protocol"])
    ] = None
    resources: Resources = Resources()


class PodSpec:
    containers: Annotated[list[Container], Field(list_type="map", list_map_keys=["name"])]
    gates: Annotated[list[str] | None, Field(list_type="set")] = None


class Template:
    metadata: ObjectMeta = ObjectMeta()
    spec: PodSpec


class Selector:
    __map_type__ = "atomic"

    matchLabels: dict[str, str] | None = None


class DeploymentSpec:
    replicas: Int32 | None = None
    selector: Selector | None = None
    surge: IntOrString | None = None
    template: Template


class Condition:
    type: str
    status: str = ""


class DeploymentStatus:
    replicas: Int32 = 0
    conditions: Annotated[list[Condition] | None, Field(list_type="map", list_map_keys=["type"])] = None


class Deployment:
    metadata: ObjectMeta
    spec: DeploymentSpec
    status: DeploymentStatus = DeploymentStatus()


WIDGET = {
    "type": "object",
    "properties": {
        "spec": {
            "type": "object",
            "properties": {
                "size": {"type": "integer"},
                "whole": {
                    "type": "object",
                    "x-kubernetes-map-type": "atomic",
                    "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
                },
                "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
                "anything": {"x-kubernetes-preserve-unknown-fields": True},
                "steps": {"type": "array", "items": {"type": "string"}},
                "tags": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"},
                "parts": {
                    "type": "array",
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["name"],
                    "items": {
                        "type": "object",
                        "properties": {"name": {"type": "string"}, "n": {"type": "integer"}, "on": {"type": "boolean"}},
                    },
                },
            },
        },
    },
}

config_maps = FieldManager(Schema.of(ConfigMap), GroupVersion("", "v1"), "ConfigMap")
deployments = FieldManager(
    Schema.of(Deployment), GroupVersion("apps", "v1"), "Deployment", reset_fields={"apps/v1": of_paths(("f:status",))}
)
deployment_status = FieldManager(
    Schema.of(Deployment),
    GroupVersion("apps", "v1"),
    "Deployment",
    subresource="status",
    reset_fields={"apps/v1": of_paths(("f:spec",))},
)
widgets = FieldManager(Schema.of(WIDGET), GroupVersion("example.com", "v1"), "Widget")


def config_map(data: dict[str, Any] | None = None, **metadata: Any) -> dict[str, Any]:
    found: dict[str, Any] = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", **metadata}}
    return found if data is None else {**found, "data": data}


def deployment(containers: list[dict[str, Any]] | None = None, **spec: Any) -> dict[str, Any]:
    template = {} if containers is None else {"template": {"spec": {"containers": containers}}}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}, "spec": {**template, **spec}}


def widget(**spec: Any) -> dict[str, Any]:
    return {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "w"}, "spec": spec}


def stored(obj: dict[str, Any]) -> dict[str, Any]:
    """The object as it is after its creation: it has an identity."""
    return {**obj, "metadata": {**obj["metadata"], "uid": "u", "creationTimestamp": FIRST}}


def owned(obj: dict[str, Any]) -> dict[str, Any]:
    """The fields of each manager, by its name."""
    return {entry["manager"]: entry["fieldsV1"] for entry in obj["metadata"].get("managedFields", [])}


def names(obj: dict[str, Any]) -> list[str]:
    return [entry["manager"] for entry in obj["metadata"].get("managedFields", [])]
