"""Objects -> server-side apply through the plane's own client: what others stand on first, then in the files' order."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from localplane.apimachinery.errors import APIError
from localplane.apimachinery.groups import GroupKind
from localplane.client import Client, PatchType, RESTMapper, RESTMapping
from localplane.client.errors import ClientError, NoMatch

from .reader import Manifest

FIELD_MANAGER = "kctl"

# A definition is served a moment after it is stored.
_WAIT_FOR_KIND = timedelta(seconds=5)
_LOOK_AGAIN = timedelta(milliseconds=50)
_FIRST = ("Namespace", "CustomResourceDefinition")


@dataclass(slots=True)
class Outcome:
    """What was applied (`configmap/a`), and a sentence for each thing that was not."""

    applied: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


class Applier:
    def __init__(self, client: Client) -> None:
        self._client = client
        self._mapper: RESTMapper | None = None

    async def apply(self, manifests: Sequence[Manifest]) -> Outcome:
        """Everything that can be applied is; what can't is told, and keeps nothing else from being applied."""
        outcome = Outcome()
        may_come = any(manifest.kind == "CustomResourceDefinition" for manifest in manifests)
        for manifest in sorted(manifests, key=_order):
            try:
                mapping = await self._mapping(manifest, wait=may_come)
                await self._apply_one(manifest, mapping)
            except (APIError, ClientError, ValueError) as error:
                outcome.problems.append(f"{manifest.source}: {manifest.kind} {manifest.name}: {error}")
            else:
                outcome.applied.append(f"{_described(mapping)}/{manifest.name}")
        return outcome

    async def _apply_one(self, manifest: Manifest, mapping: RESTMapping) -> None:
        metadata = manifest.object["metadata"]
        namespace = str(metadata.get("namespace") or "default") if mapping.namespaced else ""
        resource = self._client.resource(mapping.resource, namespace)
        await resource.patch(manifest.name, manifest.object, PatchType.APPLY, force=True, field_manager=FIELD_MANAGER)

    async def _mapping(self, manifest: Manifest, *, wait: bool) -> RESTMapping:
        group, _, version = manifest.object["apiVersion"].rpartition("/")
        kind = GroupKind(group, manifest.kind)
        give_up = asyncio.get_running_loop().time() + (_WAIT_FOR_KIND.total_seconds() if wait else 0)
        while True:
            if self._mapper is None:
                self._mapper = RESTMapper(await self._client.discovery().discover())
            try:
                return self._mapper.mapping(kind, version)
            except NoMatch:
                self._mapper = None
                if asyncio.get_running_loop().time() >= give_up:
                    raise
            await asyncio.sleep(_LOOK_AGAIN.total_seconds())


def _order(manifest: Manifest) -> int:
    return _FIRST.index(manifest.kind) if manifest.kind in _FIRST else len(_FIRST)


def _described(mapping: RESTMapping) -> str:
    """As kubectl names it: `deployment.apps`."""
    kind = mapping.kind.kind.lower()
    return f"{kind}.{mapping.kind.group}" if mapping.kind.group else kind
