"""A container's log.

Kubernetes: pkg/registry/core/pod/rest/log.go and pkg/apis/core/validation, ValidatePodLogOptions.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from localplane.apimachinery.clock import present
from localplane.apimachinery.errors import BadRequest, Invalid
from localplane.apimachinery.fieldpath import FieldError, forbidden, invalid
from localplane.apimachinery.groups import GroupKind
from localplane.apimachinery.times import InvalidTime, parse_time
from localplane.apiserver.endpoints.options.parameters import flag, number
from localplane.apiserver.registry.definition import Definition
from localplane.apiserver.registry.rest import Getter
from localplane.apiserver.request import Answer, Query, Request, Response, StreamResponse, whole_body
from localplane.catalog.kubelets import LogOptions
from localplane.catalog.validation.values import NOT_NEGATIVE

from .connections import Nodes, check_container, pod_of

_PLAIN: Final = "text/plain"
_LONG_AGO: Final = 10**9


@dataclass(frozen=True, slots=True)
class LogStore(Getter):
    pods: Definition
    nodes: Nodes

    async def get(self, request: Request, name: str, *, resource_version: str = "") -> Answer:
        """A pod without a node has no log yet, which is no fault. A log has no versions."""
        if errors := list(_errors(request.query)):
            raise Invalid.of(GroupKind("", "PodLogOptions"), name, errors)
        pod = await pod_of(self.pods, request, name)
        check_container(pod, request.query.get("container"))
        node = (pod.get("spec") or {}).get("nodeName", "")
        if not node:
            return Response(204, content_type="")
        kubelet = await self.nodes.kubelet(request, node)
        options = _options(pod, request.query)
        pieces = kubelet.log(pod, options)
        if options.follow:
            return StreamResponse(pieces, _closing(pieces), content_type=_PLAIN)
        return Response(200, await whole_body(pieces), content_type=_PLAIN)


def _options(pod: Mapping[str, Any], query: Query) -> LogOptions:
    """What is not said about the container means the only one."""
    return LogOptions(
        container=query.get("container") or pod["spec"]["containers"][0]["name"],
        follow=flag(query, "follow"),
        previous=flag(query, "previous"),
        timestamps=flag(query, "timestamps"),
        since=_since(query),
        tail_lines=number(query, "tailLines"),
        limit_bytes=number(query, "limitBytes"),
    )


def _since(query: Query) -> datetime | None:
    seconds, moment = number(query, "sinceSeconds"), query.get("sinceTime")
    if seconds is not None:
        return present() - timedelta(seconds=min(seconds, _LONG_AGO))
    return None if moment in ("", "null") else parse_time(moment)


def _closing(pieces: AsyncIterator[bytes]) -> Callable[[], Awaitable[None]]:
    async def close() -> None:
        if isinstance(pieces, AsyncGenerator):
            await pieces.aclose()

    return close


def _errors(query: Query) -> Iterator[FieldError]:
    tail, limit, since = (number(query, name) for name in ("tailLines", "limitBytes", "sinceSeconds"))
    _check_time(query.get("sinceTime"))
    if tail is not None and tail < 0:
        yield invalid("tailLines", tail, NOT_NEGATIVE)
    if limit is not None and limit < 1:
        yield invalid("limitBytes", limit, "must be greater than 0")
    if since is not None and "sinceTime" in query:
        yield forbidden("", "at most one of `sinceTime` or `sinceSeconds` may be specified")
    elif since is not None and since < 1:
        yield invalid("sinceSeconds", since, "must be greater than 0")
    if "stream" in query:
        yield forbidden("stream", "may not be specified")


def _check_time(text: str) -> None:
    if text in ("", "null"):
        return
    try:
        parse_time(text)
    except InvalidTime as error:
        raise BadRequest(str(error)) from error
