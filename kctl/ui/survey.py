"""What is asked over every kind that the server has: how many there are, what has a name like this, who owns whom.

Only metadata is read. What the user may not list is left out.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Container, Iterable
from typing import Final, NamedTuple, TypeVar

from kctl.ui.census import ACCEPT, Census
from localplane.apimachinery.errors import APIError
from localplane.apimachinery.objects import JSONObject
from localplane.client.rest.client import Client
from localplane.client.rest.discovery import APIResource, Discovered
from localplane.client.rest.names import GroupVersionResource
from localplane.client.rest.options import ListOptions
from localplane.client.rest.paging import list_all

T = TypeVar("T")

_AT_ONCE: Final = 8
_PAGE: Final = 500
_KEPT: Final = 2.0  # seconds
_MOST_FOUND: Final = 200
_SAID_TWICE: Final = {
    ("events.k8s.io", "events"),
    ("", "endpoints"),
    ("", "componentstatuses"),
    ("metrics.k8s.io", "nodes"),
    ("metrics.k8s.io", "pods"),
}


class Member(NamedTuple):
    """An object, as far as its metadata tells."""

    type: APIResource
    metadata: JSONObject

    @property
    def uid(self) -> str:
        return str(self.metadata.get("uid", ""))

    @property
    def owners(self) -> list[str]:
        return [str(reference.get("uid", "")) for reference in self.metadata.get("ownerReferences") or ()]

    def document(self) -> JSONObject:
        return {
            **document(self.type),
            "uid": self.uid,
            "namespace": self.metadata.get("namespace", ""),
            "name": self.metadata.get("name", ""),
            "created": self.metadata.get("creationTimestamp"),
            "deleted": self.metadata.get("deletionTimestamp"),
            "owners": self.owners,
        }


def document(one: APIResource) -> JSONObject:
    """A kind, as the page knows it."""
    return {
        "group": one.resource.group,
        "version": one.resource.version,
        "resource": one.resource.resource,
        "kind": one.kind.kind,
        "namespaced": one.namespaced,
        "verbs": list(one.verbs),
        "shortNames": list(one.short_names),
        "categories": list(one.categories),
    }


class Survey:
    """What the `census` keeps is not read again."""

    def __init__(self, client: Client, census: Census) -> None:
        self._client = client
        self._census = census
        self._members: list[Member] = []
        self._read = float("-inf")

    async def kinds(self) -> list[APIResource]:
        """Those that can be listed, each in the version that its group prefers. Raises APIError, ClientError."""
        return _listable(await self._client.discovery().discover())

    async def documents(self) -> list[JSONObject]:
        """The same, as the page knows them."""
        discovered = await self._client.discovery().discover()
        self._census.learn(_listable(discovered))
        served = {one.resource for one in discovered.resources() if one.is_subresource}
        return [{**document(one), "subresources": _subresources(one, served)} for one in _listable(discovered)]

    async def counts(self, namespace: str) -> JSONObject:
        """How many there are of each, by `resource.group`."""
        counts = await self._census.asked(await self.kinds(), namespace)
        return {str(resource.group_resource): number for resource, number in counts.items()}

    async def search(self, words: str) -> JSONObject:
        """Whose name, namespace, kind or labels have all of the words, the nearest first."""
        wanted = words.lower().split()
        found = [member for member in await self.members() if _has(member, wanted)] if wanted else []
        found.sort(key=lambda member: _distance(member, wanted[0]))
        return {"found": [one.document() for one in found[:_MOST_FOUND]], "more": max(0, len(found) - _MOST_FOUND)}

    async def family(self, uid: str) -> JSONObject:
        """All whom an object belongs to and all that belong to it, and what goes if it is deleted."""
        members = await self.members(fresh=True)
        known = {member.uid: member for member in members}
        owned = _children(members)
        related = [*_above(uid, known), *_below(uid, owned)]
        shown = {one: known[one].document() for one in dict.fromkeys([uid, *related]) if one in known}
        going = [known[one].document() for one in _going(uid, known, owned)]
        return {"members": list(shown.values()), "goes": going[:_MOST_FOUND], "more": max(0, len(going) - _MOST_FOUND)}

    async def members(self, *, fresh: bool = False) -> list[Member]:
        """Every object there is; what was read a moment ago will do, unless it has to be `fresh`."""
        if fresh or time.monotonic() - self._read > _KEPT:
            lists = await _of_each(await self.kinds(), self._list)
            self._members = [member for members in lists for member in members]
            self._read = time.monotonic()
        return self._members

    async def _list(self, one: APIResource) -> list[Member]:
        if (roll := self._census.known(one)) is not None:
            return [Member(one, item["metadata"]) for item in roll.objects]
        resource = self._client.resource(one.resource)

        async def page(options: ListOptions) -> JSONObject:
            return await resource.list(options, accept=ACCEPT)

        items = (await list_all(page, ListOptions(limit=_PAGE))).items
        return [Member(one, item.get("metadata") or {}) for item in items]


def _subresources(one: APIResource, served: Container[GroupVersionResource]) -> list[str]:
    group, version, name = one.resource.group, one.resource.version, one.resource.resource
    wanted = ("status", "scale", "log")
    return [word for word in wanted if GroupVersionResource(group, version, f"{name}/{word}") in served]


def _listable(discovered: Discovered) -> list[APIResource]:
    return [
        one
        for one in discovered.preferred_resources()
        if "list" in one.verbs
        and not one.is_subresource
        and (one.resource.group, one.resource.resource) not in _SAID_TWICE
    ]


async def _of_each(kinds: Iterable[APIResource], ask: Callable[[APIResource], Awaitable[T]]) -> list[T]:
    """A few at a time. What the server refuses is left out."""
    some = asyncio.Semaphore(_AT_ONCE)

    async def answer(one: APIResource) -> list[T]:
        async with some:
            try:
                return [await ask(one)]
            except APIError:
                return []

    return [value for values in await asyncio.gather(*(answer(one) for one in kinds)) for value in values]


def _has(member: Member, words: Iterable[str]) -> bool:
    metadata = member.metadata
    labels = " ".join(f"{name}={value}" for name, value in (metadata.get("labels") or {}).items())
    text = f"{metadata.get('name')} {metadata.get('namespace', '')} {member.type.kind.kind} {labels}".lower()
    return all(word in text for word in words)


def _distance(member: Member, word: str) -> tuple[int, int, str]:
    name = str(member.metadata.get("name", "")).lower()
    near = 0 if name == word else 1 if name.startswith(word) else 2 if word in name else 3
    return near, len(name), name


def _above(uid: str, known: dict[str, Member]) -> list[str]:
    found: dict[str, None] = {}
    waiting = [*known[uid].owners] if uid in known else []
    while waiting:
        if (owner := waiting.pop()) in known and owner not in found:
            found[owner] = None
            waiting += known[owner].owners
    return list(found)


def _children(members: Iterable[Member]) -> dict[str, list[str]]:
    """Whom each owner owns, by uid."""
    owned: dict[str, list[str]] = {}
    for member in members:
        for owner in member.owners:
            owned.setdefault(owner, []).append(member.uid)
    return owned


def _below(uid: str, owned: dict[str, list[str]]) -> list[str]:
    found: dict[str, None] = {}
    waiting = [uid]
    while waiting:
        for child in owned.get(waiting.pop(), ()):
            if child not in found and child != uid:
                found[child] = None
                waiting.append(child)
    return list(found)


def _going(uid: str, known: dict[str, Member], owned: dict[str, list[str]]) -> list[str]:
    """What is deleted with an object: what a namespace or a definition holds, and what is left without an owner."""
    if (root := known.get(uid)) is None:
        return []
    name, kind = str(root.metadata.get("name", "")), root.type.resource
    held: list[str] = []
    if (kind.group, kind.resource) == ("", "namespaces"):
        held = [one.uid for one in known.values() if one.metadata.get("namespace") == name]
    elif (kind.group, kind.resource) == ("apiextensions.k8s.io", "customresourcedefinitions"):
        held = [one.uid for one in known.values() if str(one.type.resource.group_resource) == name]
    going = dict.fromkeys([uid, *held])
    waiting = list(going)
    while waiting:
        for child in owned.get(waiting.pop(), ()):
            if child not in going and all(owner in going or owner not in known for owner in known[child].owners):
                going[child] = None
                waiting.append(child)
    return [one for one in going if one != uid]
