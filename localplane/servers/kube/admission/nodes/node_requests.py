"""What a kubelet may ask for: tokens and certificates for the pods on its node, and certificates for itself.

Kubernetes: plugin/pkg/admission/noderestriction, admitServiceAccount, admitPodCertificateRequest and admitCSR.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import AsyncIterator, Iterator
from typing import Any, Final

from cryptography.x509 import NameOID, load_pem_x509_csr

from localplane.apimachinery.errors import APIError, NotFound
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.groups import GroupResource
from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.admission import Attributes, Operation
from localplane.apiserver.authorization import Attributes as Question
from localplane.apiserver.authorization import Authorizer
from localplane.apiserver.registry.lookup import Lookup
from localplane.servers.kube.admission.plugin import refused, spec, written
from localplane.servers.kube.admission.pods.pod_references import is_mirror

_PODS: Final = GroupResource("", "pods")
_NODE_SIGNERS: Final = ("kubernetes.io/kubelet-serving", "kubernetes.io/kube-apiserver-client-kubelet")


async def check_token_request(node: str, attributes: Attributes, objects: Lookup, authorizer: Authorizer) -> None:
    """Only for a pod on the node, and only for those whom the pod would show it to."""
    request = spec(written(attributes))
    reference: JSONObject = request.get("boundObjectRef") or {}
    if not ({"apiVersion": "v1", "kind": "Pod"}.items() <= reference.items() and reference.get("name")):
        raise refused(attributes, "node requested token not bound to a pod")
    if not (uid := reference.get("uid")):
        raise refused(attributes, "node requested token with a pod binding without a uid")
    pod = await objects.get("pods", attributes.namespace, reference["name"])
    if pod is None:
        raise NotFound.of(_PODS, reference["name"])
    if uid != pod["metadata"].get("uid"):
        raise refused(
            attributes,
            f"the UID in the bound object reference ({uid}) does not match the UID in record. The object might have "
            "been deleted and then recreated",
        )
    if pod["spec"].get("nodeName") != node:
        raise refused(attributes, "node requested token bound to a pod scheduled on a different node")
    audiences = request.get("audiences") or [""]
    if len(audiences) > 1:
        raise refused(attributes, "node may only request 0 or 1 audiences")
    await _check_audience(audiences[0], attributes, pod, objects, authorizer)


async def _check_audience(
    audience: str, attributes: Attributes, pod: JSONObject, objects: Lookup, authorizer: Authorizer
) -> None:
    problems = []
    async for found in _audiences(pod, objects):
        if isinstance(found, NotFound):
            problems.append(str(found))
        elif found == audience:
            return
    if problems:
        said = problems[0] if len(problems) == 1 else f"[{', '.join(dict.fromkeys(problems))}]"
        raise refused(attributes, f"error validating audience {go_quote(audience)}: {said}")
    verb = "request-serviceaccounts-token-audience"
    if not await _is_allowed(attributes, authorizer, verb, audience, attributes.name):
        user = attributes.user.name
        raise refused(attributes, f"{user} is not authorized to request tokens for audience {go_quote(audience)}")


async def _audiences(pod: JSONObject, objects: Lookup) -> AsyncIterator[str | NotFound]:
    """Of the tokens in the pod's volumes, and of those that the drivers of its volumes ask for."""
    for volume in pod["spec"].get("volumes") or ():
        for source in (volume.get("projected") or {}).get("sources") or ():
            if "serviceAccountToken" in source:
                yield source["serviceAccountToken"].get("audience", "")
        try:
            driver = await _driver(volume, pod, objects)
            for request in await _token_requests(driver, objects) if driver else ():
                yield request.get("audience", "")
        except NotFound as error:
            yield error


async def _driver(volume: JSONObject, pod: JSONObject, objects: Lookup) -> str:
    """Raises NotFound."""
    if "csi" in volume:
        return str(volume["csi"].get("driver", ""))
    if "ephemeral" in volume:
        name = f"{pod['metadata']['name']}-{volume['name']}"
    elif "persistentVolumeClaim" in volume:
        name = volume["persistentVolumeClaim"].get("claimName", "")
    else:
        return ""
    namespace = pod["metadata"]["namespace"]
    claim = await _found(objects, GroupResource("", "persistentvolumeclaims"), namespace, name)
    bound = (claim.get("spec") or {}).get("volumeName", "")
    source = await _found(objects, GroupResource("", "persistentvolumes"), "", bound)
    return str(((source.get("spec") or {}).get("csi") or {}).get("driver", ""))


async def _token_requests(driver: str, objects: Lookup) -> list[JSONObject]:
    """Raises NotFound."""
    found = await _found(objects, GroupResource("storage.k8s.io", "csidrivers"), "", driver)
    return (found.get("spec") or {}).get("tokenRequests") or []


async def _found(objects: Lookup, resource: GroupResource, namespace: str, name: str) -> JSONObject:
    place = f"{resource.group}/{resource.resource}" if resource.group else resource.resource
    obj = await objects.get(place, namespace, name) if name else None
    if obj is None:
        raise NotFound.of(resource, name)
    return obj


async def check_pod_certificate_request(
    node: str, attributes: Attributes, objects: Lookup, authorizer: Authorizer
) -> None:
    """What does not fit may be a matter of time, unless it says that somebody asks for what is another's."""
    if attributes.operation is not Operation.CREATE:
        raise refused(attributes, f"unexpected operation {attributes.operation}")
    if attributes.subresource:
        raise refused(attributes, f"unexpected subresource {attributes.subresource}")
    request = spec(written(attributes))
    asked, quoted = request.get("nodeName", ""), go_quote(request.get("nodeName", ""))
    if asked != node:
        why = f"PodCertificateRequest.Spec.NodeName={quoted}, which is not the requesting node {go_quote(node)}"
        raise refused(attributes, why)
    found = await _named(objects, "node", "nodes", "", asked)
    pod_name = f"{attributes.namespace}/{request.get('podName', '')}"
    if found["metadata"].get("uid") != request.get("nodeUID"):
        raise APIError(
            f"PodCertificateRequest for pod {go_quote(pod_name)} names node UID {go_quote(request.get('nodeUID', ''))},"
            f" inconsistent with the running node ({go_quote(found['metadata'].get('uid', ''))})"
        )
    pod = await _named(objects, "pod", "pods", attributes.namespace, request.get("podName", ""))
    _check_certified_pod(attributes, request, pod, pod_name)
    await _check_certified_account(attributes, request, objects, pod_name)
    signer = request.get("signerName", "")
    if signer in _pod_signers(pod):
        return
    verb, resource = "request-serviceaccounts-podcertificate-signer", signer.replace("/", ":")
    if not await _is_allowed(attributes, authorizer, verb, resource, request.get("serviceAccountName", "")):
        mount = f"does not mount a podCertificate projected volume for signer {go_quote(signer)}"
        raise refused(attributes, f"pod {go_quote(pod_name)} {mount}")


def _check_certified_pod(attributes: Attributes, request: JSONObject, pod: JSONObject, pod_name: str) -> None:
    quoted, uid = go_quote(pod_name), pod["metadata"].get("uid", "")
    if request.get("podUID") != uid:
        raise APIError(
            f"PodCertificateRequest for pod {quoted} contains pod UID ({go_quote(request.get('podUID', ''))}) which "
            f"differs from running pod {go_quote(uid)}"
        )
    if pod["spec"].get("nodeName") != request.get("nodeName"):
        node = go_quote(request.get("nodeName", ""))
        raise refused(attributes, f"pod {quoted} is not running on node {node} named in the PodCertificateRequest")
    if is_mirror(pod):
        raise refused(attributes, f"pod {quoted} is a mirror pod")
    asked, account = request.get("serviceAccountName", ""), pod["spec"].get("serviceAccountName", "")
    if asked != account:
        raise refused(
            attributes,
            f"PodCertificateRequest for pod {quoted} contains serviceAccountName ({go_quote(asked)}) that differs from "
            f"running pod ({go_quote(account)})",
        )


async def _check_certified_account(attributes: Attributes, request: JSONObject, objects: Lookup, pod_name: str) -> None:
    name, asked = request.get("serviceAccountName", ""), request.get("serviceAccountUID", "")
    account = await _named(objects, "service account", "serviceaccounts", attributes.namespace, name)
    if asked != account["metadata"].get("uid"):
        raise APIError(
            f"PodCertificateRequest for pod {go_quote(pod_name)} names service account UID {go_quote(asked)}, which "
            f"differs from the running service account ({go_quote(account['metadata'].get('uid', ''))})"
        )


async def _named(objects: Lookup, word: str, resource: str, namespace: str, name: str) -> JSONObject:
    """Raises APIError without a reason, as Kubernetes does: the object may be on its way."""
    obj = await objects.get(resource, namespace, name) if name else None
    if obj is None:
        place = f"{namespace}/{name}" if namespace else name
        missing = NotFound.of(GroupResource("", resource), name)
        raise APIError(f"while retrieving {word} {go_quote(place)} named in the PodCertificateRequest: {missing}")
    return obj


def _pod_signers(pod: JSONObject) -> Iterator[str]:
    for volume in pod["spec"].get("volumes") or ():
        for source in (volume.get("projected") or {}).get("sources") or ():
            if "podCertificate" in source:
                yield source["podCertificate"].get("signerName", "")


async def _is_allowed(attributes: Attributes, authorizer: Authorizer, verb: str, resource: str, name: str) -> bool:
    question = Question(
        attributes.user,
        verb,
        group=attributes.resource.group,
        version=attributes.version,
        resource=resource,
        namespace=attributes.namespace,
        name=name,
    )
    return (await authorizer.authorize(question)).allowed


def check_certificate_request(node: str, attributes: Attributes) -> None:
    """Of its own two kinds, only for itself."""
    request = spec(written(attributes))
    if attributes.subresource or request.get("signerName") not in _NODE_SIGNERS:
        return
    wanted = f"system:node:{node}"
    try:
        name = _common_name(request.get("request", ""))
    except ValueError as error:
        raise refused(attributes, f"unable to parse csr: {error}") from error
    if name != wanted:
        raise refused(attributes, f"can only create a node CSR with CN={wanted}")


def _common_name(request: Any) -> str:
    """Raises ValueError."""
    names = load_pem_x509_csr(b64decode(request, validate=True)).subject.get_attributes_for_oid(NameOID.COMMON_NAME)
    return str(names[-1].value) if names else ""
