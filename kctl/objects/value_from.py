"""What a variable's valueFrom leads to. Kubernetes: kubectl/pkg/cmd/set/env/env_resolve.go."""

from __future__ import annotations

import base64
import math

from kctl.errors import KctlError
from kctl.session.session import Session
from localplane.apimachinery import quantity
from localplane.apimachinery.errors import APIError
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.objects import JSONObject
from localplane.client.rest.names import GroupVersionResource


class References:
    """Every object is asked for once."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._known: dict[tuple[str, str], JSONObject] = {}

    async def value(self, source: JSONObject, obj: JSONObject, container: JSONObject) -> str:
        """Raises KctlError."""
        if reference := source.get("secretKeyRef"):
            return base64.b64decode(await self._key("secrets", "secret", reference)).decode(errors="replace")
        if reference := source.get("configMapKeyRef"):
            return await self._key("configmaps", "config map", reference)
        if reference := source.get("fieldRef"):
            return field_value(obj, str(reference.get("fieldPath", "")))
        if reference := source.get("resourceFieldRef"):
            return resource_amount(reference, container)
        raise KctlError("invalid valueFrom")

    async def _key(self, resource: str, what: str, reference: JSONObject) -> str:
        name, key = str(reference.get("name", "")), str(reference.get("key", ""))
        if (resource, name) not in self._known:
            client = self._session.client.resource(GroupVersionResource("", "v1", resource), self._session.namespace)
            try:
                self._known[resource, name] = await client.get(name)
            except APIError as error:
                raise KctlError(error.message) from error
        data = self._known[resource, name].get("data") or {}
        if key not in data:
            raise KctlError(f"key {key} not found in {what} {name}")
        return str(data[key])


def field_value(obj: JSONObject, path: str) -> str:
    metadata = obj.get("metadata") or {}
    opening = path.find("['", 1)
    if opening > 0 and path.endswith("']", opening + 2):
        where, key = path[:opening], path[opening + 2 : -2]
        if where not in ("metadata.annotations", "metadata.labels"):
            raise KctlError(f"fieldPath {go_quote(path)} does not support subscript")
        return str((metadata.get(where.partition(".")[2]) or {}).get(key, ""))
    match path:
        case "metadata.annotations" | "metadata.labels":
            entries = metadata.get(path.partition(".")[2]) or {}
            return "\n".join(f"{key}={go_quote(entries[key])}" for key in sorted(entries))
        case "metadata.name" | "metadata.namespace" | "metadata.uid":
            return str(metadata.get(path.partition(".")[2], ""))
    raise KctlError(f"unsupported fieldPath: {path}")


def resource_amount(reference: JSONObject, container: JSONObject) -> str:
    name = str(reference.get("resource", ""))
    where, _, resource = name.partition(".")
    known = resource in ("cpu", "memory", "ephemeral-storage") or resource.startswith("hugepages-")
    if where not in ("limits", "requests") or not known:
        raise KctlError(f"Unsupported container resource : {name}")
    amount = quantity.parse(str(((container.get("resources") or {}).get(where) or {}).get(resource, "0")))
    divisor = quantity.parse(str(reference.get("divisor") or "0"))
    if not divisor.sign:
        divisor = quantity.parse("1")
    if resource == "cpu":
        return str(math.ceil(amount.milli_value() / divisor.milli_value()))
    return str(math.ceil(amount.value() / divisor.value()))
