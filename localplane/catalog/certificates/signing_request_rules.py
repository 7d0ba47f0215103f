"""What may stand in a certificate signing request, and what may become of it.

Faults that a stored request has already are forgiven. Kubernetes: pkg/apis/certificates/validation.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, duplicate, forbidden, invalid, not_supported, required
from localplane.apimachinery.golang.text import go_quote
from localplane.catalog.core.pods.validation.projected import signer_name_errors
from localplane.catalog.validation.rules import AtLeast, Fields
from localplane.catalog.validation.values import repeated

from .x509 import certificates_problem, request_problem

JSONObject = Mapping[str, Any]

_SPEC, _STATUS = Path("spec"), Path("status")
_CONDITIONS = _STATUS / "conditions"
_LEGACY_SIGNER = "kubernetes.io/legacy-unknown"
_EXPIRATION = Fields(expirationSeconds=AtLeast(600, "may not specify a duration less than 600 seconds (10 minutes)"))
_FINAL = ("Approved", "Denied", "Failed")
_DECISIONS = ("Approved", "Denied")
_USAGES = (
    "any",
    "cert sign",
    "client auth",
    "code signing",
    "content commitment",
    "crl sign",
    "data encipherment",
    "decipher only",
    "digital signature",
    "email protection",
    "encipher only",
    "ipsec end system",
    "ipsec tunnel",
    "ipsec user",
    "key agreement",
    "key encipherment",
    "microsoft sgc",
    "netscape sgc",
    "ocsp signing",
    "s/mime",
    "server auth",
    "signing",
    "timestamping",
)


def spec_errors(spec: JSONObject, old: JSONObject | None = None) -> Iterator[FieldError]:
    request, signer = spec.get("request") or "", spec.get("signerName") or ""
    if problem := request_problem(base64.b64decode(request)):
        yield invalid(_SPEC / "request", spec.get("request"), problem)
    yield from _usage_errors(spec.get("usages") or (), (old or {}).get("usages") or ())
    if signer == _LEGACY_SIGNER and (old or {}).get("signerName") != _LEGACY_SIGNER:
        detail = "the legacy signerName is not allowed via this API version"
        yield invalid(_SPEC / "signerName", signer, detail)
    else:
        yield from signer_name_errors(signer, _SPEC / "signerName")
    yield from _EXPIRATION(spec, _SPEC)


def _usage_errors(usages: Sequence[str], old: Sequence[str]) -> Iterator[FieldError]:
    path = _SPEC / "usages"
    if not usages:
        yield required(path)
    if set(old) <= set(_USAGES):
        for index, usage in enumerate(usages):
            if usage not in _USAGES:
                yield not_supported(path[index], usage, _USAGES)
    if len(set(old)) == len(old):
        again = enumerate(zip(usages, repeated(usages), strict=True))
        yield from (duplicate(path[index], usage) for index, (usage, is_repeated) in again if is_repeated)


def conditions_errors(conditions: Sequence[JSONObject], old: Sequence[JSONObject] = ()) -> Iterator[FieldError]:
    kinds, known = _kinds(conditions), _kinds(old)
    distinct = set(known)
    was_unique = len(distinct) == len(known)
    for index, (condition, is_repeated) in enumerate(zip(conditions, repeated(kinds), strict=True)):
        path, kind, status = _CONDITIONS[index], kinds[index], condition.get("status") or ""
        if not kind and "" not in distinct:
            yield required(path / "type")
        allowed = ("True",) if kind in _FINAL else ("False", "True", "Unknown")
        if not status:
            yield required(path / "status")
        elif status not in allowed:
            yield not_supported(path / "status", status, allowed)
        if is_repeated and was_unique:
            yield duplicate(path / "type", kind)
    if set(_DECISIONS) <= set(kinds) and not set(_DECISIONS) <= set(known):
        names = [f'conditions[{{"type": "{kind}"}}]' for kind in _DECISIONS]
        quoted = ", ".join(f"`{name}`" for name in names)
        yield invalid(_CONDITIONS, f"{{{', '.join(names)}}}", f"must specify at most one of: {quoted}")


def _kinds(conditions: Sequence[JSONObject]) -> list[str]:
    return [condition.get("type") or "" for condition in conditions]


def condition_change_errors(
    conditions: Sequence[JSONObject], old: Sequence[JSONObject], *, decides: bool
) -> Iterator[FieldError]:
    """A decision stays, and only who `decides` adds one."""
    kinds, known = _kinds(conditions), _kinds(old)
    for kind in _FINAL:
        if kinds.count(kind) < known.count(kind):
            yield forbidden(_CONDITIONS, f"updates may not remove a condition of type {go_quote(kind)}")
    for kind in () if decides else _DECISIONS:
        if kinds.count(kind) > known.count(kind):
            yield forbidden(_CONDITIONS, f"updates may not add a condition of type {go_quote(kind)}")


def certificate_errors(certificate: str, old: str, *, issues: bool) -> Iterator[FieldError]:
    """A certificate is set once, by who `issues` it."""
    path = _STATUS / "certificate"
    if certificate == old:
        return
    problem = _chain_problem(certificate)
    if problem and not _chain_problem(old):
        yield invalid(path, "<certificate data>", problem)
    if not issues:
        yield forbidden(path, "updates may not set certificate content")
    elif old:
        yield forbidden(path, "updates may not modify existing certificate content")


def _chain_problem(certificate: str) -> str:
    return certificates_problem(base64.b64decode(certificate)) if certificate else ""
