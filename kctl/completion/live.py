"""Types, names, namespaces and contexts. Whoever waits for a completion does not wait long, and wants no errors."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from kctl.errors import KctlError
from kctl.session import instruments
from kctl.session.session import Session
from kctl.streaming import pods
from kctl.views.explain import documents
from localplane.apimachinery.errors import APIError
from localplane.client.errors import ClientError
from localplane.client.rest import options

P = ParamSpec("P")
T = TypeVar("T")

_METADATA = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json"
_PATIENCE = 0.1
"""Seconds to wait for a pod of what has none yet."""


def _kept(directory: str) -> list[str]:
    """What lies in a directory of ours, as `localplane/cli/places` has them."""
    state = os.environ.get("XDG_STATE_HOME", "")
    state = state if state.startswith("/") else os.path.expanduser("~/.local/state")  # noqa: PTH111 - no pathlib here
    try:
        return os.listdir(f"{state}/kctl/{directory}")  # noqa: PTH208 - no pathlib here
    except OSError:
        return []


def planes() -> list[str]:
    """The names of those that are up, were, or have kept data."""
    return sorted({name for name in (*_kept(".planes"), *_kept("")) if name[0] != "."})


def snapshots() -> list[str]:
    """The names of those that are saved, as `localplane/cli/snapshots` keeps them."""
    files = _kept(".snapshots")
    return sorted(file.removesuffix(".snapshot") for file in files if file.endswith(".snapshot") and file[0] != ".")


def _expected() -> tuple[type[Exception], ...]:
    return APIError, ClientError, KctlError


def _or_nothing(ask: Callable[P, Awaitable[list[T]]]) -> Callable[P, Awaitable[list[T]]]:
    @wraps(ask)
    async def quietly(*args: P.args, **kwargs: P.kwargs) -> list[T]:
        try:
            return await ask(*args, **kwargs)
        except _expected():
            return []

    return quietly


@_or_nothing
async def types(session: Session, *, every: bool = False) -> list[str]:
    """As `kctl api-resources -o name` lists those that can be read; or `every` one."""
    discovered = await session.discovery.discover()
    found = [one for one in discovered.preferred_resources() if not one.is_subresource and one.verbs]
    found.sort(key=lambda one: (one.resource.group, one.resource.resource))
    return [str(one.resource.group_resource) for one in found if every or "get" in one.verbs]


@_or_nothing
async def versions(session: Session, *, groups: bool) -> list[str]:
    discovered = await session.discovery.discover()
    if groups:
        return sorted(group.name for group in discovered.groups if group.name)
    return sorted(str(version.group_version) for group in discovered.groups for version in group.versions)


@_or_nothing
async def names(session: Session, type_name: str, *, namespace: str = "") -> list[str]:
    """Of one type, of several with commas between them, or of a category."""
    found: list[str] = []
    for one in (await session.discovery.expand(type_name)).split(","):
        mapping = await session.discovery.mapping_for(one)
        resource = session.client.resource(
            mapping.resource, (namespace or session.namespace) if mapping.namespaced else ""
        )
        listed = await resource.list(options.ListOptions(), accept=_METADATA)
        found += [str(item["metadata"]["name"]) for item in listed.get("items") or ()]
    return found


@_or_nothing
async def containers(session: Session, argument: str) -> list[str]:
    """Of a pod, or of one of the pods of TYPE/NAME."""
    spec = (await _pod(session, argument)).get("spec") or {}
    return [str(one["name"]) for part in ("initContainers", "containers") for one in spec.get(part) or ()]


@_or_nothing
async def askers(session: Session) -> list[str]:
    """Users who have asked a local control plane for something."""
    return [str(user) for user in (await instruments.ask(session, "GET", "rbac/users"))["users"]]


@_or_nothing
async def faults(session: Session) -> list[str]:
    """The rules by which requests go wrong in a local control plane."""
    return [str(rule["name"]) for rule in (await instruments.ask(session, "GET", "faults"))["rules"]]


@_or_nothing
async def ports(session: Session, argument: str) -> list[str]:
    kind, slash, name = argument.partition("/")
    if slash and kind in ("service", "services", "svc"):
        service = await pods.named(session, [f"services/{name}"])
        return [str(one["port"]) for one in (service.get("spec") or {}).get("ports") or ()]
    spec = (await _pod(session, argument)).get("spec") or {}
    found = (port for one in spec.get("containers") or () for port in one.get("ports") or ())
    return [str(port["containerPort"]) for port in found]


async def _pod(session: Session, argument: str) -> dict[str, Any]:
    return await pods.pod_for(
        session, await pods.named(session, [argument]), action="cannot attach to", within=_PATIENCE
    )


@_or_nothing
async def fields(session: Session, current: str) -> list[str]:
    """`pods.spec.c` may go on as `pods.spec.containers`."""
    above, _, last = current.rpartition(".")
    found = await documents.asked(session, above, whole_name=True)
    document = await documents.document_at(session, await documents.paths_of(session), found.resource)
    schema = documents.schema_of(document, documents.kind_of(document, found.resource))
    return [f"{above}.{name}" for name in documents.field_names(document, schema, found.path) if name.startswith(last)]


def entries(session: Session, what: str) -> list[str]:
    """Contexts, clusters or users of the kubeconfig."""
    try:
        return sorted(getattr(session.kubeconfig, what))
    except _expected():
        return []


def files() -> list[str]:
    """Of the directory that we are in; directories with a slash."""
    return sorted(f"{entry.name}/" if entry.is_dir() else entry.name for entry in os.scandir("."))
