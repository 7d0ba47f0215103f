"""A kubelet reads what the pods on its node refer to, and nothing else."""

from __future__ import annotations

from typing import Any

from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.authorization import Attributes, Decision, Verdict
from localplane.apiserver.request import User
from localplane.servers.kube.node_authorizer import NodeAuthorizer
from tests.integration.life.world import World, cluster

NODE = User("system:node:node-1", groups=("system:nodes", "system:authenticated"))
OTHER = User("system:node:node-2", groups=("system:nodes", "system:authenticated"))
UNRELATED = "no relationship found between node 'node-1' and this object"

WORDS: tuple[tuple[str, str, str, dict[str, str], bool | str], ...] = (
    ("create", "secrets", "", {}, "can only read resources of this type"),
    ("get", "secrets", "s", {"namespace": ""}, "can only read namespaced object of this type"),
    ("list", "secrets", "", {}, "No Object name found"),
    ("list", "persistentvolumeclaims", "", {}, "can only get individual resources of this type"),
    ("get", "persistentvolumeclaims:status", "c", {}, "can only get/update/patch this type"),
    ("get", "persistentvolumes:status", "c", {}, "cannot get subresource"),
    ("update", "serviceaccounts", "a", {}, "can only create tokens for individual service accounts"),
    ("create", "serviceaccounts", "a", {}, "can only create token subresource of serviceaccount"),
    ("create", "coordination.k8s.io/leases", "", {"namespace": "kube-node-lease"}, True),
    ("update", "coordination.k8s.io/leases", "node-1", {"namespace": "kube-node-lease"}, True),
    (
        "update",
        "coordination.k8s.io/leases",
        "node-2",
        {"namespace": "kube-node-lease"},
        "can only access node lease with the same name as the requesting node",
    ),
    (
        "get",
        "coordination.k8s.io/leases",
        "node-1",
        {"namespace": "kube-system"},
        'can only access leases in the "kube-node-lease" system namespace',
    ),
    (
        "list",
        "coordination.k8s.io/leases",
        "",
        {"namespace": "kube-node-lease"},
        "can only get, create, update, patch, or delete a node lease",
    ),
    ("patch", "storage.k8s.io/csinodes", "node-1", {"namespace": ""}, True),
    (
        "get",
        "storage.k8s.io/csinodes",
        "node-2",
        {"namespace": ""},
        "can only access CSINode with the same name as the requesting node",
    ),
    ("get", "nodes", "node-1", {"namespace": ""}, True),
    (
        "get",
        "nodes",
        "node-2",
        {"namespace": ""},
        "node 'node-1' cannot read 'node-2', only its own Node object",
    ),
    ("list", "nodes", "", {"namespace": ""}, "node 'node-1' cannot read all nodes, only its own Node object"),
    ("patch", "nodes:status", "node-1", {"namespace": ""}, True),
    ("delete", "nodes", "node-1", {"namespace": ""}, ""),
    ("list", "pods", "", {"field_selector": "spec.nodeName=node-1"}, True),
    (
        "list",
        "pods",
        "",
        {"field_selector": "spec.nodeName=node-2"},
        "can only list/watch pods with spec.nodeName field selector",
    ),
    ("create", "pods:eviction", "p", {}, True),
    ("update", "pods", "p", {}, ""),
    ("get", "services", "s", {}, True),
    ("create", "services", "s", {}, ""),
    ("watch", "node.k8s.io/runtimeclasses", "", {"namespace": ""}, True),
    (
        "deletecollection",
        "resource.k8s.io/resourceslices",
        "",
        {"namespace": "", "field_selector": "spec.nodeName=node-1"},
        True,
    ),
    (
        "list",
        "resource.k8s.io/resourceslices",
        "",
        {"namespace": ""},
        "can only list/watch/deletecollection resourceslices with nodeName field selector",
    ),
)
REFERRING: JSONObject = {
    "serviceAccountName": "robot",
    "imagePullSecrets": [{"name": "pull"}],
    "containers": [
        {
            "name": "c",
            "image": "i",
            "env": [
                {"name": "A", "valueFrom": {"secretKeyRef": {"name": "env-secret", "key": "k"}}},
                {"name": "B", "valueFrom": {"configMapKeyRef": {"name": "env-map", "key": "k"}}},
            ],
            "envFrom": [{"secretRef": {"name": "from-secret"}}, {"configMapRef": {"name": "from-map"}}],
        }
    ],
    "volumes": [
        {"name": "a", "secret": {"secretName": "volume-secret"}},
        {"name": "b", "configMap": {"name": "volume-map"}},
        {"name": "c", "projected": {"sources": [{"secret": {"name": "p-secret"}}, {"configMap": {"name": "p-map"}}]}},
        {"name": "d", "persistentVolumeClaim": {"claimName": "claim"}},
    ],
}


async def pod(world: World, name: str = "web", node: str = "node-1", **more: Any) -> JSONObject:
    spec = REFERRING | {"nodeName": node} | more
    return await world.create("v1/pods", {"metadata": {"name": name}, "spec": spec})


def may(world: World) -> Any:
    """A function that says whether somebody may do something, or why not."""
    authorizer = NodeAuthorizer(world.plane.objects)

    async def ask(
        verb: str,
        resource: str,
        name: str = "",
        *,
        user: User = NODE,
        namespace: str = "default",
        field_selector: str = "",
    ) -> bool | str:
        group, _, rest = resource.rpartition("/") if resource.count("/") else ("", "", resource)
        plural, _, subresource = rest.partition(":")
        asked = Attributes(
            user,
            verb,
            group=group,
            resource=plural,
            subresource=subresource,
            namespace=namespace,
            name=name,
            field_selector=field_selector,
        )
        return _answer(await authorizer.authorize(asked))

    return ask


def _answer(decision: Decision) -> bool | str:
    assert not decision.error
    assert decision.verdict is not Verdict.DENY
    return True if decision.allowed else decision.reason


async def test_what_pods_refer_to_may_be_read_by_their_node_only() -> None:
    async with cluster() as world:
        ask = may(world)
        assert await ask("get", "secrets", "pull") == UNRELATED
        await pod(world)
        for name in ("pull", "env-secret", "from-secret", "volume-secret", "p-secret"):
            assert await ask("get", "secrets", name) is True
            assert await ask("watch", "secrets", name) is True
            assert "node-2" in await ask("get", "secrets", name, user=OTHER)
            assert await ask("get", "secrets", name, namespace="elsewhere") == UNRELATED
        for name in ("env-map", "from-map", "volume-map", "p-map"):
            assert await ask("list", "configmaps", name) is True
            assert await ask("get", "secrets", name) == UNRELATED
        assert await ask("get", "persistentvolumeclaims", "claim") is True
        assert await ask("patch", "persistentvolumeclaims:status", "claim") is True
        assert await ask("get", "serviceaccounts", "robot") is True
        assert await ask("create", "serviceaccounts:token", "robot") is True
        assert await ask("create", "serviceaccounts:token", "other") == UNRELATED
        await world.of("v1/pods").delete("web", grace_period_seconds=0)
        assert await ask("get", "secrets", "pull") == UNRELATED


async def test_a_volume_and_its_secrets_belong_to_the_node_of_a_pod_that_claims_it() -> None:
    async with cluster() as world:
        ask = may(world)
        csi = {
            "driver": "d.example.com",
            "volumeHandle": "h",
            "nodeStageSecretRef": {"namespace": "vault", "name": "stage"},
            "controllerPublishSecretRef": {"namespace": "vault", "name": "publish"},
        }
        spec = {
            "capacity": {"storage": "1Gi"},
            "accessModes": ["ReadWriteOnce"],
            "csi": csi,
            "claimRef": {"namespace": "default", "name": "claim"},
        }
        await world.create("v1/persistentvolumes", {"metadata": {"name": "pv"}, "spec": spec}, "")
        assert await ask("get", "persistentvolumes", "pv", namespace="") == UNRELATED
        await pod(world)
        assert await ask("get", "persistentvolumes", "pv", namespace="") is True
        assert await ask("get", "secrets", "stage", namespace="vault") is True
        assert await ask("get", "secrets", "publish", namespace="vault") == UNRELATED


async def test_a_mirror_pod_gives_access_to_nothing() -> None:
    async with cluster() as world:
        ask = may(world)
        annotations = {"kubernetes.io/config.mirror": "x"}
        spec = {"containers": [{"name": "c", "image": "i"}], "nodeName": "node-1", "serviceAccountName": "robot"}
        metadata = {"name": "mirror", "annotations": annotations}
        await world.create("v1/pods", {"metadata": metadata, "spec": spec})
        assert await ask("get", "pods", "mirror") is True
        assert await ask("get", "serviceaccounts", "robot") == UNRELATED


async def test_what_names_its_node_belongs_to_it() -> None:
    async with cluster() as world:
        ask = may(world)
        attachment = {
            "metadata": {"name": "va"},
            "spec": {"attacher": "d.example.com", "nodeName": "node-1", "source": {"persistentVolumeName": "pv"}},
        }
        await world.create("storage.k8s.io/v1/volumeattachments", attachment, "")
        pool = {"name": "p", "generation": 1, "resourceSliceCount": 1}
        devices = {"driver": "d.example.com", "nodeName": "node-1", "pool": pool, "devices": []}
        await world.create("resource.k8s.io/v1/resourceslices", {"metadata": {"name": "rs"}, "spec": devices}, "")
        for resource, name in (("storage.k8s.io/volumeattachments", "va"), ("resource.k8s.io/resourceslices", "rs")):
            assert await ask("get", resource, name, namespace="") is True
            assert "node-2" in await ask("get", resource, name, namespace="", user=OTHER)
            assert await ask("get", resource, "none", namespace="") == UNRELATED


async def test_every_resource_has_its_own_words() -> None:
    async with cluster() as world:
        for verb, resource, name, more, answer in WORDS:
            assert await may(world)(verb, resource, name, **more) == answer, (verb, resource)


async def test_who_is_no_node_is_nobody_s_business_here() -> None:
    async with cluster() as world:
        ask = may(world)
        await pod(world)
        for user in (User("system:node:node-1"), User("ann", groups=("system:nodes",))):
            assert await ask("get", "secrets", "pull", user=user) == ""
            assert await ask("get", "services", "s", user=user) == ""
        nameless = User("system:node:", groups=("system:nodes",))
        assert await ask("get", "secrets", "pull", user=nameless) == 'unknown node for user "system:node:"'
