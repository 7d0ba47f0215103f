"""Objects out of files, with everything in them that a server would have put there: status and events."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.serializers.yaml_documents import parse_yaml_documents
from localplane.client.kubeconfig import load, resolve
from localplane.client.rest.client import Client
from localplane.client.rest.names import GroupVersionResource
from localplane.client.rest.resources import PatchType
from tests.e2e.up.machine import Machine

OBJECTS = Path(__file__).parent / "objects"


_GIZMOS = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gizmos.described.example.com}
spec:
  group: described.example.com
  scope: Namespaced
  names: {plural: gizmos, singular: gizmo, kind: Gizmo}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
"""


@pytest.fixture(scope="session", autouse=True)
def gizmos(plane: Machine) -> None:
    """A kind that no describer knows."""
    file = plane.home / "gizmos.yaml"
    file.write_text(_GIZMOS)
    assert plane.kctl("create", "-f", str(file)).code == 0
    done = plane.kctl("wait", "--for=condition=Established", "crd/gizmos.described.example.com")
    assert done.code == 0, done.stderr


def make(plane: Machine, namespace: str, case: str) -> None:
    """All of a case's file. `{ns}` is the namespace, `{10d}` ten days ago; an event's uid `?` is its object's."""
    asyncio.run(_make(plane, list(_documents(case, namespace))))


def _documents(case: str, namespace: str) -> Iterator[JSONObject]:
    text = (OBJECTS / f"{case}.yaml").read_text().replace("{ns}", namespace)
    text = re.sub(r"\{(\d+)d(\.0*)?\}", _days_ago, text)
    for document in parse_yaml_documents(text.encode()):
        obj: Any = document.value
        yield obj


def _days_ago(match: re.Match[str]) -> str:
    moment = datetime.now(UTC) - timedelta(days=int(match[1]))
    return moment.strftime(f"%Y-%m-%dT%H:%M:%S{match[2] or ''}Z")


async def _make(plane: Machine, objects: list[JSONObject]) -> None:
    uids: dict[str, str] = {}
    async with Client.connect(resolve(load(plane.kubeconfig))) as client:
        discovered = await client.discovery().discover()
        every = (one for one in discovered.resources() if not one.is_subresource)
        places = {(str(one.kind.group_version), one.kind.kind): one for one in every}
        for obj in objects:
            about = obj.get("involvedObject")
            if about is not None:
                about["uid"] = uids[about["name"]]
            place = places[obj["apiVersion"], obj["kind"]]
            namespace = obj["metadata"].get("namespace", "") if place.namespaced else ""
            resource: GroupVersionResource = place.resource
            created = await client.resource(resource, namespace).create(obj)
            uids[obj["metadata"]["name"]] = created["metadata"]["uid"]
            if "status" in obj:
                await client.resource(resource, namespace).patch(
                    obj["metadata"]["name"], {"status": obj["status"]}, PatchType.MERGE, subresource="status"
                )
