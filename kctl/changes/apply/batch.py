"""Several objects as one: kubectl's v1 List, which is a struct and has its fields in the struct's order.

All objects of an apply, in the order of the files, but each after what it can't be without.

kubectl refuses a custom resource that comes with its definition, and an object before its namespace. Here what is
missing is applied first, and a definition is waited for; whatever works with kubectl happens in kubectl's order. Called
kubectl, it refuses both as well.

`apply --watch`: apply, then again whenever a file changes, and show what has changed in them.

Ends with Ctrl-C, as successfully as it began.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence

from kctl import program
from kctl.command_line.flags import FlagSet
from kctl.errors import KctlError, listed_as_one
from kctl.objects import Info, Query, Result
from kctl.objects.manifests import UnknownKind, place
from kctl.printers import choice, kyaml
from kctl.printers.objects import go_indented, without_managed_fields
from kctl.session.session import Session
from localplane.apimachinery.errors import APIError, NotFound
from localplane.apimachinery.objects import JSONObject, sorted_keys
from localplane.client.transport.driver import sleep


def print_list(session: Session, flags: FlagSet, objects: Sequence[JSONObject]) -> None:
    listed: JSONObject = {"kind": "List", "apiVersion": "v1", "metadata": {}, "items": list(objects)}
    form = choice.chosen_format(flags).lower()
    if form not in ("json", "kyaml"):
        choice.printer_for(flags).print(listed, session.write_object)
        return
    if not flags.is_on("show-managed-fields"):
        listed = without_managed_fields(listed)
    listed["items"] = [sorted_keys(item) for item in listed["items"]]
    if form == "json":
        session.write(go_indented(listed, sort=False) + "\n")
        return
    session.write(kyaml.to_kyaml(listed, sort=False))


_ESTABLISHED_WITHIN = 60.0
_PAUSE = 0.1


class Batch:
    """`infos` are the objects that were found a place for, in the order in which they were applied."""

    def __init__(self, session: Session, query: Query, apply: Callable[[Info], Awaitable[None]]) -> None:
        self._session = session
        self._query = query
        self._apply = apply
        self._done: set[int] = set()
        self._items: list[Info | UnknownKind] = []
        self._unusable: list[Exception] = []
        self._failed: list[Exception] = []
        self.infos: list[Info] = []

    async def read(self, result: Result) -> None:
        """Everything is read before anything is applied. Raises nothing: what can't be used is in `errors`."""
        seen = 0
        async for info in result.visit():
            self._take_unknown(result.errors[seen:])
            seen = len(result.errors)
            self._items.append(info)
        self._take_unknown(result.errors[seen:])
        self.infos = [item for item in self._items if not isinstance(item, UnknownKind)]

    def _take_unknown(self, errors: list[Exception]) -> None:
        """A kind that is unknown, and that something here defines, is no error yet."""
        for error in errors:
            if isinstance(error, UnknownKind):
                self._items.append(error)
        self._unusable += errors

    @property
    def errors(self) -> list[Exception]:
        """What could not be read, then what could not be applied."""
        return [*(listed_as_one(self._unusable) if self._failed else self._unusable), *self._failed]

    def settle(self, *, dry_run: bool) -> None:
        """Give up on kinds that nothing here defines, or that won't be defined because nothing will be written."""
        kept: list[Info | UnknownKind] = []
        for item in self._items:
            if not isinstance(item, UnknownKind):
                kept.append(item)
            elif not dry_run and self._definition_of(item) is not None:
                kept.append(item)
                self._unusable.remove(item)
        self._items = kept

    @property
    def is_empty(self) -> bool:
        return not self._items

    @property
    def size(self) -> int:
        return len(self._items)

    async def run(self) -> None:
        """Apply all. What went wrong is in `errors`."""
        for item in self._items:
            if id(item) not in self._done:
                await self._run_one(item)

    async def _run_one(self, item: Info | UnknownKind) -> None:
        self._done.add(id(item))
        try:
            info = await self._placed(item) if isinstance(item, UnknownKind) else item
            try:
                await self._apply(info)
            except NotFound as error:
                if not (await self._made_namespace(error) or await self._made_kind(info, error)):
                    raise
                await self._apply(info)
        except (KctlError, APIError) as error:
            self._failed.append(error)

    # Definitions

    async def _made_kind(self, info: Info, error: NotFound) -> bool:
        """Whether a kind that was known is gone, and a definition that comes later has brought it back."""
        definition = self._definition_of(info)
        if (error.status().get("details") or {}).get("name") or definition is None or id(definition) in self._done:
            return False
        await self._run_one(definition)
        await self._wait_until_established(definition)
        return True

    def _definition_of(self, item: Info | UnknownKind) -> Info | None:
        if program.is_kubectl():
            return None
        obj = item.object or {}
        group, _, _ = str(obj.get("apiVersion", "")).rpartition("/")
        for other in self._items:
            if isinstance(other, UnknownKind) or other.rest_mapping.kind.kind != "CustomResourceDefinition":
                continue
            spec = (other.object or {}).get("spec") or {}
            names = spec.get("names") or {}
            if spec.get("group") == group and names.get("kind") == obj.get("kind"):
                return other
        return None

    async def _placed(self, item: UnknownKind) -> Info:
        definition = self._definition_of(item)
        if definition is None:
            raise item
        if id(definition) not in self._done:
            await self._run_one(definition)
        await self._wait_until_established(definition)
        info = await self._place_patiently(item)
        self.infos.append(info)
        return info

    async def _wait_until_established(self, definition: Info) -> None:
        end = time.monotonic() + _ESTABLISHED_WITHIN
        while not _is_established(await definition.resource.get(definition.name)):
            if time.monotonic() > end:
                raise KctlError(f"timed out waiting for the condition on {definition.shown}")
            await sleep(_PAUSE)

    async def _place_patiently(self, item: UnknownKind) -> Info:
        """A definition may be established a moment before its kind is served."""
        end = time.monotonic() + _ESTABLISHED_WITHIN
        while True:
            self._session.discovery.forget()
            try:
                return await place(self._session, self._query, item.object, item.source)
            except UnknownKind:
                if time.monotonic() > end:
                    raise
            await sleep(_PAUSE)

    # Namespaces

    async def _made_namespace(self, error: NotFound) -> bool:
        """Whether what was not found is a namespace that comes later; then it is there now."""
        details = error.status().get("details") or {}
        if details.get("kind") != "namespaces" or program.is_kubectl():
            return False
        for other in self._items:
            if isinstance(other, UnknownKind) or id(other) in self._done:
                continue
            if other.rest_mapping.kind.kind == "Namespace" and other.name == details.get("name"):
                await self._run_one(other)
                return True
        return False


def _is_established(definition: JSONObject) -> bool:
    conditions = (definition.get("status") or {}).get("conditions") or ()
    return any(one.get("type") == "Established" and one.get("status") == "True" for one in conditions)
