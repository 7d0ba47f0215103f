"""A kubelet writes its own node and the pods on it, and nothing that would give it more."""

from __future__ import annotations

from base64 import b64encode
from types import SimpleNamespace
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding

from localplane.apimachinery.errors import APIError, Forbidden, NotFound
from localplane.apimachinery.groups import GroupResource, GroupVersionKind
from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.admission import AdmissionChain, Attributes, Operation
from localplane.apiserver.authorization import ALLOWED, NO_OPINION, Decision
from localplane.apiserver.request import User
from localplane.servers.kube.admission.nodes.node_restriction import NodeRestriction
from tests.unit.servers.kube.admission.asking import Objects

KUBELET = User("system:node:n1", groups=("system:nodes",))
MIRROR = {"kubernetes.io/config.mirror": "x"}
OWNER = {"apiVersion": "v1", "kind": "Node", "name": "n1", "uid": "node-uid", "controller": True}
NODE = {"metadata": {"name": "n1", "uid": "node-uid"}}


class Roles:
    """What somebody was given beside."""

    def __init__(self, *verbs: str) -> None:
        self._verbs = verbs

    async def authorize(self, question: Any) -> Decision:
        return ALLOWED if question.verb in self._verbs else NO_OPINION


async def refusal(
    resource: str,
    new: JSONObject | None = None,
    old: JSONObject | None = None,
    *,
    user: User = KUBELET,
    subresource: str = "",
    namespace: str = "ns",
    name: str = "",
    roles: tuple[str, ...] = (),
    **objects: list[JSONObject],
) -> str | None:
    """Why not; None if it is allowed."""
    plugin = NodeRestriction()
    stored = {key.replace("storage_", "storage.k8s.io/"): value for key, value in objects.items()}
    plugin.initialize(SimpleNamespace(objects=Objects(stored), authorizer=Roles(*roles)))
    plural, _, group = resource.partition(".")
    operation = Operation.DELETE if new is None else Operation.CREATE if old is None else Operation.UPDATE
    asked = Attributes(
        operation=operation,
        kind=GroupVersionKind(group, "v1", "Anything"),
        resource=GroupResource(group, plural),
        subresource=subresource,
        namespace=namespace,
        name=name or ((new or old or {}).get("metadata") or {}).get("name", ""),
        object=new,
        old_object=old,
        user=user,
    )
    assert plugin.concerns(operation, asked.resource)
    try:
        await plugin.admit(asked)
    except Forbidden as error:
        return error.message.split(" is forbidden: ", 1)[1]
    return None


def pod(name: str = "p", *, node: str = "n1", owners: list[JSONObject] | None = None, **spec: Any) -> JSONObject:
    metadata: JSONObject = {"name": name, "namespace": "ns", "uid": "pod-uid", "annotations": MIRROR}
    metadata["ownerReferences"] = [OWNER] if owners is None else owners
    return {"metadata": metadata, "spec": {"nodeName": node} | spec}


async def test_others_may_do_what_they_may() -> None:
    for user in (User("jane"), User("system:node:n1"), User("jane", groups=("system:nodes",))):
        assert await refusal("nodes", {"metadata": {"name": "n2"}}, user=user) is None
    nameless = User("system:node:", groups=("system:nodes",))
    why = await refusal("nodes", {"metadata": {"name": "n2"}}, user=nameless)
    assert why == 'could not determine node from user "system:node:"'


def test_a_write_of_others_is_none_of_its_business() -> None:
    chain = AdmissionChain([NodeRestriction()])
    leases = GroupResource("coordination.k8s.io", "leases")
    assert not chain.handles(Operation.UPDATE, leases, User("jane"))
    assert not chain.mutates(Operation.UPDATE, leases)
    assert chain.mutates(Operation.UPDATE, leases, KUBELET)
    assert not chain.handles(Operation.UPDATE, GroupResource("", "configmaps"), KUBELET)


async def test_only_its_own_mirror_pods_may_be_made() -> None:
    assert await refusal("pods", pod(), nodes=[NODE]) is None
    plain = pod() | {"metadata": {"name": "p"}}
    assert await refusal("pods", plain, nodes=[NODE]) == (
        'pod does not have "kubernetes.io/config.mirror" annotation, node "n1" can only create mirror pods'
    )
    can_only = 'node "n1" can only create pods with'
    assert await refusal("pods", pod(node="n2")) == f"{can_only} spec.nodeName set to itself"
    assert await refusal("pods", pod(owners=[])) == f"{can_only} an owner reference set to itself"
    assert await refusal("pods", pod(owners=[OWNER, OWNER])) == f"{can_only} a single owner reference set to itself"
    other = OWNER | {"name": "n2"}
    assert await refusal("pods", pod(owners=[other])) == f"{can_only} an owner reference set to itself"
    loose = OWNER | {"controller": False}
    assert await refusal("pods", pod(owners=[loose])) == f"{can_only} a controller owner reference set to itself"
    blocking = OWNER | {"blockOwnerDeletion": True}
    assert await refusal("pods", pod(owners=[blocking])) == (
        'node "n1" must not set blockOwnerDeletion on an owner reference'
    )
    old = OWNER | {"uid": "old"}
    assert await refusal("pods", pod(owners=[old]), nodes=[NODE]) == ("node n1 UID mismatch: expected old got node-uid")
    with pytest.raises(NotFound, match='nodes "n1" not found'):
        await refusal("pods", pod())


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ({"serviceAccountName": "a"}, "serviceaccounts"),
        ({"volumes": [{"name": "v", "secret": {"secretName": "s"}}]}, "secrets"),
        ({"containers": [{"name": "c", "envFrom": [{"configMapRef": {"name": "m"}}]}]}, "configmaps"),
        ({"resourceClaims": [{"name": "r"}]}, "resourceclaims"),
        ({"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}]}, "persistentvolumeclaims"),
        ({"volumes": [{"name": "v", "csi": {"driver": "d"}}]}, "csidrivers (via CSI volumes)"),
        (
            {"volumes": [{"name": "v", "projected": {"sources": [{"serviceAccountToken": {"path": "p"}}]}}]},
            "serviceaccounts (via projected volumes)",
        ),
    ],
)
async def test_a_mirror_pod_refers_to_nothing(spec: JSONObject, words: str) -> None:
    assert await refusal("pods", pod(**spec), nodes=[NODE]) == f'node "n1" can not create pods that reference {words}'


async def test_only_pods_on_the_node_may_be_touched() -> None:
    assert await refusal("pods", None, pod()) is None
    assert await refusal("pods", None, pod(node="n2")) == (
        'node "n1" can only delete pods with spec.nodeName set to itself'
    )
    assert await refusal("pods", pod(), pod()) == (
        'unexpected operation "UPDATE", node "n1" can only create and delete mirror pods'
    )
    assert await refusal("pods", pod(), pod(), subresource="status") is None
    assert await refusal("pods", pod(), pod(node="n2"), subresource="status") == (
        'node "n1" can only update pod status for pods with spec.nodeName set to itself'
    )
    labelled = pod()
    labelled["metadata"]["labels"] = {"a": "b"}
    assert await refusal("pods", labelled, pod(), subresource="status") == (
        'node "n1" cannot update labels through pod status'
    )
    claiming = pod() | {"status": {"resourceClaimStatuses": [{"name": "c", "resourceClaimName": "x"}]}}
    assert await refusal("pods", claiming, pod(), subresource="status") == (
        'node "n1" cannot update resource claim statues'
    )
    eviction = {"metadata": {"name": "p"}}
    assert await refusal("pods", eviction, subresource="eviction", pods=[pod()]) is None
    assert await refusal("pods", eviction, subresource="eviction", pods=[pod(node="n2")]) == (
        "node n1 can only evict pods with spec.nodeName set to itself"
    )
    assert await refusal("pods", pod(), pod(), subresource="resize") == (
        "unexpected pod subresource \"resize\", only 'status' and 'eviction' are allowed"
    )


def node(name: str = "n1", *, labels: dict[str, str] | None = None, **spec: Any) -> JSONObject:
    return {"metadata": {"name": name, "labels": labels or {}}, "spec": spec}


async def test_a_node_writes_itself_without_what_draws_pods_to_it() -> None:
    assert await refusal("nodes", node("n2")) == 'node "n1" is not allowed to modify node "n2"'
    assert await refusal("nodes", node("n2"), node("n2")) == 'node "n1" is not allowed to modify node "n2"'
    allowed = {"kubernetes.io/hostname": "h", "x.node.kubernetes.io/y": "z", "mine": "m", "example.com/a": "b"}
    assert await refusal("nodes", node(labels=allowed)) is None
    forbidden = {"node-role.kubernetes.io/x": "", "node-restriction.kubernetes.io/y": "", "a.k8s.io/z": ""}
    assert await refusal("nodes", node(labels=allowed | forbidden)) == (
        'node "n1" is not allowed to set the following labels: '
        "a.k8s.io/z, node-restriction.kubernetes.io/y, node-role.kubernetes.io/x"
    )
    assert await refusal("nodes", node(labels=forbidden), node(labels=forbidden)) is None
    assert await refusal("nodes", node(), node(labels={"node-role.kubernetes.io/x": ""})) == (
        "is not allowed to modify labels: node-role.kubernetes.io/x"
    )
    assert await refusal("nodes", node(taints=[{"key": "k"}])) is None
    assert await refusal("nodes", node(taints=[]), node()) is None
    assert await refusal("nodes", node(taints=[{"key": "k"}]), node()) == 'node "n1" is not allowed to modify taints'
    assert await refusal("nodes", node(configSource={})) == (
        'node "n1" is not allowed to create pods with a non-nil configSource'
    )
    owned = node()
    owned["metadata"]["ownerReferences"] = [OWNER]
    assert await refusal("nodes", owned, node()) == 'node "n1" is not allowed to modify ownerReferences'


async def test_of_a_claim_only_what_growing_it_changes() -> None:
    claim = {"metadata": {"name": "c", "resourceVersion": "1"}, "spec": {}, "status": {"capacity": {"storage": "1Gi"}}}
    grown = {"metadata": {"name": "c", "resourceVersion": "2"}, "spec": {}, "status": {"capacity": {"storage": "2Gi"}}}
    claims = "persistentvolumeclaims"
    assert await refusal(claims, grown, claim) == "may only update PVC status"
    assert await refusal(claims, grown, claim, subresource="status") is None
    bound = grown | {"status": {"phase": "Bound"}}
    why = await refusal(claims, bound, claim, subresource="status")
    assert (why or "").startswith(
        'node "n1" is not allowed to update fields other than status.quantity and status.conditions'
    )


async def test_leases_csi_nodes_and_slices_are_its_own() -> None:
    own, others = {"metadata": {"name": "n1"}}, {"metadata": {"name": "n2"}}
    leases, csi_nodes, slices = (
        "leases.coordination.k8s.io",
        "csinodes.storage.k8s.io",
        "resourceslices.resource.k8s.io",
    )
    assert await refusal(leases, own, namespace="kube-node-lease") is None
    assert await refusal(leases, others, namespace="kube-node-lease") == (
        "can only access node lease with the same name as the requesting node"
    )
    assert await refusal(leases, own) == 'can only access leases in the "kube-node-lease" system namespace'
    assert await refusal(csi_nodes, own, own) is None
    assert await refusal(csi_nodes, None, others) == "can only access CSINode with the same name as the requesting node"
    piece = {"metadata": {"name": "s"}, "spec": {"nodeName": "n2"}}
    same = "ResourceSlice with the same NodeName as the requesting node"
    assert await refusal(slices, piece) == f"can only create {same}"
    assert await refusal(slices, None, piece) == f"can only delete {same}"
    assert await refusal(slices, {"metadata": {}, "spec": {"nodeName": "n1"}}) is None


def token(*audiences: str, **reference: str) -> JSONObject:
    bound = {"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "pod-uid"} | reference
    return {"metadata": {}, "spec": {"boundObjectRef": bound, "audiences": list(audiences)}}


async def test_tokens_are_for_pods_on_the_node_and_for_whom_they_show_them_to() -> None:
    async def asking(request: JSONObject, *pods: JSONObject, **more: Any) -> str | None:
        return await refusal("serviceaccounts", request, subresource="token", name="robot", pods=list(pods), **more)

    sources = [{"serviceAccountToken": {"audience": "vault"}}]
    showing = pod(volumes=[{"name": "v", "projected": {"sources": sources}}])
    assert await asking(token("vault"), showing) is None
    assert await asking(token("bank"), showing) == (
        'system:node:n1 is not authorized to request tokens for audience "bank"'
    )
    assert await asking(token("bank"), showing, roles=("request-serviceaccounts-token-audience",)) is None
    assert await asking(token("a", "b"), showing) == "node may only request 0 or 1 audiences"
    assert await asking(token("vault", kind="Secret"), showing) == "node requested token not bound to a pod"
    assert await asking(token("vault", uid=""), showing) == "node requested token with a pod binding without a uid"
    assert await asking(token("vault", uid="old"), showing) == (
        "the UID in the bound object reference (old) does not match the UID in record. The object might have been "
        "deleted and then recreated"
    )
    assert await asking(token("vault"), pod(node="n2")) == (
        "node requested token bound to a pod scheduled on a different node"
    )
    with pytest.raises(NotFound):
        await asking(token("vault"))


async def test_the_driver_of_a_volume_may_have_tokens_too() -> None:
    claiming = pod(volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}])
    claim = {"metadata": {"name": "c", "namespace": "ns"}, "spec": {"volumeName": "pv"}}
    volume = {"metadata": {"name": "pv"}, "spec": {"csi": {"driver": "d"}}}
    driver = {"metadata": {"name": "d"}, "spec": {"tokenRequests": [{"audience": "store"}]}}

    async def asking(audience: str, **objects: Any) -> str | None:
        return await refusal("serviceaccounts", token(audience), subresource="token", name="robot", **objects)

    found = {"pods": [claiming], "persistentvolumeclaims": [claim], "persistentvolumes": [volume]}
    assert await asking("store", **found, storage_csidrivers=[driver]) is None
    assert await asking("store", **found) == (
        'error validating audience "store": csidrivers.storage.k8s.io "d" not found'
    )


def signing_request(name: str) -> str:
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    key = ec.generate_private_key(ec.SECP256R1())
    request = x509.CertificateSigningRequestBuilder().subject_name(subject).sign(key, SHA256())
    return b64encode(request.public_bytes(Encoding.PEM)).decode()


async def test_certificates_of_nodes_are_for_itself() -> None:
    requests, signer = "certificatesigningrequests.certificates.k8s.io", "kubernetes.io/kubelet-serving"

    async def asking(name: str, signer: str = signer) -> str | None:
        spec = {"signerName": signer, "request": signing_request(name)}
        return await refusal(requests, {"metadata": {"name": "csr"}, "spec": spec})

    assert await asking("system:node:n1") is None
    assert await asking("system:node:n2") == "can only create a node CSR with CN=system:node:n1"
    assert await asking("jane", "kubernetes.io/kube-apiserver-client") is None


async def test_certificates_of_pods_are_for_those_on_the_node() -> None:
    sources = [{"podCertificate": {"signerName": "example.com/s"}}]
    running = pod(serviceAccountName="robot", volumes=[{"name": "v", "projected": {"sources": sources}}])
    running["metadata"]["annotations"] = {}
    account = {"metadata": {"name": "robot", "namespace": "ns", "uid": "account-uid"}}
    spec = {
        "nodeName": "n1",
        "nodeUID": "node-uid",
        "podName": "p",
        "podUID": "pod-uid",
        "serviceAccountName": "robot",
        "serviceAccountUID": "account-uid",
        "signerName": "example.com/s",
    }

    async def asking(**other: str) -> str | None:
        return await refusal(
            "podcertificaterequests.certificates.k8s.io",
            {"metadata": {"name": "r"}, "spec": spec | other},
            nodes=[NODE],
            pods=[running],
            serviceaccounts=[account],
        )

    assert await asking() is None
    assert await asking(nodeName="n2") == (
        'PodCertificateRequest.Spec.NodeName="n2", which is not the requesting node "n1"'
    )
    assert await asking(signerName="example.com/t") == (
        'pod "ns/p" does not mount a podCertificate projected volume for signer "example.com/t"'
    )
    with pytest.raises(APIError, match='contains pod UID \\("x"\\) which differs from running pod "pod-uid"'):
        await asking(podUID="x")
    with pytest.raises(APIError, match='while retrieving pod "ns/q" named in the PodCertificateRequest'):
        await asking(podName="q")
