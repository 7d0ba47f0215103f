"""Other objects that a description needs: what happened to this one, who uses it, what is behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from localplane.apimachinery.objects import JSONObject

if TYPE_CHECKING:
    from kctl.session import Session


class Source:
    """`with_events` is whether they are to be shown at all."""

    def __init__(self, session: Session, *, with_events: bool, chunk_size: int) -> None:
        self._session = session
        self._with_events = with_events
        self._chunk_size = chunk_size

    async def events(
        self, obj: JSONObject, *, kind: str | None = None, uid: str | None = None
    ) -> list[JSONObject] | None:
        """None where nobody wants them. `kind` and `uid` ask for another than the object's own; empty for any."""
        from localplane.apimachinery.errors import APIError

        if not self._with_events:
            return None
        metadata = obj.get("metadata") or {}
        namespace = str(metadata.get("namespace") or "")
        wanted = {
            "involvedObject.kind": str(obj.get("kind", "")) if kind is None else kind,
            "involvedObject.name": str(metadata.get("name", "")),
            "involvedObject.namespace": namespace,
            "involvedObject.uid": str(metadata.get("uid", "")) if uid is None else uid,
        }
        always = ("involvedObject.name", "involvedObject.namespace")
        selector = ",".join(f"{key}={value}" for key, value in wanted.items() if value or key in always)
        try:
            return await self.list("", "v1", "events", namespace, field_selector=selector)
        except APIError:
            return None

    async def list(
        self,
        group: str,
        version: str,
        resource: str,
        namespace: str,
        *,
        label_selector: str = "",
        field_selector: str = "",
        whole: bool = False,
    ) -> list[JSONObject]:
        """All pages, or all at once with `whole`. Raises APIError."""
        from localplane.client.names import GroupVersionResource
        from localplane.client.options import ListOptions

        client = self._session.client.resource(GroupVersionResource(group, version, resource), namespace)
        found: list[JSONObject] = []
        token = ""
        while True:
            options = ListOptions(
                label_selector=label_selector,
                field_selector=field_selector,
                limit=0 if whole else self._chunk_size,
                continue_token=token,
            )
            page = await client.list(options)
            found += page.get("items") or []
            token = str((page.get("metadata") or {}).get("continue") or "")
            if not token:
                return found

    async def get(self, group: str, version: str, resource: str, namespace: str, name: str) -> JSONObject:
        """Raises APIError."""
        from localplane.client.names import GroupVersionResource

        client = self._session.client.resource(GroupVersionResource(group, version, resource), namespace)
        return await client.get(name)

    async def pod_counts(self, obj: JSONObject, selector: str) -> str:
        """`1 Running / 0 Waiting / 0 Succeeded / 0 Failed`, of the pods that it controls."""
        metadata = obj.get("metadata") or {}
        pods = await self.list("", "v1", "pods", metadata.get("namespace", ""), label_selector=selector)
        phases = [
            (pod.get("status") or {}).get("phase")
            for pod in pods
            if any(
                owner.get("controller") and owner.get("uid") == metadata.get("uid")
                for owner in (pod.get("metadata") or {}).get("ownerReferences") or ()
            )
        ]
        shown = (("Running", "Running"), ("Pending", "Waiting"), ("Succeeded", "Succeeded"), ("Failed", "Failed"))
        return " / ".join(f"{phases.count(phase)} {title}" for phase, title in shown)
