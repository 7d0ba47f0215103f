"""A container's log.

Kubernetes: pkg/registry/core/pod/rest/log.go and pkg/apis/core/validation, ValidatePodLogOptions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from localplane.apimachinery.errors import BadRequest, Invalid
from localplane.apimachinery.fieldpath import FieldError, forbidden, invalid
from localplane.apimachinery.groups import GroupKind
from localplane.apimachinery.times import InvalidTime, parse_time
from localplane.apiserver.endpoints.parameters import number
from localplane.apiserver.registry.definition import Definition
from localplane.apiserver.request import Query, Request, Response
from localplane.catalog.validation.values import NOT_NEGATIVE

from .connecting import Nodes, check_container, pod_of


@dataclass(frozen=True, slots=True)
class LogStore:
    pods: Definition
    nodes: Nodes

    async def get(self, request: Request, name: str, *, resource_version: str = "") -> Response:
        """A pod without a node has no log yet, which is no fault. A log has no versions."""
        if errors := list(_errors(request.query)):
            raise Invalid.of(GroupKind("", "PodLogOptions"), name, errors)
        pod = await pod_of(self.pods, request, name)
        check_container(pod, request.query.get("container"))
        node = (pod.get("spec") or {}).get("nodeName", "")
        if not node:
            return Response(204, content_type="")
        raise await self.nodes.refuse(request, node)


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
