"""Approves a node's request for its own client certificate if whoever asks may have one.

Kubernetes: pkg/controller/certificates/approver.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from typing import Final

from localplane.apimachinery.objects import JSONObject
from localplane.client import Client, GroupVersionResource, Lister, WorkQueue, object_key
from localplane.controllers.context import ControllerContext
from localplane.controllers.pods import condition
from localplane.controllers.worker import NotYet, hearing, work

from .requests import ACCOUNT, KUBELET_CLIENT, REQUESTS, common_name, is_issued, objection, parsed

_REVIEWS: Final = GroupVersionResource("authorization.k8s.io", "v1", "subjectaccessreviews")


@dataclass(frozen=True, slots=True)
class _Permission:
    subresource: str
    message: str


_SELF: Final = _Permission(
    "selfnodeclient", "Auto approving self kubelet client certificate after SubjectAccessReview."
)
_ANY: Final = _Permission("nodeclient", "Auto approving kubelet client certificate after SubjectAccessReview.")


async def start(context: ControllerContext) -> None:
    queue = WorkQueue[str]()
    requests = context.informers.informer(REQUESTS)
    approver = _Approver(context.client_of(ACCOUNT), requests.lister)
    await requests.wait_for_sync()
    with hearing(requests, lambda request: queue.add(object_key(request)), deletions=False):
        await work(queue, approver.sync)


class _Approver:
    def __init__(self, client: Client, requests: Lister) -> None:
        self._client = client
        self._requests = requests

    async def sync(self, name: str) -> None:
        request = self._requests.get(name)
        if request is None or is_issued(request) or _is_decided(request):
            return
        permissions = _permissions(request)
        for permission in permissions:
            if await self._may(request, permission):
                await self._approve(request, permission)
                return
        if permissions:
            tried = " ".join(permission.subresource for permission in permissions)
            raise NotYet(f'recognized csr "{name}" as [{tried}] but subject access review was not approved')

    async def _may(self, request: JSONObject, permission: _Permission) -> bool:
        spec = request["spec"]
        wanted = {
            "group": "certificates.k8s.io",
            "resource": "certificatesigningrequests",
            "subresource": permission.subresource,
            "verb": "create",
            "version": "*",
        }
        subject = {"user": spec.get("username"), "uid": spec.get("uid"), "groups": spec.get("groups")}
        subject |= {"extra": spec.get("extra"), "resourceAttributes": wanted}
        review = {
            "apiVersion": "authorization.k8s.io/v1",
            "kind": "SubjectAccessReview",
            "spec": {key: value for key, value in subject.items() if value},
        }
        answer = await self._client.resource(_REVIEWS).create(review)
        return bool((answer.get("status") or {}).get("allowed"))

    async def _approve(self, request: JSONObject, permission: _Permission) -> None:
        approved = deepcopy(request)
        approval = {"type": "Approved", "status": "True", "reason": "AutoApproved", "message": permission.message}
        approved.setdefault("status", {}).setdefault("conditions", []).append(approval)
        await self._client.resource(REQUESTS).update(approved, subresource="approval")


def _is_decided(request: JSONObject) -> bool:
    return condition(request, "Approved") is not None or condition(request, "Denied") is not None


def _permissions(request: JSONObject) -> list[_Permission]:
    """What would allow the request: none if it is not a node's for a client certificate."""
    spec = request["spec"]
    if spec.get("signerName") != KUBELET_CLIENT:
        return []
    csr = parsed(request)
    if objection(csr, spec.get("usages") or (), KUBELET_CLIENT) is not None:
        return []
    return [_SELF, _ANY] if spec.get("username") == common_name(csr) else [_ANY]
