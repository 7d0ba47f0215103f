"""What a workload was: ControllerRevisions, each with the pod template as it was once.

StatefulSets and DaemonSets keep them, so that people can go back and so that a pod says by its label what it was made
from. A revision's data never changes; going back to it gives it the highest number. Kubernetes:
pkg/controller/history.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Final

import orjson

from localplane.apimachinery.errors import AlreadyExists, Conflict, NotFound
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.selectors.labels import Selector
from localplane.client import Client, GroupVersionResource, SharedInformer
from localplane.controllers.ownership import Claims, controlled_or_orphaned, controller_reference, index_by_controller
from localplane.controllers.pods import safe_encoded

REVISIONS: Final = GroupVersionResource("apps", "v1", "controllerrevisions")
REVISION_LABEL: Final = "controller-revision-hash"
"""On pods: the revision that they were made from."""

_HASH_LABEL: Final = "controller.kubernetes.io/hash"
_LONGEST_PREFIX: Final = 223
_RENUMBERINGS: Final = 4


def revision_data(owner: Mapping[str, Any]) -> JSONObject:
    """What is kept of a workload: a patch that gives it back its template. In the order of the keys: programs in Go
    compare its very bytes with those that they make of a template themselves."""
    return {"spec": {"template": _ordered({**owner["spec"]["template"], "$patch": "replace"})}}


def _ordered(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _ordered(value[key]) for key in sorted(value)}
    return [_ordered(item) for item in value] if isinstance(value, list) else value


def with_revision(owner: Mapping[str, Any], revision: Mapping[str, Any]) -> JSONObject:
    """The workload as it would be with the template of a revision; shares everything else with `owner`."""
    kept = ((revision.get("data") or {}).get("spec") or {}).get("template") or {}
    template = {key: value for key, value in kept.items() if key != "$patch"}
    return {**owner, "spec": {**owner["spec"], "template": template}}


def is_equal(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """They keep the same."""
    return one.get("data") == other.get("data")


def in_order(revisions: Iterable[JSONObject]) -> list[JSONObject]:
    """Oldest first."""

    def age(revision: JSONObject) -> tuple[int, str, str]:
        metadata = revision["metadata"]
        return (number_of(revision), metadata.get("creationTimestamp", ""), metadata["name"])

    return sorted(revisions, key=age)


def number_of(revision: Mapping[str, Any]) -> int:
    return int(revision.get("revision") or 0)


def highest_number(revisions: Sequence[Mapping[str, Any]]) -> int:
    return max(map(number_of, revisions), default=0)


def revision_hash(data: JSONObject, probe: int | None = None) -> str:
    """Kubernetes: HashControllerRevision, over the text that Go makes of the same data."""
    number = 0x811C9DC5
    for byte in _go_json(data) + (b"" if probe is None else str(probe).encode()):
        number = ((number * 0x01000193) & 0xFFFFFFFF) ^ byte
    return safe_encoded(str(number))


def _go_json(data: JSONObject) -> bytes:
    """Go's encoder writes the characters that mean something in HTML as escapes."""
    text = orjson.dumps(data, option=orjson.OPT_SORT_KEYS)
    for character in "<>&\u2028\u2029":
        text = text.replace(character.encode(), f"\\u{ord(character):04x}".encode())
    return text


def revision_name(owner_name: str, text_hash: str) -> str:
    return f"{owner_name[:_LONGEST_PREFIX]}-{text_hash}"


def new_revision(owner: Mapping[str, Any], number: int, collisions: int) -> JSONObject:
    """What would be the owner's revision now."""
    data, metadata = revision_data(owner), owner["metadata"]
    text_hash = revision_hash(data, collisions)
    labels = (owner["spec"]["template"].get("metadata") or {}).get("labels") or {}
    annotations = metadata.get("annotations")
    return {
        "apiVersion": "apps/v1",
        "kind": "ControllerRevision",
        "metadata": {
            "name": revision_name(metadata["name"], text_hash),
            "namespace": metadata["namespace"],
            "labels": {**labels, _HASH_LABEL: text_hash},
            **({"annotations": dict(annotations)} if annotations else {}),
            "ownerReferences": [controller_reference(owner)],
        },
        "data": data,
        "revision": number,
    }


@dataclass(frozen=True, slots=True)
class CreatedRevision:
    """`collisions` is how often a name was taken by another revision, those before included."""

    revision: JSONObject
    collisions: int


class RevisionHistory:
    """The revisions of all workloads that one controller looks after."""

    def __init__(self, client: Client, informer: SharedInformer) -> None:
        self._client = client
        self._informer = informer
        self._indexer = index_by_controller(informer)

    def of(self, owner: Mapping[str, Any]) -> list[JSONObject]:
        """What the owner controls and what it may adopt; shared objects."""
        return controlled_or_orphaned(self._indexer, owner)

    async def claimed(
        self, owner: JSONObject, owners: GroupVersionResource, selector: Selector, *, releases: bool
    ) -> list[JSONObject]:
        """The owner's own that it selects. Orphans among them are adopted; what it no longer selects is left alone, or
        released if the owner `releases`."""

        async def fresh() -> JSONObject:
            metadata = owner["metadata"]
            return await self._client.resource(owners, metadata["namespace"]).get(metadata["name"])

        def matches(revision: JSONObject) -> bool:
            return selector.matches(revision["metadata"].get("labels") or {})

        candidates = self.of(owner) if releases else filter(matches, self.of(owner))
        return await Claims(self._client, REVISIONS, owner, matches=matches, fresh=fresh).claim(candidates)

    async def create(self, owner: Mapping[str, Any], revision: JSONObject, collisions: int) -> CreatedRevision:
        """Under the first name that is free, or that is taken by the very same."""
        revisions = self._client.resource(REVISIONS, owner["metadata"]["namespace"])
        while True:
            name = revision_name(owner["metadata"]["name"], revision_hash(revision["data"], collisions))
            named = {**revision, "metadata": {**revision["metadata"], "name": name}}
            try:
                return CreatedRevision(await revisions.create(named), collisions)
            except AlreadyExists:
                existing = await revisions.get(name)
            if is_equal(existing, revision):
                return CreatedRevision(existing, collisions)
            collisions += 1

    async def renumber(self, revision: JSONObject, number: int) -> JSONObject:
        """Raises Conflict if others write it again and again."""
        metadata = revision["metadata"]
        revisions, latest = self._client.resource(REVISIONS, metadata["namespace"]), revision
        for _ in range(_RENUMBERINGS):
            if number_of(latest) == number:
                return latest
            try:
                return await revisions.update({**deepcopy(latest), "revision": number})
            except Conflict:
                latest = await revisions.get(metadata["name"])
        raise Conflict.of(REVISIONS.group_resource, metadata["name"], "others write it again and again")

    async def delete(self, revision: Mapping[str, Any]) -> None:
        metadata = revision["metadata"]
        try:
            await self._client.resource(REVISIONS, metadata["namespace"]).delete(metadata["name"])
        except NotFound:
            return

    async def delete_beyond(self, limit: int, idle: Sequence[JSONObject]) -> None:
        """Of the revisions that nobody uses, oldest first, all but the last `limit`; a negative limit keeps all."""
        if limit >= 0:
            for revision in idle[: max(0, len(idle) - limit)]:
                await self.delete(revision)
