"""One request on its way through its stages: what is known of it so far, and how that is written down.

Kubernetes: apiserver/pkg/apis/audit/v1 (Event), apiserver/pkg/audit (LogRequestMetadata and its siblings).
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from ipaddress import ip_address
from typing import Any
from urllib.parse import quote, urlencode

from localplane.apimachinery.names import generate_uid
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import format_micro_time
from localplane.apiserver.request import Request, RequestInfo, User

from .policy import Level, Recording, Stage

# Where a request came from, what it asked for, and the id it is known by.

_ID = "audit_id"


def audit_id(request: Request) -> str:
    """The client's own id, or a new one: the same for the request's whole life."""
    found: str | None = request.notes.get(_ID)
    if found is None:
        found = request.headers.get("audit-id", "")
        if not found or not (found.isascii() and found.isprintable()):
            found = generate_uid()
        request.notes[_ID] = found
    return found


def request_uri(request: Request) -> str:
    """Path and query, written as a client could have sent them."""
    path = quote(request.path, safe="/:@!$&'()*+,;=~", errors="replace")
    pairs = [(name, value) for name in request.query for value in request.query.all(name)]
    return f"{path}?{urlencode(pairs, errors='replace')}" if pairs else path


def source_ips(request: Request) -> list[str]:
    """All but the last are what the client says. Kubernetes: apimachinery/pkg/util/net SourceIPs."""
    found: list[str] = []
    for part in request.headers.get("x-forwarded-for", "").split(","):
        found += _address(part.strip())
    real = _address(request.headers.get("x-real-ip", ""))
    found += [address for address in real if address not in found]
    remote = _address(_host(request.remote)) or _address(request.remote)
    return found + remote if remote != found[-1:] else found


def _address(text: str) -> list[str]:
    if text:
        with suppress(ValueError):
            return [str(ip_address(text))]
    return []


def _host(remote: str) -> str:
    """127.0.0.1:5000 and [::1]:5000 have a port, 127.0.0.1 and ::1 have none."""
    host, _, _ = remote.rpartition(":")
    return host.strip("[]") if host.endswith("]") or ":" not in host else ""


_log = logging.getLogger(__name__)


_LONGEST_USER_AGENT = 1024


class AuditEvent:
    """Filled in while the request is served; `document` is how it looks at a stage."""

    def __init__(self, request: Request, recording: Recording) -> None:
        info = request.info
        self.recording = recording
        self.is_resource = info.is_resource
        self.received = datetime.now(UTC)
        self.request_object: Any = None
        self.response_object: Any = None
        self.status: JSONObject | None = None
        self._id = clean(audit_id(request))
        self._uri = request_uri(request)
        self._verb = info.verb
        self._user = _user(request.user)
        self._impersonated: JSONObject | None = None
        self._constraint = ""
        self._ips = source_ips(request)
        self._agent = _user_agent(request)
        self._reference = _reference(info) if info.is_resource else None
        self._annotations: dict[str, str] = {}

    @property
    def level(self) -> Level:
        return self.recording.level

    def annotate(self, key: str, value: str) -> None:
        """The first value stays."""
        if self._annotations.setdefault(key, clean(value)) != clean(value):
            _log.warning("the audit annotation %r of %r is already set", key, self._id)

    def impersonate(self, user: User, constraint: str = "") -> None:
        self._impersonated = _user(user)
        self._constraint = constraint

    def refer_to(self, metadata: Mapping[str, Any]) -> None:
        """What the URL did not say of the object, its body may."""
        if self._reference is not None:
            for name in ("namespace", "name", "uid", "resourceVersion"):
                value = metadata.get(name)
                if isinstance(value, str) and value:
                    self._reference.setdefault(name, clean(value))

    def document(self, stage: Stage) -> JSONObject:
        reached = self.received if stage is Stage.REQUEST_RECEIVED else datetime.now(UTC)
        document: JSONObject = {
            "kind": "Event",
            "apiVersion": "audit.k8s.io/v1",
            "level": self.level.label,
            "auditID": self._id,
            "stage": stage.value,
            "requestURI": self._uri,
            "verb": self._verb,
            "user": self._user,
            "impersonatedUser": self._impersonated,
            "authenticationMetadata": {"impersonationConstraint": self._constraint} if self._constraint else None,
            "sourceIPs": self._ips,
            "userAgent": self._agent,
            "objectRef": dict(self._reference) if self._reference else None,
            "responseStatus": self.status,
            "requestObject": self.request_object,
            "responseObject": self.response_object,
            "requestReceivedTimestamp": format_micro_time(self.received),
            "stageTimestamp": format_micro_time(reached),
            "annotations": dict(self._annotations),
        }
        return {name: value for name, value in document.items() if value or name in ("user", "verb")}


def response_status(status: Mapping[str, Any], code: int) -> JSONObject:
    """What is kept of a Status: enough to see what went wrong."""
    kept = {name: status[name] for name in ("status", "message", "reason", "details") if status.get(name)}
    return {"metadata": {}, **kept, "code": code}


def clean(text: str) -> str:
    """Bytes of a header that were no UTF-8 can't be written as JSON either."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _user(user: User | None) -> JSONObject:
    if user is None:
        return {}
    document: JSONObject = {"username": clean(user.name)}
    if user.uid:
        document["uid"] = clean(user.uid)
    if user.groups:
        document["groups"] = [clean(group) for group in user.groups]
    if user.extra:
        document["extra"] = {clean(key): [clean(value) for value in values] for key, values in user.extra.items()}
    return document


def _user_agent(request: Request) -> str:
    agent = clean(request.headers.get("user-agent", ""))
    return agent if len(agent) <= _LONGEST_USER_AGENT else f"{agent[:_LONGEST_USER_AGENT]}...TRUNCATED"


def _reference(info: RequestInfo) -> dict[str, str]:
    reference = {
        "resource": info.resource,
        "namespace": info.namespace,
        "name": info.name,
        "apiGroup": info.group,
        "apiVersion": info.version,
        "subresource": info.subresource,
    }
    return {name: clean(value) for name, value in reference.items() if value}
