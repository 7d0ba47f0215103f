"""Policy and backend together: decides what becomes of a request's event, stage by stage."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from localplane.apimachinery.errors import APIError
from localplane.apiserver.request import Request

from .event import AuditEvent, response_status
from .policy import Level, Policy, Stage

_EVENT = "audit_event"


class Backend(Protocol):
    def record(self, event: Mapping[str, Any]) -> None:
        """Takes the event and returns at once. What can't be kept is lost and counted: no request fails for it."""
        ...


class Auditor:
    def __init__(self, policy: Policy, backend: Backend) -> None:
        self._policy = policy
        self._backend = backend

    def begin(self, request: Request) -> AuditEvent | None:
        """The request's event, which `current_event` finds from now on; None if the policy wants none."""
        recording = self._policy.evaluate(request.user, request.info)
        if recording.level is Level.NONE:
            return None
        event = request.notes[_EVENT] = AuditEvent(request, recording)
        return event

    def reach(self, event: AuditEvent, stage: Stage) -> None:
        if stage not in event.recording.omit_stages:
            self._backend.record(event.document(stage))

    def refused(self, request: Request, error: APIError) -> None:
        """For a request that was turned away before it came to the audit filter."""
        event = self.begin(request)
        if event is not None:
            event.status = response_status(error.status(), error.code)
            self.reach(event, Stage.RESPONSE_STARTED)


def current_event(request: Request) -> AuditEvent | None:
    event: AuditEvent | None = request.notes.get(_EVENT)
    return event


def annotate(request: Request, key: str, value: str) -> None:
    """Adds to the request's event, if it has one. Keys say whose they are: `authorization.k8s.io/decision`."""
    event = current_event(request)
    if event is not None:
        event.annotate(key, value)
