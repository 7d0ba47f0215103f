"""One object, or one place where it may be. Kubernetes: cli-runtime/pkg/resource, Info."""

from __future__ import annotations

from kctl.errors import KctlError
from kctl.session.session import Session
from localplane.apimachinery.errors import APIError, NotFound
from localplane.apimachinery.objects import JSONObject
from localplane.client.rest import resources
from localplane.client.rest.mapper import RESTMapping
from localplane.client.rest.names import GroupVersionResource


class Info:
    """`source` is the file it came from. `object` is None until it was read; `mapping` is None for --local."""

    __slots__ = ("accept", "mapping", "name", "namespace", "object", "session", "source", "subresource")

    def __init__(
        self,
        session: Session,
        mapping: RESTMapping | None,
        *,
        namespace: str = "",
        name: str = "",
        obj: JSONObject | None = None,
        source: str = "",
        subresource: str = "",
        accept: str = "application/json",
    ) -> None:
        self.session = session
        self.mapping = mapping
        self.namespace = namespace
        self.name = name
        self.object = obj
        self.source = source
        self.subresource = subresource
        self.accept = accept

    @property
    def is_namespaced(self) -> bool:
        return bool(self.namespace) if self.mapping is None else self.mapping.namespaced

    @property
    def shown(self) -> str:
        """`deployments/web`, for messages."""
        return f"{self.rest_mapping.resource.resource}/{self.name}"

    @property
    def rest_mapping(self) -> RESTMapping:
        """Of an Info that is not local."""
        if self.mapping is None:
            raise KctlError(f"no server was asked what {self.name} is")
        return self.mapping

    @property
    def resource(self) -> resources.ResourceClient:
        """The verbs on it: get, patch, delete..."""
        return self.session.client.resource(self.rest_mapping.resource, self.namespace if self.is_namespaced else "")

    async def get(self) -> JSONObject:
        """Ask the server. An object that is not there because its namespace is not is said to be so."""
        try:
            self.object = await self.resource.get(self.name, subresource=self.subresource, accept=self.accept)
        except ValueError as error:
            raise KctlError(str(error)) from error
        except NotFound:
            if self.namespace and self.namespace != "default" and self.is_namespaced:
                await self._look_for_namespace()
            raise
        return self.object

    async def _look_for_namespace(self) -> None:
        try:
            namespaces = self.session.client.resource(GroupVersionResource("", "v1", "namespaces"))
            await namespaces.get(self.namespace, accept=self.accept)
        except NotFound:
            raise
        except APIError:
            return

    def refresh(self, obj: JSONObject) -> None:
        """Take what the server answered."""
        metadata = obj.get("metadata") or {}
        self.object = obj
        self.name = metadata.get("name", self.name)
        self.namespace = metadata.get("namespace", self.namespace)
