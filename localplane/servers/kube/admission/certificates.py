"""CertificateApproval, CertificateSigning, CertificateSubjectRestriction: whoever approves or signs a request must be
allowed to for its signer, and nobody gets a certificate of the masters so.

Kubernetes: plugin/pkg/admission/certificates, pkg/apis/certificates IsAuthorizedForSignerName.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterator
from typing import Any, Final

from cryptography.x509 import NameOID, load_pem_x509_csr

from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.groups import GroupResource
from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.admission import Attributes, Operation
from localplane.apiserver.authorization import SYSTEM_MASTERS, Authorizer
from localplane.apiserver.authorization import Attributes as Question

from .plugin import SelectivePlugin, refused, spec, written

_GROUP: Final = "certificates.k8s.io"
_REQUESTS: Final = GroupResource(_GROUP, "certificatesigningrequests")
_CLIENT_SIGNER: Final = "kubernetes.io/kube-apiserver-client"


class _SignerPlugin(SelectivePlugin):
    operations = (Operation.UPDATE,)
    resources = (_REQUESTS,)
    authorizer: Authorizer

    def initialize(self, provided: Any) -> None:
        self.authorizer = provided.demanding

    async def _may(self, attributes: Attributes, verb: str, signer: str) -> bool:
        """For this signer, or for all of its domain."""
        for name in (signer, f"{signer.partition('/')[0]}/*"):
            question = Question(attributes.user, verb, group=_GROUP, version="*", resource="signers", name=name)
            if (await self.authorizer.authorize(question)).allowed:
                return True
        return False


class CertificateApproval(_SignerPlugin):
    name = "CertificateApproval"

    async def validate(self, attributes: Attributes) -> None:
        if attributes.subresource != "approval" or attributes.old_object is None:
            return
        signer = spec(attributes.old_object).get("signerName", "")
        if not await self._may(attributes, "approve", signer):
            raise refused(attributes, f"user not permitted to approve requests with signerName {go_quote(signer)}")


class CertificateSigning(_SignerPlugin):
    name = "CertificateSigning"

    async def validate(self, attributes: Attributes) -> None:
        if attributes.subresource != "status" or attributes.old_object is None:
            return
        if _issued(written(attributes)) == _issued(attributes.old_object):
            return
        signer = spec(attributes.old_object).get("signerName", "")
        if not await self._may(attributes, "sign", signer):
            raise refused(attributes, f"user not permitted to sign requests with signerName {go_quote(signer)}")


class CertificateSubjectRestriction(SelectivePlugin):
    name = "CertificateSubjectRestriction"
    operations = (Operation.CREATE,)
    resources = (_REQUESTS,)

    async def validate(self, attributes: Attributes) -> None:
        request = spec(written(attributes))
        if attributes.subresource or request.get("signerName") != _CLIENT_SIGNER:
            return
        try:
            organizations = list(_organizations(request.get("request", "")))
        except ValueError as error:
            raise refused(attributes, f"failed to parse CSR: {error}") from error
        if SYSTEM_MASTERS in organizations:
            raise refused(attributes, f"use of {_CLIENT_SIGNER} signer with {SYSTEM_MASTERS} group is not allowed")


def _issued(request: JSONObject) -> tuple[Any, Any]:
    status = request.get("status") or {}
    return status.get("certificate") or "", status.get("conditions") or []


def _organizations(request: str) -> Iterator[str]:
    """Raises ValueError if that is no request."""
    parsed = load_pem_x509_csr(b64decode(request, validate=True))
    for attribute in parsed.subject.get_attributes_for_oid(NameOID.ORGANIZATION_NAME):
        yield str(attribute.value)
