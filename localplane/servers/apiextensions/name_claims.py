"""Who gets which names where several servers settle definitions at the same time.

Each server knows what it has seen, and two that see two definitions in another order would give the same name twice.
So names are claimed first, in one object for each group that is changed by compare-and-swap; a claim counts for as long
as its definition exists. Kubernetes' servers each decide by what they have seen.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.registry.definition import Definition
from localplane.apiserver.storage.interface import ListOptions, Storage, UpdateOptions

from .names import TakenNames, decide

PREFIX: Final = "/customresourcenames/"
_RESOURCE: Final = "resource/"
_KIND: Final = "kind/"


class NameClaims:
    """`storage` is that of what is below PREFIX, and `definitions` the kind of the definitions."""

    def __init__(self, storage: Storage, definitions: Definition) -> None:
        self._storage = storage
        self._definitions = definitions

    async def taken(self, obj: Mapping[str, Any], accepted: TakenNames) -> TakenNames:
        """What is given away but for what this definition has or gets: that is claimed for it now. `accepted` are those
        that others have been given already. Raises StorageError."""
        uid, group = obj["metadata"]["uid"], obj["spec"]["group"]
        taken = accepted

        async def claimed(current: JSONObject) -> JSONObject:
            nonlocal taken
            there = await self._there()
            claims = {name: owner for name, owner in (current.get("data") or {}).items() if owner in there}
            others = [name for name, owner in claims.items() if owner != uid]
            taken = TakenNames(accepted.resources | _of(_RESOURCE, others), accepted.kinds | _of(_KIND, others))
            mine = dict.fromkeys(_claims(decide(obj, taken).names), uid)
            kept = {name: owner for name, owner in claims.items() if owner != uid}
            named = {"kind": "CustomResourceNames", "apiVersion": "localplane/v1", "metadata": {"name": group}}
            return named | {"data": kept | mine}

        await self._storage.guaranteed_update(f"{PREFIX}{group}", claimed, UpdateOptions(ignore_not_found=True))
        return taken

    async def _there(self) -> Collection[str]:
        """The uids of all definitions."""
        listed = await self._definitions.storage.list(self._definitions.prefix, ListOptions(only_readable=True))
        return {item.uid for item in listed.items}


def _claims(names: Mapping[str, Any]) -> set[str]:
    taken = TakenNames.by([names])
    return {_RESOURCE + name for name in taken.resources if name} | {_KIND + name for name in taken.kinds if name}


def _of(sort: str, claims: Collection[str]) -> frozenset[str]:
    return frozenset(name.removeprefix(sort) for name in claims if name.startswith(sort))
