"""Asking for metrics. Kubernetes: kubectl/pkg/cmd/top, getMetricsFromMetricsAPI and getNodeMetricsFromMetricsAPI."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kctl.errors import KctlError
from localplane.apimachinery.objects import JSONObject

if TYPE_CHECKING:
    from kctl.session import Session


_GROUP = "metrics.k8s.io"
_VERSIONS = ("v1", "v1beta1")
_PROTOBUF = "application/vnd.kubernetes.protobuf"


class Metrics:
    """`protobuf` is whether answers are wanted in it; a server that knows only JSON may still answer so."""

    def __init__(self, session: Session, *, protobuf: bool) -> None:
        self._session = session
        self._accept = f"{_PROTOBUF if protobuf else 'application/json'}, */*"

    async def version(self) -> str:
        """The first in the server's order that we can read. Raises KctlError if there is none."""
        from localplane.client.discovery import ACCEPT

        for path in ("/api", "/apis"):
            document = (await self._session.client.request("GET", path, headers=[("Accept", ACCEPT)])).json()
            for version in _versions(document):
                if version in _VERSIONS:
                    return version
        raise KctlError("Metrics API not available")

    async def read(self, resource: str, *, namespace: str = "", name: str = "", labels: str = "") -> list[JSONObject]:
        """Of one by its `name`, or of all that the labels select. Raises APIError."""
        from localplane.apimachinery.groups import GroupResource
        from localplane.client.statuses import Subject

        where = f"/namespaces/{namespace}" if namespace else ""
        path = f"/apis/{_GROUP}/{await self.version()}{where}/{resource}"
        answer = await self._session.client.request(
            "GET",
            f"{path}/{name}" if name else path,
            query=[("labelSelector", labels)] if labels else [],
            headers=[("Accept", self._accept)],
            subject=Subject("GET", GroupResource(_GROUP, resource), name),
        )
        found = _decoded(answer.body) if answer.body.startswith(b"k8s\x00") else answer.json()
        return [found] if name else list(found.get("items") or ())


def _versions(document: JSONObject) -> list[str]:
    """Of the group, in an APIGroupDiscoveryList or in an APIGroupList: which of them depends on the server."""
    for group in document.get("items") or document.get("groups") or ():
        if _GROUP in (group.get("name"), (group.get("metadata") or {}).get("name")):
            return [str(one.get("version", "")) for one in group.get("versions") or ()]
    return []


def _decoded(body: bytes) -> JSONObject:
    from .messages import decoded

    return decoded(body)


def label_selector(text: str) -> str:
    """In its one form. Raises KctlError."""
    from localplane.apimachinery.labels import InvalidSelector, parse

    try:
        return str(parse(text))
    except InvalidSelector as error:
        raise KctlError(str(error)) from error


def field_selector(text: str) -> str:
    from localplane.apimachinery.fields import InvalidSelector, parse

    try:
        return str(parse(text))
    except InvalidSelector as error:
        raise KctlError(str(error)) from error
