"""Definitions to test with, and what they define."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from localplane.apimachinery.objects import JSONObject
from localplane.client import Client, GroupVersionResource
from localplane.client.rest.resources import ResourceClient

DEFINITIONS = GroupVersionResource("apiextensions.k8s.io", "v1", "customresourcedefinitions")
API_SERVICES = GroupVersionResource("apiregistration.k8s.io", "v1", "apiservices")
OPEN: JSONObject = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


def of_spec(**properties: JSONObject) -> JSONObject:
    return {"type": "object", "properties": {"spec": {"type": "object", "properties": properties}}}


def version(name: str, schema: JSONObject | None = None, **more: Any) -> JSONObject:
    return {"name": name, "served": True, "storage": False, "schema": {"openAPIV3Schema": schema or OPEN}, **more}


def definition(group: str, *versions: JSONObject, plural: str = "widgets", **names: Any) -> JSONObject:
    """The first version is the stored one."""
    kind = plural.removesuffix("s").capitalize()
    stored = [{**each, "storage": number == 0} for number, each in enumerate(versions or (version("v1"),))]
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"plural": plural, "kind": kind, **names},
            "versions": stored,
        },
    }


def custom(
    group: str, name: str, spec: JSONObject | None = None, *, in_version: str = "v1", kind: str = "Widget"
) -> JSONObject:
    obj: JSONObject = {"apiVersion": f"{group}/{in_version}", "kind": kind, "metadata": {"name": name}}
    return obj if spec is None else {**obj, "spec": spec}


def widgets(client: Client, group: str, in_version: str = "v1", plural: str = "widgets") -> ResourceClient:
    return client.resource(GroupVersionResource(group, in_version, plural), "default")


def conditions(obj: JSONObject) -> dict[str, tuple[str, str]]:
    """Status and reason of each, by type."""
    found = (obj.get("status") or {}).get("conditions") or ()
    return {each["type"]: (each["status"], each["reason"]) for each in found}


async def eventually(ask: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(30):
        while not await ask():  # noqa: ASYNC110 - nothing tells when it is so
            await asyncio.sleep(0.01)
