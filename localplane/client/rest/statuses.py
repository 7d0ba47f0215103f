"""From what a server answered to the exception that says it.

A Status becomes the APIError of its reason. Reasons that nobody knows keep their name and code, and are of the class
that their code stands for. Kubernetes: errors.FromObject and NewGenericServerResponse in apimachinery/pkg/api/errors.
"""

from __future__ import annotations

from collections.abc import Mapping

from localplane.apimachinery import errors
from localplane.apimachinery.errors import APIError, Cause
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.groups import GroupResource
from localplane.apimachinery.light_typing import Any
from localplane.apimachinery.records import record
from localplane.apimachinery.serializers import protobuf

from .json_bodies import loads

_CLASSES: tuple[type[APIError], ...] = (
    errors.BadRequest,
    errors.Unauthorized,
    errors.Forbidden,
    errors.NotFound,
    errors.MethodNotAllowed,
    errors.NotAcceptable,
    errors.AlreadyExists,
    errors.Conflict,
    errors.Expired,
    errors.RequestEntityTooLarge,
    errors.UnsupportedMediaType,
    errors.Invalid,
    errors.TooManyRequests,
    errors.InternalError,
    errors.ServiceUnavailable,
    errors.Timeout,
)
_BY_REASON = {cls.reason: cls for cls in _CLASSES} | {"Gone": errors.Expired}
_BY_CODE = {cls.code: cls for cls in _CLASSES}
_LONGEST_TEXT = 2048
_PROTOBUF = b"k8s\x00"


@record
class Subject:
    """What a request was about, for the sentence of an answer that says nothing itself."""

    method: str
    resource: GroupResource | None = None
    name: str = ""


def from_status(status: Mapping[str, Any], *, code: int = 0) -> APIError:
    """`code` is that of the HTTP answer, for a Status without one."""
    reason = str(status.get("reason") or "")
    code = int(status.get("code") or code or 500)
    details = dict(status.get("details") or {})
    causes = tuple(_cause(cause) for cause in details.pop("causes", None) or ())
    retry_after = int(details.pop("retryAfterSeconds", None) or 0)
    metadata = status.get("metadata") or {}
    return _error(
        reason,
        code,
        str(status.get("message") or ""),
        details=details if status.get("details") is not None else None,
        causes=causes,
        retry_after_seconds=retry_after,
        continue_token=str(metadata.get("continue") or ""),
    )


def from_answer(code: int, body: bytes, *, content_type: str, retry_after: int, subject: Subject) -> APIError:
    """An answer that is no success: its Status if it has one, otherwise what its code means."""
    try:
        status = _from_protobuf(body) if body.startswith(_PROTOBUF) else loads(body)
    except ValueError:
        status = None
    if isinstance(status, dict) and status.get("kind") == "Status" and status.get("status") == "Failure":
        return from_status(status, code=code)
    is_text = not content_type or content_type.startswith("text/")
    said = body[:_LONGEST_TEXT].decode("utf-8", "replace").strip() if is_text else "unknown"
    reason, message = _guess(code, subject.method, said)
    details: dict[str, Any] = {}
    if subject.resource is not None:
        details = errors.resource_details(subject.resource, subject.name)
        about = " ".join(filter(None, (subject.method.lower(), str(subject.resource), subject.name)))
        message = f"{message} ({about})"
    causes = (Cause("UnexpectedServerResponse", said),)
    return _error(reason, code, message, details=details, causes=causes, retry_after_seconds=retry_after)


def _cause(cause: Mapping[str, Any]) -> Cause:
    return Cause(str(cause.get("reason", "")), str(cause.get("message", "")), str(cause.get("field", "")))


def _error(reason: str, code: int, message: str, **rest: Any) -> APIError:
    cls = _BY_REASON.get(reason) or _BY_CODE.get(code, APIError)
    if (cls.code, cls.reason) != (code, reason):
        # The class says what kind of error it is; code and reason stay what the server said.
        cls = type(cls.__name__, (cls,), {"code": code, "reason": reason})
    error: APIError = cls.__new__(cls, message)
    APIError.__init__(error, message, **rest)  # some classes take less
    return error


_GENERIC = {
    400: ("BadRequest", "the server rejected our request for an unknown reason"),
    401: ("Unauthorized", "the server has asked for the client to provide credentials"),
    404: ("NotFound", "the server could not find the requested resource"),
    405: ("MethodNotAllowed", "the server does not allow this method on the requested resource"),
    409: ("Conflict", "the server reported a conflict"),
    422: ("Invalid", "the server rejected our request due to an error in our request"),
    429: ("TooManyRequests", "the server has received too many requests and has asked us to try again later"),
    503: ("ServiceUnavailable", "the server is currently unable to handle the request"),
    504: (
        "Timeout",
        "the server was unable to return a response in the time allotted, but may still be processing the request",
    ),
}


def _guess(code: int, method: str, said: str) -> tuple[str, str]:
    """A reason and a sentence for a bare code."""
    if code == 409 and method == "POST":
        return "AlreadyExists", _GENERIC[409][1]
    if code in _GENERIC:
        return _GENERIC[code]
    if code == 403:
        return "Forbidden", said
    if code == 406 and said in ("", "unknown"):
        return "NotAcceptable", "the server was unable to respond with a content type that the client supports"
    if code in (406, 415):
        return _BY_CODE[code].reason, said
    if code >= 500:
        return "InternalError", f"an error on the server ({go_quote(said)}) has prevented the request from succeeding"
    return "", f"the server responded with the status code {code} but did not return more information"


def _from_protobuf(body: bytes) -> dict[str, Any]:
    """For those who ask for protobuf: refusals come so too."""
    envelope = protobuf.opened(body)
    return {"kind": envelope.kind} | protobuf.read_message(protobuf.status(), envelope.message)
