"""Resources of every sort that the generic code distinguishes, none of them real."""

# ruff: noqa: N815, RUF012 - fields are named as the API names them, and the classes are never instantiated

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, invalid
from localplane.apimachinery.groups import GroupVersion
from localplane.apimachinery.names import dns1123_subdomain
from localplane.apimachinery.objectmeta import validate_object_meta
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.schema import Bytes, Int32
from localplane.apiserver.dialects import CUSTOM_KINDS
from localplane.apiserver.registry import reads
from localplane.apiserver.registry.definition import Definition
from localplane.apiserver.registry.rest import (
    Creater,
    DeleteOptions,
    Getter,
    Lister,
    ListOptions,
    NamedCreater,
    Result,
    ResultList,
    ValidateCreate,
    WriteOptions,
)
from localplane.apiserver.registry.strategy import Strategy
from localplane.apiserver.request import Request
from localplane.apiserver.resource import APIGroup, Column, Resource, Subresource, Version
from localplane.apiserver.storage.objects import StoredObject


class ConfigMap:
    data: dict[str, str] = {}
    binaryData: dict[str, Bytes] = {}
    immutable: bool | None = None


class Namespace:
    spec: dict[str, str] = {}


class PodSpec:
    nodeName: str = ""
    terminationGracePeriodSeconds: int | None = None
    replicas: Int32 = 0


class Pod:
    spec: PodSpec
    status: dict[str, str] = {}


class Lease:
    spec: dict[str, str] = {}


class Binding:
    target: dict[str, str]


def _spec(obj: JSONObject) -> JSONObject:
    spec: JSONObject = obj.get("spec") or {}
    return spec


class ConfigMapStrategy(Strategy):
    """As most built-in kinds: names are checked, a generation is not kept, and PUT may be unconditional."""

    allow_unconditional_update = True
    tracks_generation = False

    def __init__(self, *, namespaced: bool = True) -> None:
        self._namespaced = namespaced

    def validate(self, request: Request, obj: JSONObject) -> Sequence[FieldError]:
        return validate_object_meta(obj["metadata"], namespaced=self._namespaced, validate_name=dns1123_subdomain)


class PodStrategy(ConfigMapStrategy):
    """Goes gracefully when it is on a node."""

    tracks_generation = True

    def prepare_for_create(self, request: Request, obj: JSONObject) -> None:
        obj["status"] = {"phase": "Pending"}

    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        if _spec(obj).get("nodeName") != _spec(old).get("nodeName"):
            return [invalid("spec.nodeName", _spec(obj).get("nodeName"), "field is immutable")]
        return ()

    def warnings_on_create(self, request: Request, obj: JSONObject) -> Sequence[str]:
        return ["spec.replicas: a pod is always one"] if _spec(obj).get("replicas") else ()

    def warnings_on_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[str]:
        return self.warnings_on_create(request, obj)

    def check_graceful_delete(self, request: Request, obj: JSONObject, options: DeleteOptions) -> bool:
        period = options.grace_period_seconds
        if period is None:
            period = _spec(obj).get("terminationGracePeriodSeconds", 30)
        options.grace_period_seconds = period if _spec(obj).get("nodeName") else 0
        return True


class LeaseStrategy(ConfigMapStrategy):
    allow_create_on_update = True
    allow_unconditional_update = False


class OrphanStrategy(ConfigMapStrategy):
    def default_garbage_collection_policy(self, request: Request) -> str:
        return "Orphan"


class BindingStorage(Creater, NamedCreater):
    """Can only be created, at the top and below a pod; what it answers with is a Status."""

    def __init__(self, definition: Definition) -> None:
        self._definition = definition

    async def create(
        self, request: Request, obj: JSONObject, *, validate: ValidateCreate | None, options: WriteOptions
    ) -> Result:
        if validate is not None:
            await validate(obj)
        return {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success"}

    async def create_named(
        self, request: Request, name: str, obj: JSONObject, *, validate: ValidateCreate | None, options: WriteOptions
    ) -> Result:
        return await self.create(request, obj, validate=validate, options=options)


class ComponentStorage(Getter, Lister):
    """What is made up when it is asked for."""

    def __init__(self, definition: Definition) -> None:
        self._definition = definition

    async def get(self, request: Request, name: str, *, resource_version: str = "") -> Result:
        return {"metadata": {"name": name}, "data": {"healthy": "yes"}}

    async def list(self, request: Request, options: ListOptions) -> ResultList:
        return ResultList([await self.get(request, "a"), await self.get(request, "b")])


class ScaleStorage(Getter):
    """A view of a pod in a kind of another group."""

    def __init__(self, definition: Definition) -> None:
        self._definition = definition

    async def get(self, request: Request, name: str, *, resource_version: str = "") -> Result:
        stored = await reads.get(self._definition, request, name, resource_version=resource_version)
        pod = self._definition.converter.hub_of(stored)
        return {"metadata": {"name": name}, "spec": {"replicas": _spec(pod).get("replicas", 0)}}


class ScaleSpec:
    replicas: int = 0


class Scale:
    spec: ScaleSpec


def _field(*path: str) -> Any:
    def look_up(stored: StoredObject) -> str:
        value: Any = stored.decode()
        for name in path:
            value = (value or {}).get(name)
        return str(value or "")

    return look_up


SCALE = Subresource(ScaleStorage, kind="Scale", group_version=GroupVersion("autoscaling", "v1"), schema=Scale)
BINDING = Subresource(BindingStorage, kind="Binding", group_version=GroupVersion("", "v1"), schema=Binding)

CONFIG_MAP_COLUMNS = (
    Column("Name", lambda obj: obj["metadata"]["name"], format="name"),
    Column("Data", lambda obj: len(obj.get("data", {})), type="integer", priority=1),
)

CORE = APIGroup(
    "",
    [
        Resource(
            "configmaps",
            "ConfigMap",
            [Version("v1", ConfigMap, columns=CONFIG_MAP_COLUMNS)],
            strategy=ConfigMapStrategy(),
        ),
        Resource(
            "namespaces",
            "Namespace",
            [Version("v1", Namespace)],
            namespaced=False,
            strategy=ConfigMapStrategy(namespaced=False),
            has_status=True,
            returns_deleted_object=True,
        ),
        Resource(
            "pods",
            "Pod",
            [Version("v1", Pod)],
            strategy=PodStrategy(),
            has_status=True,
            subresources={"binding": BINDING, "scale": SCALE},
            returns_deleted_object=True,
            selectable_fields={"spec.nodeName": _field("spec", "nodeName"), "status.phase": _field("status", "phase")},
        ),
        Resource("nodes", "Node", [Version("v1", Lease)], namespaced=False),
        Resource("bindings", "Binding", [Version("v1", Binding)], storage=BindingStorage),
        Resource("components", "Component", [Version("v1", ConfigMap)], namespaced=False, storage=ComponentStorage),
    ],
)

COORDINATION = APIGroup(
    "coordination.example.com", [Resource("leases", "Lease", [Version("v1", Lease)], strategy=LeaseStrategy())]
)

BATCH = APIGroup("batch.example.com", [Resource("jobs", "Job", [Version("v1", Lease)], strategy=OrphanStrategy())])


class ShirtSpec:
    """As the older version has it: one text."""

    size: str = ""


class OldShirt:
    spec: ShirtSpec


class NewShirtSpec:
    """As the newer version has it, which is also the hub: two numbers."""

    width: int = 0
    length: int = 0
    fabric: str = ""


class NewShirt:
    spec: NewShirtSpec


def shirt_to_hub(obj: JSONObject) -> JSONObject:
    """Changes what it is given, as a conversion may."""
    spec = obj.setdefault("spec", {})
    width, _, length = spec.pop("size", "").partition("x")
    spec |= {"width": _number(width), "length": _number(length)}
    return obj


def _number(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) < 9 else 0


def shirt_from_hub(obj: JSONObject) -> JSONObject:
    spec = obj.get("spec", {})
    obj["spec"] = {"size": f"{spec.pop('width', 0)}x{spec.pop('length', 0)}"}
    return obj


def default_size(obj: JSONObject) -> None:
    obj.setdefault("spec", {}).setdefault("size", "40x70")


def default_fabric(obj: JSONObject) -> None:
    obj.setdefault("spec", {}).setdefault("fabric", "cotton")


V1ALPHA1 = Version("v1alpha1", OldShirt, default=default_size, to_hub=shirt_to_hub, from_hub=shirt_from_hub)
V1 = Version("v1", NewShirt, default=default_fabric)

WARDROBE = APIGroup("wardrobe.example.com", [Resource("shirts", "Shirt", [V1ALPHA1, V1], storage_version="v1")])


def cron_tabs(*versions: Version, **more: Any) -> APIGroup:
    """A custom resource: its schema is a document, and may be another one tomorrow."""
    resource = Resource("crontabs", "CronTab", versions or (Version("v1", CRON_TAB),), dialect=CUSTOM_KINDS, **more)
    return APIGroup("stable.example.com", [resource])


CRON_TAB: JSONObject = {
    "type": "object",
    "properties": {
        "spec": {
            "type": "object",
            "properties": {
                "cron": {"type": "string"},
                "replicas": {"type": "integer", "minimum": 0, "default": 1},
            },
        },
        "status": {"type": "object", "properties": {"phase": {"type": "string", "enum": ["Up", "Down"]}}},
    },
}

GROUPS = (CORE, COORDINATION, BATCH, WARDROBE, cron_tabs(has_status=True))


def config_map(name: str = "a", /, **more: Any) -> JSONObject:
    """`metadata` is merged, everything else is as given."""
    metadata = {"name": name} | more.pop("metadata", {})
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata} | more


def pod(name: str = "a", /, *, node: str = "", **more: Any) -> JSONObject:
    metadata = {"name": name} | more.pop("metadata", {})
    spec = {"nodeName": node} | more.pop("spec", {})
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec} | more


def cron_tab(name: str = "a", /, **more: Any) -> JSONObject:
    metadata = {"name": name} | more.pop("metadata", {})
    return {"apiVersion": "stable.example.com/v1", "kind": "CronTab", "metadata": metadata} | more


CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
PODS = "/api/v1/namespaces/default/pods"
LEASES = "/apis/coordination.example.com/v1/namespaces/default/leases"
JOBS = "/apis/batch.example.com/v1/namespaces/default/jobs"
OLD_SHIRTS = "/apis/wardrobe.example.com/v1alpha1/namespaces/default/shirts"
NEW_SHIRTS = "/apis/wardrobe.example.com/v1/namespaces/default/shirts"
CRON_TABS = "/apis/stable.example.com/v1/namespaces/default/crontabs"
