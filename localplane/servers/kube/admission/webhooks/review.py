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
from localplane.apimachinery.gotext import go_json, go_quote, go_type_name
from localplane.servers.kube.admission.matching.requests import admission_request
from localplane.servers.kube.admission.matching.writes import Match, Write

JSONObject = dict[str, Any]

_GROUP: Final = "admission.k8s.io"
_VERSIONS: Final = ("v1", "v1beta1")
_KIND: Final = "AdmissionReview"


class InvalidReview(ValueError):
    """A webhook that can't be asked, or an answer that is none."""


@dataclass(frozen=True, slots=True)
class Answer:
    is_allowed: bool
    patch: bytes
    patch_type: str
    status: Mapping[str, Any] | None
    warnings: Sequence[str]


class Review:
    """One question to one webhook, in the first version that it lists and that we speak. Raises InvalidReview."""

    def __init__(self, write: Write, match: Match, versions: Sequence[str]) -> None:
        version = next((each for each in versions if each in _VERSIONS), None)
        if version is None:
            raise InvalidReview("webhook does not accept known AdmissionReview versions (v1, v1beta1)")
        self._version = version
        self._uid = str(uuid.uuid4())
        self._write = write
        self._match = match

    def question(self) -> bytes:
        seen = self._write.seen_as(self._match.kind)
        request = {
            "uid": self._uid,
            **admission_request(self._write, self._match),
            "object": seen.object,
            "oldObject": seen.old_object,
        }
        return orjson.dumps({"kind": _KIND, "apiVersion": f"{_GROUP}/{self._version}", "request": request})

    def answer(self, body: bytes, *, mutates: bool) -> Answer:
        """Raises InvalidReview."""
        told = _object(body)
        response = told.get("response")
        if not isinstance(response, dict):
            raise InvalidReview("webhook response was absent")
        patch, patch_type = _patch(response), response.get("patchType")
        if self._version == "v1":
            self._check(told, response)
            _check_patch(patch, patch_type, mutates=mutates)
        else:
            patch_type = "JSONPatch" if patch else ""
        return Answer(
            is_allowed=response.get("allowed") is True,
            patch=patch if mutates else b"",
            patch_type=patch_type or "",
            status=response.get("status"),
            warnings=response.get("warnings") or (),
        )

    def _check(self, told: JSONObject, response: JSONObject) -> None:
        uid = response.get("uid", "")
        if uid != self._uid:
            raise InvalidReview(f"expected response.uid={go_quote(self._uid)}, got {go_quote(uid)}")
        api_version, kind = told.get("apiVersion", ""), told.get("kind", "")
        if (api_version, kind) != (f"{_GROUP}/v1", _KIND):
            found = f"{api_version if '/' in api_version else '/' + api_version}, Kind={kind}"
            raise InvalidReview(f"expected webhook response of {_GROUP}/v1, Kind={_KIND}, got {found}")


def _object(body: bytes) -> JSONObject:
    try:
        told = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise InvalidReview(f"couldn't get version/kind; json parse error: {error}") from error
    if not isinstance(told, dict):
        problem = f"json: cannot unmarshal {go_type_name(told)} into Go value of type struct"
        raise InvalidReview(f"couldn't get version/kind; json parse error: {problem}")
    for name in ("Kind", "apiVersion"):
        if not told.get(name if name != "Kind" else "kind"):
            raise InvalidReview(f"Object '{name}' is missing in '{go_json(told)}'")
    return told


def _patch(response: JSONObject) -> bytes:
    try:
        return base64.b64decode(response.get("patch") or "", validate=True)
    except (binascii.Error, TypeError, ValueError) as error:
        raise InvalidReview(f"response.patch is no base64: {error}") from error


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


def refusal(name: str, status: Mapping[str, Any] | None) -> APIError:
    """What a client is told when a webhook says no: the webhook's own Status, as far as it is one."""
    told = status or {}
    reason, message = str(told.get("reason") or ""), str(told.get("message") or "")
    code = told.get("code")
    denied = f"admission webhook {go_quote(name)} denied the request"
    why = message or reason
    kind: type[APIError] = type(
        "Refusal", (APIError,), {"code": code if isinstance(code, int) and code >= 400 else 400, "reason": reason}
    )
    details = told.get("details")
    sentence = f"{denied}: {why}" if why else f"{denied} without explanation"
    return kind(sentence, details=details if isinstance(details, dict) else None)
