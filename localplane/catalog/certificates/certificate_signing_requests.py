"""CertificateSigningRequests: who asks for a certificate, whether that is approved, and what was issued.

A request never changes after it was made. `approval` decides on it, `status` holds what the signer has to say; neither
can do what the other does. Kubernetes: pkg/registry/certificates/certificates.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from localplane.apimachinery.fieldpath import FieldError
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import copied
from localplane.apimachinery.times import age, human_duration, now
from localplane.apiserver.registry.definition import Definition
from localplane.apiserver.registry.store import SubresourceStore
from localplane.apiserver.request import Request
from localplane.catalog.declarations import builtin
from localplane.catalog.strategy import Asked, BuiltinStrategy

from .signing_request_rules import certificate_errors, condition_change_errors, conditions_errors, spec_errors

_REQUESTER = ("username", "uid", "groups", "extra")
_DECISIONS = ("Approved", "Denied")


def _any_name(_: str, /, *, prefix: bool = False) -> list[str]:  # noqa: ARG001 - any will do
    return []


class CertificateSigningRequestStrategy(BuiltinStrategy):
    """`decides` and `issues` say what a way to change a request may do; the main one may do neither."""

    allow_unconditional_update = True
    tracks_generation = False
    reset_fields = ("spec", "status")
    namespaced = False  # said here, as those of status and approval are made apart from the table
    valid_name = staticmethod(_any_name)
    on_update = (Asked.OBJECT, Asked.CHANGES, Asked.METADATA)
    decides = False
    issues = False

    def prepare_for_create(self, request: Request, obj: JSONObject) -> None:
        """Who asks is who sent the request, whatever it says."""
        spec = obj.setdefault("spec", {})
        for name in _REQUESTER:
            spec.pop(name, None)
        if (user := request.user) is None:
            return
        extra = {name: list(values) for name, values in user.extra.items()}
        found = {"username": user.name, "uid": user.uid, "groups": list(user.groups), "extra": extra}
        spec.update({name: value for name, value in found.items() if value})

    def prepare_for_update(self, request: Request, obj: JSONObject, old: JSONObject) -> None:
        _keep(obj, old, "spec")

    def errors(self, obj: JSONObject, old: JSONObject | None) -> Iterator[FieldError]:
        return spec_errors(obj.get("spec") or {}, (old or {}).get("spec"))

    def change_errors(self, obj: JSONObject, old: JSONObject) -> Iterator[FieldError]:
        conditions, known = _conditions(obj), _conditions(old)
        yield from conditions_errors(conditions, known)
        yield from condition_change_errors(conditions, known, decides=self.decides)
        yield from certificate_errors(_certificate(obj), _certificate(old), issues=self.issues)


class CertificateSigningRequestStatusStrategy(CertificateSigningRequestStrategy):
    resets_status = False
    reset_fields = ("spec", "status.conditions")
    issues = True

    def prepare_for_update(self, request: Request, obj: JSONObject, old: JSONObject) -> None:
        _keep(obj, old, "spec")
        conditions, known = _conditions(obj), _conditions(old)
        for kind in _DECISIONS:
            places = [index for index, each in enumerate(conditions) if each.get("type") == kind]
            before = [each for each in known if each.get("type") == kind]
            if len(places) == len(before):
                for index, each in zip(places, before, strict=True):
                    conditions[index] = copied(each)
        _stamp(conditions, known)


class CertificateSigningRequestApprovalStrategy(CertificateSigningRequestStrategy):
    resets_status = False
    reset_fields = ("spec", "status.certificate")
    decides = True

    def prepare_for_update(self, request: Request, obj: JSONObject, old: JSONObject) -> None:
        """Of all that was sent only the conditions count."""
        conditions = _conditions(obj)
        _stamp(conditions, _conditions(old))
        _keep(obj, old, "spec")
        _keep(obj, old, "status")
        status = obj.setdefault("status", {})
        status.pop("conditions", None)
        if conditions:
            status["conditions"] = conditions


def _keep(obj: JSONObject, old: JSONObject, field: str) -> None:
    obj.pop(field, None)
    if field in old:
        obj[field] = copied(old[field])


def _conditions(obj: JSONObject) -> list[JSONObject]:
    return (obj.get("status") or {}).get("conditions") or []


def _certificate(obj: JSONObject) -> str:
    return (obj.get("status") or {}).get("certificate") or ""


def _stamp(conditions: list[JSONObject], old: list[JSONObject]) -> None:
    """In place: the times that nobody gave. A status that was there before keeps the time of its transition."""
    moment, times = now(), dict[tuple[Any, Any], str]()
    for condition in old:
        if condition.get("lastTransitionTime"):
            times.setdefault((condition.get("type"), condition.get("status")), condition["lastTransitionTime"])
    for condition in conditions:
        if not condition.get("lastUpdateTime"):
            condition["lastUpdateTime"] = moment
        if not condition.get("lastTransitionTime"):
            known = times.get((condition.get("type"), condition.get("status")))
            condition["lastTransitionTime"] = known or moment


def approval(definition: Definition) -> SubresourceStore:
    return SubresourceStore(definition.with_strategy(CertificateSigningRequestApprovalStrategy()))


def certificate_signing_request_cells(obj: JSONObject) -> list[Any]:
    metadata, spec = obj.get("metadata") or {}, obj.get("spec") or {}
    seconds = spec.get("expirationSeconds")
    return [
        metadata.get("name", ""),
        age(metadata.get("creationTimestamp")),
        spec.get("signerName") or "<none>",
        spec.get("username") or "",
        "<none>" if seconds is None else human_duration(timedelta(seconds=seconds)),
        _state(obj),
    ]


def _state(obj: JSONObject) -> str:
    kinds = {condition.get("type") for condition in _conditions(obj)}
    state = next((kind for kind in ("Denied", "Approved") if kind in kinds), "Pending")
    if "Failed" in kinds:
        state += ",Failed"
    return f"{state},Issued" if _certificate(obj) else state


CERTIFICATE_SIGNING_REQUESTS = builtin(
    "certificates.k8s.io/certificatesigningrequests",
    strategy=CertificateSigningRequestStrategy(),
    status_strategy=CertificateSigningRequestStatusStrategy(),
    cells=certificate_signing_request_cells,
    subresources={"approval": approval},
)
