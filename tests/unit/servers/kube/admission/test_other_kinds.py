"""What plugins do with claims, ingresses, services and namespaces."""

from __future__ import annotations

import pytest

from localplane.apimachinery.errors import Forbidden, NotFound
from localplane.apimachinery.objects import JSONObject
from localplane.servers.kube.admission.claim_resize import PersistentVolumeClaimResize
from localplane.servers.kube.admission.default_classes import DefaultIngressClass, DefaultStorageClass
from localplane.servers.kube.admission.external_ips import DenyServiceExternalIPs
from localplane.servers.kube.admission.namespaces import NamespaceLifecycle
from localplane.servers.kube.admission.storage_protection import StorageObjectInUseProtection
from tests.unit.servers.kube.admission.asking import admitted, asked, named


def marked(name: str, created: str, *, mark: str = "storageclass.kubernetes.io/is-default-class") -> JSONObject:
    return named(name, metadata={"creationTimestamp": created, "annotations": {mark: "true"}})


def claim(size: str = "1Gi", *, phase: str = "Bound", **spec: object) -> JSONObject:
    spec = {"resources": {"requests": {"storage": size}}, **spec}
    return named("c", namespace="ns", spec=spec, status={"phase": phase})


async def test_a_claim_without_a_class_gets_the_newest_default() -> None:
    classes = [
        marked("b", "2024-01-01T00:00:00Z"),
        marked("a", "2024-01-01T00:00:00Z"),
        marked("old", "2023-01-01T00:00:00Z"),
        named("none", metadata={"creationTimestamp": "2025-01-01T00:00:00Z"}),
    ]
    question = asked("persistentvolumeclaims", claim())
    found = await admitted(DefaultStorageClass(), question, storage_k8s_io__storageclasses=classes)
    assert found["spec"]["storageClassName"] == "a"


async def test_a_claim_that_wants_no_class_gets_none() -> None:
    classes = [marked("a", "2024-01-01T00:00:00Z")]
    question = asked("persistentvolumeclaims", claim(storageClassName=""))
    found = await admitted(DefaultStorageClass(), question, storage_k8s_io__storageclasses=classes)
    assert found["spec"]["storageClassName"] == ""


async def test_an_ingress_without_a_class_gets_the_default() -> None:
    default = marked("nginx", "2024-01-01T00:00:00Z", mark="ingressclass.kubernetes.io/is-default-class")
    question = asked("ingresses.networking.k8s.io", named("i", namespace="ns", spec={}))
    found = await admitted(DefaultIngressClass(), question, networking_k8s_io__ingressclasses=[default])
    assert found["spec"]["ingressClassName"] == "nginx"


async def test_a_claim_is_kept_while_it_is_used() -> None:
    found = await admitted(StorageObjectInUseProtection(), asked("persistentvolumeclaims", claim()))
    assert found["metadata"]["finalizers"] == ["kubernetes.io/pvc-protection"]


@pytest.mark.parametrize(
    ("old", "says", "message"),
    [
        (claim(storageClassName="s"), {"allowVolumeExpansion": True}, ""),
        (claim(storageClassName="s", phase="Pending"), {}, "Only bound persistent volume claims can be expanded"),
        (claim(storageClassName="s"), {}, "only dynamically provisioned pvc can be resized"),
        (claim(), {"allowVolumeExpansion": True}, "only dynamically provisioned pvc can be resized"),
    ],
)
async def test_a_claim_grows_only_where_its_class_lets_it(old: JSONObject, says: JSONObject, message: str) -> None:
    new = claim("2Gi", **{name: value for name, value in old["spec"].items() if name != "resources"})
    question = asked("persistentvolumeclaims", new, old)
    classes = [named("s", **says)]
    if not message:
        await admitted(PersistentVolumeClaimResize(), question, storage_k8s_io__storageclasses=classes)
        return
    with pytest.raises(Forbidden, match=message):
        await admitted(PersistentVolumeClaimResize(), question, storage_k8s_io__storageclasses=classes)


async def test_a_service_gets_no_new_external_address() -> None:
    old = named("s", namespace="ns", spec={"externalIPs": ["192.0.2.1", "192.0.2.2"]})
    fewer = named("s", namespace="ns", spec={"externalIPs": ["192.0.2.2"]})
    await admitted(DenyServiceExternalIPs(), asked("services", fewer, old))
    with pytest.raises(Forbidden, match="Use of external IPs is denied by admission control"):
        await admitted(DenyServiceExternalIPs(), asked("services", old))


async def test_nothing_is_created_in_a_namespace_that_is_missing_or_going() -> None:
    question = asked("configmaps", {"metadata": {"generateName": "c-"}})
    with pytest.raises(NotFound, match='namespaces "ns" not found'):
        await admitted(NamespaceLifecycle(), question)
    going = named("ns", status={"phase": "Terminating"})
    with pytest.raises(Forbidden) as refusal:
        await admitted(NamespaceLifecycle(), question, namespaces=[going])
    assert refusal.value.message == (
        'configmaps "c-" is forbidden: unable to create new content in namespace ns because it is being terminated'
    )
    assert refusal.value.causes[0].reason == "NamespaceTerminating"
