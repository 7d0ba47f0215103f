"""What happens to a request that a rule strikes: it is answered wrongly, late or not at all.

A handler's answer is thrown away, and never changed. `faults` imports this when there is a rule for the first time.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from functools import partial
from typing import Final

from localplane.apimachinery import errors
from localplane.apimachinery.errors import APIError
from localplane.apimachinery.groups import GroupResource
from localplane.apiserver.audit.bodies import parsed
from localplane.apiserver.faults import Faults
from localplane.apiserver.faults.rule import Cut, Fault, Rule
from localplane.apiserver.faults.table import FAULTY_WATCH
from localplane.apiserver.faults.watches import FaultyWatch
from localplane.apiserver.registry.reads import PAST
from localplane.apiserver.request import (
    MAX_BODY_BYTES,
    Answer,
    BodyTooLarge,
    Handler,
    Query,
    Request,
    Response,
    Severed,
    StreamResponse,
    whole_body,
)

from .faults import RevisionBefore
from .recover import status_response

HEADER: Final = "X-Localplane-Fault"
"""Of an answer that a rule made: the rule's name."""

_INSTRUMENTS: Final = "/localplane/"
_MODIFIED: Final = "the object has been modified; please apply your changes to the latest version and try again"
_TOO_MANY: Final = "the server has received too many requests and has asked us to try again later"


class Striking:
    def __init__(self, faults: Faults, handler: Handler, revision_before: RevisionBefore, *, inside: bool) -> None:
        self._faults = faults
        self._handler = handler
        self._revision_before = revision_before
        self._inside = inside

    async def handle(self, request: Request) -> Answer:
        if request.path.startswith(_INSTRUMENTS):
            return await self._handler(request)  # or nobody could take a rule back
        name = request.info.name
        if request.info.verb == "create" and not name and self._faults.looks_at_created_names():
            name = await _created_name(request)
        struck = self._faults.striking(request, name=name, inside=self._inside)
        if struck is None:
            return await self._handler(request)
        rule = struck.rule
        await asyncio.sleep(rule.fault.latency.total_seconds())
        if rule.fault.cut is not None:
            return await self._cut(request, rule.fault.cut)
        if rule.fault.answer is not None:
            return await self._answer(request, rule, name)
        if rule.fault.watch is not None:
            request.notes[FAULTY_WATCH] = partial(FaultyWatch, fault=rule.fault.watch)
        elif rule.fault.stale is not None:
            _read_from(request, str(self._revision_before(rule.fault.stale)))
        return await self._handler(request)

    async def _cut(self, request: Request, when: Cut) -> Answer:
        if when is Cut.BEFORE:
            raise Severed
        answer = await self._done(request)
        if when is Cut.AFTER or not isinstance(answer, Response):
            raise Severed
        content = await whole_body(answer.body)
        return Response(answer.status, _half(content), answer.content_type, answer.headers, len(content))

    async def _answer(self, request: Request, rule: Rule, name: str) -> Answer:
        if rule.fault.after_write:
            await self._done(request)
        elif request.info.verb == "create":
            name = name or await _created_name(request)
        answer = status_response(request, _error(request, rule.fault, name))
        answer.headers[HEADER] = rule.name
        return answer

    async def _done(self, request: Request) -> Response | None:
        """What a request comes to; None for what has no whole answer, or was refused."""
        try:
            answer = await self._handler(request)
        except APIError:
            return None
        if isinstance(answer, StreamResponse):
            await answer.close()
            return None
        return answer


async def _half(content: bytes) -> AsyncIterator[bytes]:
    yield content[: len(content) // 2]
    raise Severed


async def _created_name(request: Request) -> str:
    """Of the object in the body, as far as it can be read; whoever handles the request reads the same body again."""
    try:
        content = await request.read_body(MAX_BODY_BYTES)
    except BodyTooLarge:
        request.read_body = _too_large
        return ""

    async def read_body(limit: int) -> bytes:
        return content if len(content) <= limit else await _too_large(limit)

    request.read_body = read_body
    value = parsed(content, request.headers.get("content-type", ""))
    metadata = value.get("metadata") if isinstance(value, dict) else None
    name = metadata.get("name") if isinstance(metadata, dict) else None
    return name if isinstance(name, str) else ""


async def _too_large(_: int) -> bytes:
    raise BodyTooLarge


def _read_from(request: Request, revision: str) -> None:
    """What may come from any version comes from this one: a list exactly, and an object by a note. A list of any
    version has no pages."""
    if request.info.verb == "get":
        request.notes[PAST] = revision
        return
    if request.query.get("resourceVersionMatch") == "Exact":
        return  # it is none of any version, and will be refused
    values = {name: request.query.all(name) for name in request.query if name not in ("limit", "continue")}
    values |= {"resourceVersion": [revision], "resourceVersionMatch": ["Exact"]}
    request.query = Query(values)


def _error(request: Request, fault: Fault, name: str) -> APIError:
    """In Kubernetes' own words: what a client makes of them is the question."""
    error = _of_code(request, fault, name)
    if fault.message:
        error.message = fault.message
    if fault.retry_after_seconds is not None:
        error.retry_after_seconds = fault.retry_after_seconds
    return error


def _of_code(request: Request, fault: Fault, name: str) -> APIError:
    info = request.info
    resource = GroupResource(info.group, info.resource)
    match fault.answer:
        case 401:
            return errors.Unauthorized()
        case 403:
            return errors.Forbidden.of(resource, name, "not allowed")
        case 404:
            return errors.NotFound.of(resource, name)
        case 409 if info.verb == "create" and not info.subresource:
            return errors.AlreadyExists.of(resource, name)
        case 409:
            return errors.Conflict.of(resource, name, _MODIFIED)
        case 410:
            return errors.Expired("The provided resource version is too old.")
        case 429:
            return errors.TooManyRequests(_TOO_MANY, retry_after_seconds=1)
        case 503:
            return errors.ServiceUnavailable("the server is currently unable to handle the request")
        case 504:
            return errors.Timeout.of("request did not complete within the allotted timeout")
    return errors.InternalError.of("a fault was asked for")
