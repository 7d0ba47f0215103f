"""What is in a certificate signing request, and what each signer wants of it.

Kubernetes: pkg/apis/certificates/helpers.go and pkg/controller/certificates (certificate_controller_utils.go,
signer/signer.go).
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from cryptography.x509 import (
    CertificateSigningRequest,
    DNSName,
    ExtensionNotFound,
    IPAddress,
    RFC822Name,
    SubjectAlternativeName,
    UniformResourceIdentifier,
    load_pem_x509_csr,
)
from cryptography.x509.oid import NameOID

from localplane.client import GroupVersionResource
from localplane.controllers.pods import condition
from localplane.controllers.worker import NotYet

REQUESTS: Final = GroupVersionResource("certificates.k8s.io", "v1", "certificatesigningrequests")
ACCOUNT: Final = "certificate-controller"
API_SERVER_CLIENT: Final = "kubernetes.io/kube-apiserver-client"
KUBELET_CLIENT: Final = "kubernetes.io/kube-apiserver-client-kubelet"
KUBELET_SERVING: Final = "kubernetes.io/kubelet-serving"
LEGACY_UNKNOWN: Final = "kubernetes.io/legacy-unknown"
_NODE: Final = "system:node:"
_NODES: Final = ["system:nodes"]
_SIGNATURE, _ENCIPHERMENT = "digital signature", "key encipherment"


def is_issued(request: Mapping[str, Any]) -> bool:
    return bool((request.get("status") or {}).get("certificate"))


def is_approved(request: Mapping[str, Any]) -> bool:
    return condition(request, "Approved") is not None and condition(request, "Denied") is None


def has_failed(request: Mapping[str, Any]) -> bool:
    failed = condition(request, "Failed")
    return failed is not None and failed.get("status", "True") in ("", "True")


def parsed(request: Mapping[str, Any]) -> CertificateSigningRequest:
    """What stands in `spec.request`. Raises NotYet; the server lets in nothing that can't be read."""
    try:
        return load_pem_x509_csr(base64.b64decode(request["spec"]["request"]))
    except ValueError as error:
        raise NotYet(f'unable to parse csr "{request["metadata"]["name"]}": {error}') from error


def common_name(csr: CertificateSigningRequest) -> str:
    """The last one counts, as in Go."""
    names = csr.subject.get_attributes_for_oid(NameOID.COMMON_NAME)
    return str(names[-1].value) if names else ""


def alternative_names(csr: CertificateSigningRequest) -> SubjectAlternativeName:
    """Raises ValueError for names that can't be read."""
    try:
        return csr.extensions.get_extension_for_class(SubjectAlternativeName).value
    except ExtensionNotFound:
        return SubjectAlternativeName([])


def objection(csr: CertificateSigningRequest, usages: Sequence[str], signer: str) -> str | None:
    """Why the signer does not sign it. Nobody knows what an unknown signer wants, nor does the legacy one care."""
    try:
        names = alternative_names(csr)
    except ValueError as error:
        return str(error)
    if signer == KUBELET_SERVING:
        return _objection_to_serving(csr, names, usages)
    if signer == KUBELET_CLIENT:
        return _objection_to_node(csr, names, usages)
    return _objection_to_client(usages) if signer == API_SERVER_CLIENT else None


def _objection_to_node(
    csr: CertificateSigningRequest, names: SubjectAlternativeName, usages: Sequence[str]
) -> str | None:
    if _organizations(csr) != _NODES:
        return "subject organization is not system:nodes"
    for kind, what in (
        (DNSName, "DNS"),
        (RFC822Name, "Email"),
        (IPAddress, "IP"),
        (UniformResourceIdentifier, "URI"),
    ):
        if names.get_values_for_type(kind):
            return f"{what} subjectAltNames are not allowed"
    if not common_name(csr).startswith(_NODE):
        return "subject common name does not begin with system:node:"
    return _objection_to_usages(usages, "client auth")


def _objection_to_serving(
    csr: CertificateSigningRequest, names: SubjectAlternativeName, usages: Sequence[str]
) -> str | None:
    if _organizations(csr) != _NODES:
        return "subject organization is not system:nodes"
    if not names.get_values_for_type(DNSName) and not names.get_values_for_type(IPAddress):
        return "DNS or IP subjectAltName is required"
    if names.get_values_for_type(RFC822Name):
        return "Email subjectAltNames are not allowed"
    if names.get_values_for_type(UniformResourceIdentifier):
        return "URI subjectAltNames are not allowed"
    if (reason := _objection_to_usages(usages, "server auth")) is not None:
        return reason
    return None if common_name(csr).startswith(_NODE) else "subject common name does not begin with system:node:"


def _objection_to_client(usages: Sequence[str]) -> str | None:
    for usage in usages:
        if usage not in (_SIGNATURE, _ENCIPHERMENT, "client auth"):
            return f"invalid usage for client certificate: {usage}"
    return None if "client auth" in usages else "missing required usage for client certificate: client auth"


def _objection_to_usages(usages: Iterable[str], purpose: str) -> str | None:
    """Keys that can't encipher need not say that they do."""
    with_rsa = {_SIGNATURE, _ENCIPHERMENT, purpose}
    if set(usages) in (with_rsa, with_rsa - {_ENCIPHERMENT}):
        return None
    return f"usages did not match [{' '.join(sorted(with_rsa))}]"


def _organizations(csr: CertificateSigningRequest) -> list[str]:
    return [str(name.value) for name in csr.subject.get_attributes_for_oid(NameOID.ORGANIZATION_NAME)]
