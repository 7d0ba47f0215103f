"""Answers discovery requests with bytes that were made once."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from localplane.apimachinery.errors import NotAcceptable, generic
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.serializers import protobuf, to_json_answer, to_yaml
from localplane.apimachinery.serializers.media_types import (
    JSON,
    PROTOBUF,
    YAML,
    MediaType,
    check_route,
    negotiate,
    wants_pretty,
)
from localplane.apiserver.request import Answer, Request, Response

from . import aggregated, legacy
from .model import InstalledGroup
from .priority import merged

_FORMS = (JSON, YAML, PROTOBUF)
_NAMES = tuple(form.name for form in _FORMS)

Groups = Callable[[], Sequence[InstalledGroup]]


@dataclass(slots=True)
class _Document:
    """`routed` ones stand behind a router in Kubernetes: it lets only GET through, and compares media types by name."""

    value: JSONObject
    routed: bool = True
    forms: dict[tuple[str, bool], bytes] = field(default_factory=dict)

    def encoded(self, media_type: MediaType, *, pretty: bool = False) -> bytes:
        key = (media_type.name, pretty)
        if key not in self.forms:
            self.forms[key] = self._encoded(media_type, pretty=pretty)
        return self.forms[key]

    def _encoded(self, media_type: MediaType, *, pretty: bool) -> bytes:
        if media_type is PROTOBUF:
            return protobuf.encoded(protobuf.discovery_document(self.value["kind"]), self.value)
        return to_yaml(self.value) if media_type is YAML else to_json_answer(self.value, pretty=pretty)

    def etag(self) -> str:
        """One for all forms: the answer varies by Accept."""
        return f'"{hashlib.sha512(self.encoded(JSON)).hexdigest().upper()}"'


class DiscoveryHandler:
    """`groups` is asked again after `changed`, when the next request comes. A group that it names twice has the
    versions of both.

    `server_address` is where clients of any network reach this server, as host and port.
    """

    def __init__(self, groups: Groups, *, server_address: Callable[[], str] = str) -> None:
        self._groups = groups
        self._server_address = server_address
        self._current: dict[tuple[str, ...], InstalledGroup] | None = None
        self._legacy: dict[tuple[str, ...], _Document] = {}
        self._aggregated: dict[str, tuple[_Document, str]] = {}

    def changed(self) -> None:
        """Forget what was built. Cheap: many changes in a row cost one building."""
        self._current = None
        self._legacy = {}
        self._aggregated = {}

    async def handle(self, request: Request) -> Answer | None:
        """None: the path is none of ours. Raises APIError for a method or a form that isn't served."""
        parts = tuple(request.path.strip("/").split("/"))
        if parts[0] not in ("api", "apis") or len(parts) > 3:
            return None
        document = self._document(parts)
        if document is None:
            if parts[0] == "api" and len(parts) == 2 and ("api",) in self._by_path():
                raise generic(404)  # the router of the core group knows that there is no other version
            return None
        if document.routed:
            if request.method != "GET":
                raise generic(405)
            check_route(request.headers.get("accept", ""), _NAMES)
        if len(parts) == 1 and (answer := self._answer_aggregated(request, parts[0])) is not None:
            return answer
        return _answer(request, document)

    def _document(self, parts: tuple[str, ...]) -> _Document | None:
        """The small document of a path. Only paths that exist are remembered."""
        found = self._legacy.get(parts)
        if found is None and (found := self._build(parts)) is not None:
            self._legacy[parts] = found
        return found

    def _build(self, parts: tuple[str, ...]) -> _Document | None:
        groups = self._by_path()
        if parts == ("apis",):
            return _Document(legacy.group_list(groups.values()), routed=False)
        if parts == ("api",):
            core = groups.get(parts)
            return _Document(legacy.api_versions(core, self._server_address())) if core else None
        if (group := groups.get(parts)) is not None:
            return _Document(legacy.group(group), routed=False)
        if (group := groups.get(parts[:-1])) is not None:
            for version in group.versions:
                if version.version == parts[-1]:
                    return _Document(legacy.resource_list(group, version), routed=not version.custom)
        return None

    def _by_path(self) -> dict[tuple[str, ...], InstalledGroup]:
        if self._current is None:
            served = merged(self._groups())
            self._current = {("apis", group.name) if group.name else ("api",): group for group in served}
        return self._current

    def _answer_aggregated(self, request: Request, root: str) -> Response | None:
        """None: this client didn't ask for it."""
        try:
            form = negotiate(request.headers.get("accept", ""), _FORMS, transforms=aggregated.is_aggregated)
        except NotAcceptable:
            return None
        if form.transform is None:
            return None
        document, etag = self._aggregated_document(root)
        headers = {"ETag": etag, "Vary": "Accept", "Cache-Control": "public"}
        if request.headers.get("if-none-match") == etag:
            return Response(304, content_type="", headers=headers)
        pretty = form.media_type.pretty and (form.pretty or _is_person(request))
        body = document.encoded(form.media_type, pretty=pretty)
        return Response(200, body, aggregated.content_type(form.media_type), headers)

    def _aggregated_document(self, root: str) -> tuple[_Document, str]:
        if root not in self._aggregated:
            groups = [group for path, group in self._by_path().items() if path[0] == root]
            document = _Document(aggregated.group_discovery_list(groups))
            self._aggregated[root] = document, document.etag()
        return self._aggregated[root]


def _answer(request: Request, document: _Document) -> Response:
    form = negotiate(request.headers.get("accept", ""), _FORMS, pretty=_is_person(request))
    return Response(200, document.encoded(form.media_type, pretty=form.pretty), form.media_type.name)


def _is_person(request: Request) -> bool:
    return wants_pretty(request.query.get("pretty"), request.headers.get("user-agent", ""))
