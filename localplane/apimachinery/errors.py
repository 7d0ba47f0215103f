"""What the API says no with: one class for each of Kubernetes' reasons.

    APIError
    ├── BadRequest            400
    ├── Unauthorized          401
    ├── Forbidden             403
    ├── NotFound              404
    ├── MethodNotAllowed      405
    ├── NotAcceptable         406
    ├── AlreadyExists         409
    ├── Conflict              409
    ├── Expired               410
    ├── RequestEntityTooLarge 413
    ├── UnsupportedMediaType  415
    ├── Invalid               422
    ├── TooManyRequests       429
    ├── InternalError         500
    ├── ServiceUnavailable    503
    └── Timeout               504

Each carries data and builds the Status object that a client gets; where Kubernetes has a sentence for the case, `of`
builds it. Kubernetes: apimachinery/pkg/api/errors.
"""

from __future__ import annotations

from collections.abc import Sequence

from localplane.apimachinery.light_typing import TYPE_CHECKING, Any, ClassVar, Self

from .golang.text import go_quote
from .records import record

if TYPE_CHECKING:
    from .fieldpath import FieldError
    from .groups import GroupKind, GroupResource


@record
class Cause:
    reason: str
    message: str
    field: str = ""


class APIError(Exception):
    """A refusal, as it goes over the wire: raised by a server's code it becomes the answer, raised by a client it is
    the answer. `code` is HTTP's, `reason` Kubernetes' word for it. `details` that are given appear in the Status, even
    if they are empty."""

    code: ClassVar[int] = 500
    reason: ClassVar[str] = ""

    def __init__(
        self,
        message: str,
        *,
        details: dict[str, Any] | None = None,
        causes: tuple[Cause, ...] = (),
        retry_after_seconds: int = 0,
        continue_token: str = "",
    ) -> None:
        super().__init__(message)
        self.message = message
        self.causes = causes
        self.retry_after_seconds = retry_after_seconds
        self.continue_token = continue_token
        self._details = details

    def status(self) -> dict[str, Any]:
        """The Status object for the wire, in Kubernetes' key order."""
        status: dict[str, Any] = {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {"continue": self.continue_token} if self.continue_token else {},
            "status": "Failure",
            "message": self.message,
        }
        if self.reason:
            status["reason"] = self.reason
        details = self._full_details()
        if details or self._details is not None:
            status["details"] = details
        status["code"] = self.code
        return status

    def _full_details(self) -> dict[str, Any]:
        details = dict(self._details or {})
        if self.causes:
            details["causes"] = [
                _present(reason=cause.reason, message=cause.message, field=cause.field) for cause in self.causes
            ]
        if self.retry_after_seconds:
            details["retryAfterSeconds"] = self.retry_after_seconds
        return details


def _present(**values: str) -> dict[str, str]:
    return {key: value for key, value in values.items() if value}


def resource_details(resource: GroupResource, name: str = "") -> dict[str, str]:
    """What a Status says about an object. Its `kind` is the resource: clients know it so."""
    return _present(name=name, group=resource.group, kind=resource.resource)


class BadRequest(APIError):
    """400: what was sent can't be understood, whatever is stored."""

    code = 400
    reason = "BadRequest"


class Unauthorized(APIError):
    code = 401
    reason = "Unauthorized"

    def __init__(self, message: str = "Unauthorized") -> None:
        super().__init__(message)


class Forbidden(APIError):
    """403: who asks may not, or an admission plugin says no. `Forbidden.of` has Kubernetes' words."""

    code = 403
    reason = "Forbidden"

    @classmethod
    def of(cls, resource: GroupResource, name: str, why: str) -> Self:
        """A path that is no resource has the empty one."""
        what = f"{resource} {go_quote(name)}" if name else str(resource)
        message = f"{what} is forbidden: {why}" if resource.resource or resource.group else f"forbidden: {why}"
        return cls(message, details=resource_details(resource, name))


class NotFound(APIError):
    """404: there is no such object, or nobody serves its kind."""

    code = 404
    reason = "NotFound"

    @classmethod
    def of(cls, resource: GroupResource, name: str) -> Self:
        return cls(f"{resource} {go_quote(name)} not found", details=resource_details(resource, name))


class MethodNotAllowed(APIError):
    code = 405
    reason = "MethodNotAllowed"

    @classmethod
    def of(cls, resource: GroupResource, action: str) -> Self:
        message = f"{action} is not supported on resources of kind {go_quote(str(resource))}"
        return cls(message, details=resource_details(resource))


class NotAcceptable(APIError):
    code = 406
    reason = "NotAcceptable"

    @classmethod
    def of(cls, accepted: Sequence[str], *, converting_to: str = "") -> Self:
        when = f" when converting to {converting_to}" if converting_to else ""
        return cls(f"only the following media types are accepted{when}: {', '.join(accepted)}")


class AlreadyExists(APIError):
    code = 409
    reason = "AlreadyExists"

    @classmethod
    def of(cls, resource: GroupResource, name: str) -> Self:
        return cls(f"{resource} {go_quote(name)} already exists", details=resource_details(resource, name))


class Conflict(APIError):
    """409: somebody else has written meanwhile. Who meets it reads again, and tries with what there is now."""

    code = 409
    reason = "Conflict"

    @classmethod
    def of(cls, resource: GroupResource, name: str, why: str) -> Self:
        message = f"Operation cannot be fulfilled on {resource} {go_quote(name)}: {why}"
        return cls(message, details=resource_details(resource, name))


class Expired(APIError):
    code = 410
    reason = "Expired"


class RequestEntityTooLarge(APIError):
    code = 413
    reason = "RequestEntityTooLarge"

    @classmethod
    def of(cls, why: str) -> Self:
        return cls(f"Request entity too large: {why}")


class UnsupportedMediaType(APIError):
    code = 415
    reason = "UnsupportedMediaType"

    @classmethod
    def of(cls, accepted: Sequence[str]) -> Self:
        types = ", ".join(accepted)
        return cls(f"the body of the request was in an unknown format - accepted media types include: {types}")


class Invalid(APIError):
    """422: what was sent can't be stored. `causes` name the fields that are wrong; `Invalid.of` takes FieldErrors."""

    code = 422
    reason = "Invalid"

    @classmethod
    def of(cls, kind: GroupKind, name: str, errors: Sequence[FieldError]) -> Self:
        from .fieldpath import invalid_message, told

        details: dict[str, Any] = {**_present(name=name, group=kind.group, kind=kind.kind)}
        causes = tuple(error.cause() for error in told(errors))
        return cls(invalid_message(kind, name, errors), details=details, causes=causes)


class TooManyRequests(APIError):
    code = 429
    reason = "TooManyRequests"


class InternalError(APIError):
    code = 500
    reason = "InternalError"

    @classmethod
    def of(cls, why: str) -> Self:
        return cls(f"Internal error occurred: {why}", details={}, causes=(Cause("", why),))


class ServiceUnavailable(APIError):
    code = 503
    reason = "ServiceUnavailable"


class Timeout(APIError):
    code = 504
    reason = "Timeout"

    @classmethod
    def of(cls, why: str, *, retry_after_seconds: int = 0) -> Self:
        return cls(f"Timeout: {why}", details={}, retry_after_seconds=retry_after_seconds)


def generic(code: int, *, server_message: str = "") -> APIError:
    """What the server says when a request failed before any handler knew what it was about.

    The router answers so, and its details are always empty. Kubernetes: NewGenericServerResponse.
    """
    if code in _KEEPS_SERVER_MESSAGE:
        return _KEEPS_SERVER_MESSAGE[code](server_message, details={})
    if code in _GENERIC:
        cls, message = _GENERIC[code]
        return cls(message, details={})
    cause = go_quote(server_message)
    return InternalError(f"an error on the server ({cause}) has prevented the request from succeeding", details={})


_KEEPS_SERVER_MESSAGE: dict[int, type[APIError]] = {403: Forbidden, 406: NotAcceptable, 415: UnsupportedMediaType}

_GENERIC: dict[int, tuple[type[APIError], str]] = {
    400: (BadRequest, "the server rejected our request for an unknown reason"),
    404: (NotFound, "the server could not find the requested resource"),
    405: (MethodNotAllowed, "the server does not allow this method on the requested resource"),
    409: (Conflict, "the server reported a conflict"),
    422: (Invalid, "the server rejected our request due to an error in our request"),
    429: (TooManyRequests, "the server has received too many requests and has asked us to try again later"),
    503: (ServiceUnavailable, "the server is currently unable to handle the request"),
    504: (
        Timeout,
        "the server was unable to return a response in the time allotted, but may still be processing the request",
    ),
}
