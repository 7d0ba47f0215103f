"""What a fresh cluster has: namespaces, its own service, priority classes, roles and their bindings, flow schemas.

objects.json has them by resource, in the order in which they must come. Names that begin with a dollar depend on the
server. What is there already stays as it is: somebody may have changed it, and a missing one is made again at the next
start. What can't be made because of something else that is stored is logged, and keeps nobody from starting.
Kubernetes: pkg/controlplane, pkg/registry/rbac/rest, plugin/pkg/auth/authorizer/rbac/bootstrappolicy.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Final

import orjson

from localplane.apimachinery.errors import AlreadyExists, APIError, InternalError, Invalid
from localplane.apimachinery.groups import GroupVersion
from localplane.apimachinery.objects import JSONObject
from localplane.client import Client, GroupVersionResource, ResourceClient

_log = logging.getLogger(__name__)

_AT_ONCE: Final = 32
"""How many are made at the same time: the store writes them together."""

_LOOKS: Final = 200
_LOOK_SECONDS: Final = 0.05
"""How often, and how long, a companion's object is looked for."""

_STORAGE_CLASS: Final = {
    "apiVersion": "storage.k8s.io/v1",
    "kind": "StorageClass",
    "metadata": {
        "name": "standard",
        "annotations": {
            "storageclass.kubernetes.io/is-default-class": "true",
            "kubernetes.io/description": "Volumes that are simulated: claims are bound at once, and nothing is stored.",
        },
    },
    "provisioner": "simulation.localplane/provisioner",
    "reclaimPolicy": "Delete",
    "volumeBindingMode": "Immediate",
    "allowVolumeExpansion": True,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What the objects say of this server. One that `has_companions` may meet others that make the same objects."""

    address: str
    port: int
    service_cluster_ip_range: str
    first_service_ip: str
    client_ca: str = ""
    has_companions: bool = False

    def values(self) -> dict[str, str | int]:
        return {
            "$advertiseAddress": self.address,
            "$securePort": self.port,
            "$serviceCIDR": self.service_cluster_ip_range,
            "$firstServiceIP": self.first_service_ip,
        }


_FIRST: Final = ("namespaces", "servicecidrs")
_NETWORK: Final = ("services", "endpoints", "endpointslices")
_SCHEDULING: Final = ("priorityclasses",)
_FLOW_CONTROL: Final = ("prioritylevelconfigurations", "flowschemas")
_FLOW_CONTROL_MANAGER: Final = "api-priority-and-fairness-config-producer-v1"
_RBAC: Final = ("clusterroles", "clusterrolebindings", "roles", "rolebindings")


async def make_namespaces(client: Client, facts: Facts) -> None:
    """Before everything else: the rest lives in them."""
    await _make(client, facts, _FIRST)


async def make_system_objects(client: Client, facts: Facts) -> None:
    """The server's own service and what tells others how clients prove who they are."""
    await _make(client, facts, _NETWORK)
    if facts.client_ca:
        await _make_missing(client, "configmaps", [_authentication(facts)], has_companions=facts.has_companions)


async def make_first_account(client: Client) -> None:
    """The account of pods in `default`, which a controller would make a moment later: who waited until the server was
    ready may run a pod at once."""
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default", "namespace": "default"}}
    await _make_one(client, "serviceaccounts", account)


async def make_metrics_role(client: Client) -> None:
    """Who may view a namespace may see what its pods use, as metrics-server has it."""
    kinds = ("view", "edit", "admin")
    role = {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {
            "name": "system:aggregated-metrics-reader",
            "labels": {f"rbac.authorization.k8s.io/aggregate-to-{kind}": "true" for kind in kinds},
        },
        "rules": [{"apiGroups": ["metrics.k8s.io"], "resources": ["pods", "nodes"], "verbs": ["get", "list", "watch"]}],
    }
    await _make_one(client, "clusterroles", role)


async def make_storage_class(client: Client) -> None:
    """`standard`, which claims get that ask for no class, in a cluster that has none at all: what people have made or
    removed is theirs. Its volumes are those of `localplane.controllers.volumes.simulation`."""
    classes = client.resource(GroupVersionResource("storage.k8s.io", "v1", "storageclasses"))
    try:
        if not (await classes.list())["items"]:
            with suppress(AlreadyExists):
                await classes.create(_STORAGE_CLASS)
    except APIError as error:  # something is stored in its place that nobody can read
        _log.error("there is no storage class: %s", error)


async def make_priority_classes(client: Client, facts: Facts) -> None:
    await _make(client, facts, _SCHEDULING)


async def make_flow_control(client: Client, facts: Facts) -> None:
    await _make(client, facts, _FLOW_CONTROL, field_manager=_FLOW_CONTROL_MANAGER)


async def make_roles(client: Client, facts: Facts) -> None:
    await _make(client, facts, _RBAC)


async def _make(client: Client, facts: Facts, resources: Iterable[str], *, field_manager: str = "") -> None:
    declared: dict[str, list[JSONObject]] = orjson.loads((files(__package__) / "objects.json").read_bytes())
    values = facts.values()
    for resource in resources:
        objects = [_filled(obj, values) for obj in declared[resource]]
        await _make_missing(client, resource, objects, has_companions=facts.has_companions, field_manager=field_manager)


async def _make_one(client: Client, resource: str, obj: JSONObject) -> None:
    """Without a look at all others of its kind. It may be there, or its namespace may be going: nobody minds."""
    version = GroupVersion.parse(obj["apiVersion"])
    kind = GroupVersionResource(version.group, version.version, resource)
    try:
        await client.resource(kind, _place(obj)[0]).create(obj)
    except APIError as error:
        _log.debug("%s %s is not made: %s", resource, _place(obj)[1], error)


async def _make_missing(
    client: Client, resource: str, objects: list[JSONObject], *, has_companions: bool, field_manager: str = ""
) -> None:
    """One list tells what is there: on all starts but the first that is everything."""
    version = GroupVersion.parse(objects[0]["apiVersion"])
    kind = GroupVersionResource(version.group, version.version, resource)
    there = {_place(item) for item in (await client.resource(kind).list())["items"]}
    missing = [obj for obj in objects if _place(obj) not in there]
    limit = asyncio.Semaphore(_AT_ONCE)

    async def make(obj: JSONObject) -> None:
        async with limit:
            try:
                place = client.resource(kind, _place(obj)[0])
                await _create(place, obj, patient=has_companions, field_manager=field_manager)
            except (InternalError, Invalid) as error:
                _log.error("%s %s is missing and can't be made: %s", resource, "/".join(_place(obj)), error)

    async with asyncio.TaskGroup() as group:
        for obj in missing:
            group.create_task(make(obj))


async def _create(objects: ResourceClient, obj: JSONObject, *, patient: bool, field_manager: str) -> None:
    """Somebody may be faster. Until his object is there, what it claims before, an address for one, is in our way; so
    who is `patient` looks again for a while before a refusal counts."""
    looks = _LOOKS if patient else 0
    while True:
        try:
            await objects.create(obj, field_manager=field_manager)
        except AlreadyExists:
            return  # or what is there can't be read
        except APIError:
            if not looks:
                raise
            with suppress(APIError):
                await objects.get(obj["metadata"]["name"])
                return
            looks -= 1
            await asyncio.sleep(_LOOK_SECONDS)
        else:
            return


def _place(obj: JSONObject) -> tuple[str, str]:
    return obj["metadata"].get("namespace", ""), obj["metadata"]["name"]


def _filled(value: Any, values: Mapping[str, str | int]) -> Any:
    match value:
        case str():
            return values.get(value, value)
        case dict():
            return {name: _filled(item, values) for name, item in value.items()}
        case list():
            return [_filled(item, values) for item in value]
    return value


def _authentication(facts: Facts) -> JSONObject:
    """What extension servers read to know whose client certificates to believe."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "extension-apiserver-authentication", "namespace": "kube-system"},
        "data": {"client-ca-file": facts.client_ca},
    }
