"""PodCertificateRequests: a kubelet asks for a certificate of a pod, once; a signer answers, once.

Kubernetes: pkg/registry/certificates/podcertificaterequest, and pkg/apis/certificates/validation,
ValidatePodCertificateRequestCreate.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import OMIT_VALUE, FieldError, Path, invalid, required, too_long
from localplane.apimachinery.names import annotation_key, size
from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.registry.strategy import StatusStrategy
from localplane.apiserver.request import Request
from localplane.catalog.core.pods.validation.projected import signer_name_errors
from localplane.catalog.declarations import builtin
from localplane.catalog.internal_form import internal_form
from localplane.catalog.strategy import ROOT, Asked, BuiltinStrategy
from localplane.catalog.validation.metadata import IMMUTABLE, metadata_update_errors
from localplane.catalog.validation.rules import DNS_SUBDOMAIN, Always, Fields, Struct

from .issuance import issuing_errors
from .x509 import request_key

_UID_MAX, _REQUEST_MAX, _ANNOTATIONS_MAX = 128, 10 * 1024, 256 * 1024
_DAY, _HOUR = 24 * 60 * 60, 60 * 60
_STATES = ("Issued", "Denied", "Failed")


def default_pod_certificate_request(obj: JSONObject) -> None:
    spec = obj.setdefault("spec", {})
    if spec.get("maxExpirationSeconds") is None:
        spec["maxExpirationSeconds"] = _DAY


def _annotations_errors(annotations: Mapping[str, str], path: Path) -> Iterator[FieldError]:
    for key in map(str.lower, sorted(annotations)):
        if not key:
            yield required(path)
        elif problems := annotation_key(key):
            yield from (invalid(path, key, problem) for problem in problems)
        elif "/" not in key:
            yield invalid(path, key, 'must be a domain-prefixed key (such as "acme.io/foo")')
    if sum(size(key) + size(value) for key, value in annotations.items()) > _ANNOTATIONS_MAX:
        yield too_long(path, _ANNOTATIONS_MAX)


def _uid_errors(uid: str, path: Path) -> Iterator[FieldError]:
    if not uid:
        yield invalid(path, uid, "must not be empty")
    if size(uid) > _UID_MAX:
        yield too_long(path, _UID_MAX)


def _expiration_errors(spec: JSONObject, path: Path) -> Iterator[FieldError]:
    seconds, place = spec.get("maxExpirationSeconds"), path / "maxExpirationSeconds"
    if seconds is None:
        yield required(place, "must be set")
        return
    domain = (spec.get("signerName") or "").partition("/")[0]
    most = _DAY if domain == "kubernetes.io" or domain.endswith(".kubernetes.io") else 91 * _DAY
    if not _HOUR <= seconds <= most:
        yield invalid(place, seconds, f"must be in the range [{_HOUR}, {most}]")
    yield from _request_errors(spec.get("stubPKCS10Request") or "", path)


def _request_errors(text: str, path: Path) -> Iterator[FieldError]:
    place = path / "stubPKCS10Request"
    if not text:
        detail = "exactly one of (stubPKCS10Request) or (pkixPublicKey, proofOfPossession) must be set"
        yield invalid(path, OMIT_VALUE, detail)
        return
    der = base64.b64decode(text)
    if len(der) > _REQUEST_MAX:
        yield too_long(place, _REQUEST_MAX)
        return
    key = request_key(der)
    if key is None:
        yield invalid(place, OMIT_VALUE, "must be a valid PKCS#10 CSR")
    elif key.problem:
        yield invalid(place, key.shown or OMIT_VALUE, key.problem)


_SPEC = Fields(
    signerName=Always(signer_name_errors),
    unverifiedUserAnnotations=_annotations_errors,
    podName=Always(DNS_SUBDOMAIN),
    podUID=Always(_uid_errors),
    serviceAccountName=Always(DNS_SUBDOMAIN),
    serviceAccountUID=Always(_uid_errors),
    nodeName=Always(DNS_SUBDOMAIN),
    nodeUID=Always(_uid_errors),
)


class PodCertificateRequestStrategy(BuiltinStrategy):
    tracks_generation = False
    rules = Fields(spec=Struct(_SPEC, _expiration_errors))
    on_update = (Asked.METADATA, Asked.CHANGES)

    def change_errors(self, obj: JSONObject, old: JSONObject) -> Iterator[FieldError]:
        spec, before = (
            internal_form(state.get("spec"), "certificates.PodCertificateRequestSpec") for state in (obj, old)
        )
        if spec != before:
            yield invalid(ROOT / "spec", spec, IMMUTABLE)


class PodCertificateRequestStatusStrategy(StatusStrategy):
    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        return metadata_update_errors(obj, old) or list(issuing_errors(obj, old))


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
