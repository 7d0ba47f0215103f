"""What a person is told beside what was asked for, why there is nothing, or why nothing happens. Callers ask on
terminals only: it may cost a request, and programs get kubectl's words and requests alone."""

from __future__ import annotations

from collections.abc import Sequence

from kctl.command_line import usage
from kctl.objects import Info
from kctl.session.session import Session
from localplane.apimachinery.errors import APIError, NotFound
from localplane.apimachinery.light_typing import Any
from localplane.client.errors import ClientError

_WORKLOADS = ("deployments", "statefulsets", "daemonsets", "replicasets")
_GROUP = "apps"

UNOBSERVED = (
    "note: nobody has looked at {name} since it was changed: its controller does not run. A plane has it unless "
    "--controllers leaves it out: `kctl up --controllers '*'`\n"
)


def is_unobserved(obj: dict[str, Any]) -> bool:
    """Whether no controller has seen an object as it is now."""
    observed = (obj.get("status") or {}).get("observedGeneration", 0)
    return bool((obj.get("metadata") or {}).get("generation", 0) > observed)


async def about_empty(session: Session) -> None:
    """Where nothing was found: is there such a namespace?"""
    name = session.namespace
    try:
        await session.client.request("GET", f"/api/v1/namespaces/{name}")
    except NotFound:
        near = usage.did_you_mean(usage.closest(name, await _namespaces(session)))
        session.say(f'There is no namespace "{name}".\n{near}\n' if near else f'There is no namespace "{name}".\n')
    except (APIError, ClientError):
        return  # whoever may not ask is told nothing


async def about_workloads(session: Session, infos: Sequence[Info]) -> None:
    """Where a workload has no pod that is ready: does anybody care for it?"""
    for info in infos:
        resource = info.rest_mapping.resource
        if resource.group != _GROUP or resource.resource not in _WORKLOADS:
            continue
        metadata = _first_without_pods(info.object or {})
        if metadata is None:
            continue
        namespace, name = metadata.get("namespace", ""), metadata.get("name", "")
        path = f"/apis/{_GROUP}/{resource.version}/namespaces/{namespace}/{resource.resource}/{name}"
        try:
            answer = await session.client.request("GET", path)
        except (APIError, ClientError):
            continue
        if is_unobserved(answer.json()):
            kind = info.rest_mapping.kind.kind.lower()
            session.say(UNOBSERVED.format(name=f"{kind}.{_GROUP}/{name}"))
            return


def _first_without_pods(table: dict[str, Any]) -> dict[str, Any] | None:
    """The metadata of the first row that has `0/2` in its column READY, or 0 in it and more in DESIRED."""
    columns = [str(column.get("name", "")).lower() for column in table.get("columnDefinitions") or ()]
    for row in table.get("rows") or ():
        cells = dict(zip(columns, row.get("cells") or (), strict=False))
        ready, slash, wanted = str(cells.get("ready", "")).partition("/")
        wanted = wanted if slash else str(cells.get("desired", ready))
        if ready == "0" and wanted != "0":
            metadata: dict[str, Any] = (row.get("object") or {}).get("metadata") or {}
            return metadata
    return None


async def _namespaces(session: Session) -> list[str]:
    try:
        answer = await session.client.request("GET", "/api/v1/namespaces")
    except (APIError, ClientError):
        return []
    return [item["metadata"]["name"] for item in answer.json().get("items") or ()]
