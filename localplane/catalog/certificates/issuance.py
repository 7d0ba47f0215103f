"""What a signer may answer to a pod's request: that it is denied, that it failed, or a certificate that fits it.

An answer is final. Kubernetes: pkg/apis/certificates/validation, ValidatePodCertificateRequestStatusUpdate.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

from localplane.apimachinery.clock import present
from localplane.apimachinery.fieldpath import (
    OMIT_VALUE,
    FieldError,
    Path,
    invalid,
    not_supported,
    required,
    too_long,
)
from localplane.apimachinery.names import size
from localplane.apimachinery.times import parse_time
from localplane.catalog.validation.conditions import CONDITIONS

from .pem import blocks
from .x509 import CertificateFacts, certificate, request_key

JSONObject = Mapping[str, Any]

_STATUS = Path("status")
_CHAIN = _STATUS / "certificateChain"
_CHAIN_MAX = 100 * 1024
_KINDS = ("Issued", "Denied", "Failed")
_TIMES = {
    "notBefore": "must be present and consistent with the issued certificate",
    "notAfter": "must be present and consistent with the issued certificate",
    "beginRefreshAt": "must be present and in the range [notbefore+10min, notafter-10min]",
}
_SKEW, _MARGIN = timedelta(minutes=5), timedelta(minutes=10)


def issuing_errors(obj: JSONObject, old: JSONObject) -> Iterator[FieldError]:
    status, before = obj.get("status") or {}, old.get("status") or {}
    if errors := [*_kind_errors(status), *CONDITIONS(status.get("conditions") or (), _STATUS / "conditions")]:
        yield from errors
        return
    kinds, known = _kinds(status), _kinds(before)
    if known:
        if status != before:
            detail = "immutable after PodCertificateRequest is issued, denied, or failed"
            yield invalid(_STATUS, OMIT_VALUE, detail)
    elif kinds & {"Denied", "Failed"}:
        if status.keys() - {"conditions"}:
            detail = "non-condition status fields must be empty when denying or failing the PodCertificateRequest"
            yield invalid(_STATUS, OMIT_VALUE, detail)
    elif kinds:
        yield from _chain_errors(status, obj.get("spec") or {})
    elif status != before:
        detail = 'status is immutable unless transitioning to "Issued", "Denied", or "Failed"'
        yield invalid(_STATUS, OMIT_VALUE, detail)


def _kinds(status: JSONObject) -> set[str]:
    conditions = status.get("conditions") or ()
    return {each["type"] for each in conditions if each.get("status") == "True" and each.get("type") in _KINDS}


def _kind_errors(status: JSONObject) -> Iterator[FieldError]:
    seen = False
    for index, condition in enumerate(status.get("conditions") or ()):
        path, kind = _STATUS / "conditions" / f"[{index}]", condition.get("type") or ""
        if kind not in _KINDS:
            yield not_supported(path / "type", kind, _KINDS)
            continue
        if seen:
            detail = 'There may be at most one condition with type "Issued", "Denied", or "Failed"'
            yield invalid(path / "type", kind, detail)
        seen = True
        if condition.get("status") != "True":
            yield not_supported(path / "status", condition.get("status") or "", ("True",))


def _chain_errors(status: JSONObject, spec: JSONObject) -> Iterator[FieldError]:
    chain = status.get("certificateChain") or ""
    if size(chain) > _CHAIN_MAX:
        yield too_long(_CHAIN, _CHAIN_MAX)
        return
    found = list(blocks(chain.encode()))
    if not found:
        yield invalid(_CHAIN, chain, "issued certificate chain must contain at least one certificate")
        return
    if found[0].kind != "CERTIFICATE":
        yield invalid(_CHAIN, chain, "issued certificate chain must consist entirely of CERTIFICATE PEM blocks")
        return
    leaf = certificate(found[0].data)
    if leaf is None:
        yield invalid(_CHAIN, chain, "leaf certificate does not parse as valid X.509")
        return
    if errors := [*_name_errors(leaf), *_leaf_errors(leaf, chain, status, spec)]:
        yield from errors
        return
    for block in found[1:]:
        if block.kind != "CERTIFICATE":
            # Kubernetes misspells it here.
            yield invalid(_CHAIN, chain, "issued certificate chain must consist entirely of CERTFICATE PEM blocks")
            return
        if certificate(block.data) is None:
            yield invalid(_CHAIN, chain, "intermediate certificate does not parse as valid X.509")
            return


def _name_errors(leaf: CertificateFacts) -> Iterator[FieldError]:
    for name in leaf.dns_names:
        if not name:
            yield invalid(_CHAIN, name, "leaf certificate should not contain empty DNSName")
        if ".." in name:
            yield invalid(_CHAIN, name, "leaf certificate's DNSName should not contain '..'")
        if name.startswith(".") or name.endswith("."):
            yield invalid(_CHAIN, name, "leaf certificate's DNSName should not start or end with '.'")


def _leaf_errors(leaf: CertificateFacts, chain: str, status: JSONObject, spec: JSONObject) -> Iterator[FieldError]:
    key = request_key(base64.b64decode(spec.get("stubPKCS10Request") or ""))
    if key is None or key.encoded != leaf.public_key:
        yield invalid(_CHAIN, chain, "leaf certificate was not issued to the requested public key")
        return
    if missing := [required(_STATUS / name, said) for name, said in _TIMES.items() if not status.get(name)]:
        yield from missing
        return
    problem = _time_problem(leaf, status, timedelta(seconds=spec.get("maxExpirationSeconds") or 0))
    if problem is not None:
        yield problem


def _time_problem(leaf: CertificateFacts, status: JSONObject, most: timedelta) -> FieldError | None:
    """The first thing that is wrong with the times."""
    begins, ends, refreshes = (parse_time(status[name]) for name in _TIMES)
    lifetime = leaf.not_after - leaf.not_before
    nanoseconds = int(lifetime.total_seconds()) * 1_000_000_000
    seconds = int(most.total_seconds())
    checks = (
        (begins == leaf.not_before, "notBefore", "must be set to the NotBefore time encoded in the leaf certificate"),
        (
            abs(begins - present()) < _SKEW,
            "notBefore",
            "must be set to within 5 minutes of kube-apiserver's current time",
        ),
        (ends == leaf.not_after, "notAfter", "must be set to the NotAfter time encoded in the leaf certificate"),
        (lifetime >= timedelta(hours=1), "", "leaf certificate lifetime must be >= 1 hour"),
        (lifetime <= most, "", f"leaf certificate lifetime must be <= spec.maxExpirationSeconds ({seconds})"),
        (refreshes >= begins + _MARGIN, "beginRefreshAt", "must be at least 10 minutes after status.notBefore"),
        (refreshes <= ends - _MARGIN, "beginRefreshAt", "must be at least 10 minutes before status.notAfter"),
    )
    for is_right, field, said in checks:
        if not is_right:
            return invalid(_STATUS / field, status[field], said) if field else invalid(_CHAIN, nanoseconds, said)
    return None
