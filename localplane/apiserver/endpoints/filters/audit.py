"""Record what is asked and what comes of it. Kubernetes: endpoints/filters/audit.go."""

from __future__ import annotations

import asyncio

from localplane.apiserver.audit import AuditEvent, Auditor, Level, Stage
from localplane.apiserver.audit.bodies import parsed, without_managed_fields
from localplane.apiserver.audit.event import response_status
from localplane.apiserver.request import (
    Answer,
    Filter,
    Handler,
    Request,
    Response,
    Severed,
    StreamResponse,
    whole_body,
)

from .long_running import is_long_running
from .recover import sole_api_error

_CLOSED_EARLY = {"metadata": {}, "status": "Success", "message": "Connection closed early", "code": 200}


def audit(auditor: Auditor | None) -> Filter:
    """Without an auditor nothing is recorded, and nothing is paid for it."""

    def filtered(handler: Handler) -> Handler:
        if auditor is None:
            return handler

        async def handle(request: Request) -> Answer:
            event = auditor.begin(request)
            if event is None:
                return await handler(request)
            return await _Recorder(auditor, event, request).follow(handler)

        return handle

    return filtered


class _Recorder:
    """Follows one request through its stages."""

    def __init__(self, auditor: Auditor, event: AuditEvent, request: Request) -> None:
        self._auditor = auditor
        self._event = event
        self._request = request
        self._body = b""

    async def follow(self, handler: Handler) -> Answer:
        self._auditor.reach(self._event, Stage.REQUEST_RECEIVED)
        if self._event.is_resource:
            self._overhear_body()
        try:
            answer = await handler(self._request)
        except (asyncio.CancelledError, Severed):
            self._event.status = _CLOSED_EARLY
            self._started()
            self._complete()
            raise
        except BaseException as error:
            self._failed(error)
            raise
        if isinstance(answer, Response) and self._records_responses():
            answer.body = await whole_body(answer.body)
        return self._answered(answer)

    def _overhear_body(self) -> None:
        read = self._request.read_body

        async def read_body(limit: int) -> bytes:
            self._body = await read(limit)
            return self._body

        self._request.read_body = read_body

    def _answered(self, answer: Answer) -> Answer:
        self._event.status = {"metadata": {}, "code": answer.status}
        if isinstance(answer, StreamResponse):
            self._started()
            return self._until_closed(answer)
        self._see_response(answer)
        self._started()
        self._complete()
        return answer

    def _until_closed(self, answer: StreamResponse) -> StreamResponse:
        async def close() -> None:
            try:
                await answer.close()
            finally:
                self._complete()

        return StreamResponse(answer.pieces, close, answer.status, answer.content_type, answer.headers)

    def _failed(self, error: BaseException) -> None:
        told = sole_api_error(error)
        if told is None:
            message = f"APIServer panic'd: {error}"
            self._event.status = {"metadata": {}, "status": "Failure", "message": message, "reason": "InternalError"}
            self._event.status["code"] = 500
            self._see_request()
            self._auditor.reach(self._event, Stage.PANIC)
            return
        self._event.status = response_status(told.status(), told.code)
        if self._event.level >= Level.REQUEST_RESPONSE and self._event.is_resource:
            self._event.response_object = told.status()
        self._started()
        self._complete()

    def _started(self) -> None:
        if is_long_running(self._request.info):
            self._see_request()
            self._auditor.reach(self._event, Stage.RESPONSE_STARTED)

    def _complete(self) -> None:
        self._see_request()
        self._auditor.reach(self._event, Stage.RESPONSE_COMPLETE)

    def _see_request(self) -> None:
        body, self._body = self._body, b""
        value = parsed(body, self._request.headers.get("content-type", ""))
        if isinstance(value, dict) and isinstance(value.get("metadata"), dict) and self._request.info.verb != "patch":
            self._event.refer_to(value["metadata"])
        if self._event.level >= Level.REQUEST and value is not None:
            self._event.request_object = self._shown(value)

    def _see_response(self, answer: Response) -> None:
        """A Status is told at every level: it holds nothing but how it went."""
        whole = self._records_responses()
        is_status = isinstance(answer.body, bytes) and answer.body.startswith(b'{"kind":"Status"')
        if not isinstance(answer.body, bytes) or not (whole or (is_status and self._event.is_resource)):
            return
        value = parsed(answer.body, answer.content_type)
        if isinstance(value, dict) and value.get("kind") == "Status":
            self._event.status = response_status(value, answer.status)
        if whole:
            self._event.response_object = self._shown(value)

    def _records_responses(self) -> bool:
        return self._event.is_resource and self._event.level >= Level.REQUEST_RESPONSE

    def _shown(self, value: object) -> object:
        return without_managed_fields(value) if self._event.recording.omit_managed_fields else value
