"""The AdmissionReview that a webhook is sent, and the one that it answers with.

Kubernetes: apiserver/pkg/admission/plugin/webhook/request, admissionreview.go; errors/statuserror.go.
"""

from __future__ import annotations

import base64
import binascii
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import orjson

from localplane.apimachinery.errors import APIError
from localplane.apimachinery.golang.text import go_quote, json_type
from localplane.apimachinery.objects import JSONObject
from localplane.servers.kube.admission.matching.requests import admission_request
from localplane.servers.kube.admission.matching.writes import Write, WriteMatch

_GROUP: Final = "admission.k8s.io"
_VERSIONS: Final = ("v1", "v1beta1")
_KIND: Final = "AdmissionReview"


_REVIEW: Final = {"kind": str, "apiVersion": str, "response": dict}
_RESPONSE: Final = {
    "uid": str,
    "allowed": bool,
    "status": dict,
    "patch": str,
    "patchType": str,
    "auditAnnotations": dict,
    "warnings": list,
}
_GO_TYPES: Final = {str: "string", bool: "bool", dict: "map[string]string", list: "[]string"}


class InvalidReview(ValueError):
    """A webhook that can't be asked, or an answer that does not fit the question."""


class Undecodable(ValueError):
    """No answer at all."""


@dataclass(frozen=True, slots=True)
class WebhookAnswer:
    is_allowed: bool
    patch: bytes
    patch_type: str
    status: Mapping[str, Any] | None
    warnings: Sequence[str]


class WebhookReview:
    """One question to one webhook, in the first version that it lists and that we speak. Raises InvalidReview."""

    def __init__(self, write: Write, match: WriteMatch, versions: Sequence[str]) -> None:
        version = next((each for each in versions if each in _VERSIONS), None)
        if version is None:
            raise InvalidReview("webhook does not accept known AdmissionReview versions (v1, v1beta1)")
        self._version = version
        self._uid = str(uuid.uuid4())
        self._write = write
        self._match = match

    async def question(self) -> bytes:
        seen = await self._write.seen_as(self._match.kind)
        request = {
            "uid": self._uid,
            **admission_request(self._write, self._match),
            "object": seen.object,
            "oldObject": seen.old_object,
        }
        return orjson.dumps({"kind": _KIND, "apiVersion": f"{_GROUP}/{self._version}", "request": request})

    def answer(self, body: bytes, *, mutates: bool) -> WebhookAnswer:
        """Raises Undecodable or InvalidReview."""
        told = _object(body)
        response = told.get("response")
        if response is None:
            raise InvalidReview("webhook response was absent")
        patch, patch_type = _patch(response), response.get("patchType")
        if self._version == "v1":
            self._check(told, response)
            _check_patch(patch, patch_type, mutates=mutates)
        else:
            patch_type = "JSONPatch" if patch else ""
        return WebhookAnswer(
            is_allowed=bool(response.get("allowed")),
            patch=patch if mutates else b"",
            patch_type=patch_type or "",
            status=response.get("status"),
            warnings=response.get("warnings") or (),
        )

    def _check(self, told: JSONObject, response: JSONObject) -> None:
        uid = response.get("uid") or ""
        if uid != self._uid:
            raise InvalidReview(f"expected response.uid={go_quote(self._uid)}, got {go_quote(uid)}")
        api_version, kind = told.get("apiVersion") or "", told.get("kind") or ""
        if (api_version, kind) != (f"{_GROUP}/v1", _KIND):
            found = f"{api_version if '/' in api_version else '/' + api_version}, Kind={kind}"
            raise InvalidReview(f"expected webhook response of {_GROUP}/v1, Kind={_KIND}, got {found}")


def _object(body: bytes) -> JSONObject:
    """An answer whose fields have the types that they must have."""
    try:
        told = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise Undecodable(f"couldn't get version/kind; json parse error: {error}") from error
    if not isinstance(told, dict):
        problem = f"json: cannot unmarshal {json_type(told)} into Go value of type struct"
        raise Undecodable(f"couldn't get version/kind; json parse error: {problem}")
    _check_types(told, _REVIEW, "AdmissionReview")
    _check_types(told.get("response") or {}, _RESPONSE, "AdmissionResponse.response")
    for warning in (told.get("response") or {}).get("warnings") or ():
        _check_types({"warnings": warning}, {"warnings": str}, "AdmissionResponse.response")
    return told


def _check_types(obj: JSONObject, types: Mapping[str, type], where: str) -> None:
    for name, wanted in types.items():
        value = obj.get(name)
        if value is not None and not isinstance(value, wanted):
            problem = f"json: cannot unmarshal {json_type(value)} into Go struct field {where}.{name}"
            raise Undecodable(f"{problem} of type {_GO_TYPES[wanted]}")


def _patch(response: JSONObject) -> bytes:
    try:
        return base64.b64decode(response.get("patch") or "", validate=True)
    except binascii.Error as error:
        raise Undecodable(f"illegal base64 data in response.patch: {error}") from error


def _check_patch(patch: bytes, patch_type: Any, *, mutates: bool) -> None:
    if not mutates and patch:
        raise InvalidReview("validating webhook may not return response.patch")
    if not mutates and patch_type is not None:
        raise InvalidReview("validating webhook may not return response.patchType")
    if patch and patch_type is None:
        raise InvalidReview("webhook returned response.patch but not response.patchType")
    if not patch and patch_type is not None:
        raise InvalidReview("webhook returned response.patchType but not response.patch")
    if patch_type is not None and not patch_type:
        raise InvalidReview('webhook returned invalid response.patchType of ""')


def _code(told: Any) -> int:
    """The status line is ours: a refusal has a code of one, whatever a webhook says."""
    return told if type(told) is int and 400 <= told <= 599 else 400


def refusal(name: str, status: Mapping[str, Any] | None) -> APIError:
    """What a client is told when a webhook says no: the webhook's own Status, as far as it is one."""
    told = status or {}
    reason, message = str(told.get("reason") or ""), str(told.get("message") or "")
    denied = f"admission webhook {go_quote(name)} denied the request"
    why = message or reason
    kind: type[APIError] = type("Refusal", (APIError,), {"code": _code(told.get("code")), "reason": reason})
    details = told.get("details")
    sentence = f"{denied}: {why}" if why else f"{denied} without explanation"
    return kind(sentence, details=details if isinstance(details, dict) else None)
