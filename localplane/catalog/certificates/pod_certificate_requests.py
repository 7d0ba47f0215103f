"""PodCertificateRequests: a kubelet asks for a certificate of a pod, once; a signer answers, once.

Kubernetes: pkg/registry/certificates/podcertificaterequest, and pkg/apis/certificates/validation,
ValidatePodCertificateRequestCreate.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import OMIT_VALUE, FieldError, Path, collected, invalid, required, too_long
from localplane.apimachinery.names import annotation_key, dns1123_subdomain, size
from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.registry.strategy import StatusStrategy, Strategy
from localplane.apiserver.request import Request
from localplane.catalog.core.pods.validation.projected import signer_name_errors
from localplane.catalog.declaring import builtin
from localplane.catalog.internal_form import internal_form
from localplane.catalog.validation.metadata import IMMUTABLE, metadata_errors, metadata_update_errors

from .issuing_rules import issuing_errors
from .x509 import request_key

_SPEC = Path("spec")
_REQUEST = _SPEC / "stubPKCS10Request"
_UID_MAX, _REQUEST_MAX, _ANNOTATIONS_MAX = 128, 10 * 1024, 256 * 1024
_DAY, _HOUR = 24 * 60 * 60, 60 * 60
_STATES = ("Issued", "Denied", "Failed")


class PodCertificateRequestStrategy(Strategy):
    tracks_generation = False
    validates_schema = False

    def validate(self, request: Request, obj: JSONObject) -> Sequence[FieldError]:
        return collected(
            metadata_errors(obj, namespaced=True, name=dns1123_subdomain), _spec_errors(obj.get("spec") or {})
        )

    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        spec, before = (
            internal_form(each.get("spec"), "certificates.PodCertificateRequestSpec") for each in (obj, old)
        )
        changed = [invalid(_SPEC, spec, IMMUTABLE)] if spec != before else []
        return collected(metadata_update_errors(obj, old), changed)


class PodCertificateRequestStatusStrategy(StatusStrategy):
    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        return metadata_update_errors(obj, old) or list(issuing_errors(obj, old))


def _spec_errors(spec: Mapping[str, Any]) -> Iterator[FieldError]:
    signer = spec.get("signerName") or ""
    yield from signer_name_errors(signer, _SPEC / "signerName")
    yield from _annotations_errors(spec.get("unverifiedUserAnnotations") or {})
    for owner in ("pod", "serviceAccount", "node"):
        name, uid = spec.get(f"{owner}Name") or "", spec.get(f"{owner}UID") or ""
        yield from (invalid(_SPEC / f"{owner}Name", name, problem) for problem in dns1123_subdomain(name))
        if not uid:
            yield invalid(_SPEC / f"{owner}UID", uid, "must not be empty")
        if size(uid) > _UID_MAX:
            yield too_long(_SPEC / f"{owner}UID", _UID_MAX)
    yield from _expiration_errors(spec.get("maxExpirationSeconds"), signer)
    if spec.get("maxExpirationSeconds") is not None:
        yield from _request_errors(spec.get("stubPKCS10Request") or "")


def _annotations_errors(annotations: Mapping[str, str]) -> Iterator[FieldError]:
    path = _SPEC / "unverifiedUserAnnotations"
    for key in map(str.lower, sorted(annotations)):
        if not key:
            yield required(path)
        elif problems := annotation_key(key):
            yield from (invalid(path, key, problem) for problem in problems)
        elif "/" not in key:
            yield invalid(path, key, 'must be a domain-prefixed key (such as "acme.io/foo")')
    if sum(size(key) + size(value) for key, value in annotations.items()) > _ANNOTATIONS_MAX:
        yield too_long(path, _ANNOTATIONS_MAX)


def _expiration_errors(seconds: int | None, signer: str) -> Iterator[FieldError]:
    path = _SPEC / "maxExpirationSeconds"
    if seconds is None:
        yield required(path, "must be set")
        return
    domain = signer.partition("/")[0]
    most = _DAY if domain == "kubernetes.io" or domain.endswith(".kubernetes.io") else 91 * _DAY
    if not _HOUR <= seconds <= most:
        yield invalid(path, seconds, f"must be in the range [{_HOUR}, {most}]")


def _request_errors(text: str) -> Iterator[FieldError]:
    if not text:
        detail = "exactly one of (stubPKCS10Request) or (pkixPublicKey, proofOfPossession) must be set"
        yield invalid(_SPEC, OMIT_VALUE, detail)
        return
    der = base64.b64decode(text)
    if len(der) > _REQUEST_MAX:
        yield too_long(_REQUEST, _REQUEST_MAX)
        return
    key = request_key(der)
    if key is None:
        yield invalid(_REQUEST, OMIT_VALUE, "must be a valid PKCS#10 CSR")
    elif key.problem:
        yield invalid(_REQUEST, key.shown or OMIT_VALUE, key.problem)


def default_pod_certificate_request(obj: JSONObject) -> None:
    spec = obj.setdefault("spec", {})
    if spec.get("maxExpirationSeconds") is None:
        spec["maxExpirationSeconds"] = _DAY


def pod_certificate_request_cells(obj: JSONObject) -> list[Any]:
    spec = obj.get("spec") or {}
    conditions = (obj.get("status") or {}).get("conditions") or ()
    states = ["Pending", *(each["type"] for each in conditions if each.get("type") in _STATES)]
    annotations = sorted((spec.get("unverifiedUserAnnotations") or {}).items())
    return [
        (obj.get("metadata") or {}).get("name", ""),
        *(spec.get(name) or "" for name in ("podName", "serviceAccountName", "nodeName", "signerName")),
        states[-1],
        ",".join(f"{key}={value}" for key, value in annotations) or "<none>",
    ]


POD_CERTIFICATE_REQUESTS = builtin(
    "certificates.k8s.io/podcertificaterequests",
    strategy=PodCertificateRequestStrategy(),
    status_strategy=PodCertificateRequestStatusStrategy,
    default=default_pod_certificate_request,
    cells=pod_certificate_request_cells,
)
