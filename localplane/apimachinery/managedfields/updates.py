"""Who owns what after a change, and what an object is after an apply.

    update   the new object stands: who changed it takes the fields that changed, others lose them
    apply    the configuration is laid over the live object: others must agree, or be forced

Kubernetes: structured-merge-diff merge.Updater.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from localplane.apimachinery.objects import JSONObject

from .comparison import Comparison, compare, fields_of
from .errors import ApplyConflict, MissingVersion
from .fieldset import Fields, difference, intersection, paths, recursive_difference, union
from .managers import Managed, Manager, ManagerEntry
from .merge import merge, reconcile
from .removal import prune
from .settled import Settled
from .struct_form import View, unchanged
from .values import differing
from .versions import Typed, Versions


@dataclass(frozen=True, slots=True)
class Updater:
    """`reset_fields` are what a request has no say in, by version: the status, or all but the status."""

    versions: Versions
    reset_fields: Mapping[str, Fields]
    settled: Settled

    def update(
        self, live: JSONObject, new: JSONObject, managed: Managed, *, view: View = unchanged
    ) -> tuple[Managed, Fields]:
        """The managers after this change, and the fields that the change took. Raises Unmanageable.

        `view` is how objects are looked at. Most of an object is the same before and after, and nobody needs to look at
        that; but in other versions it takes the whole.
        """
        managed = self._reconciled(managed)
        before, after = map(view, differing(live, new))
        changed = self._compare(self.versions.typed(before), self.versions.typed(after))
        if any(entry.api_version != self.versions.api_version for entry in managed.values()):
            live, new = view(live), view(new)
        managed = self._settled(live, new, managed, changed, applier=None, force=True)
        return managed, union(changed.modified, changed.added)

    def apply(
        self, live: JSONObject, config: JSONObject, managed: Managed, manager: Manager, *, force: bool
    ) -> tuple[JSONObject, Managed]:
        """The object with the configuration in it, and its managers. Raises ApplyConflict, Unmanageable."""
        managed = self._reconciled(managed)
        own = self.versions.api_version
        fields = recursive_difference(fields_of(self.versions.kind, config), self.reset_fields.get(own, {}))
        last = managed.get(manager)
        managed[manager] = now = ManagerEntry(fields, own, last.time if last else "")
        merged = self.versions.typed(merge(self.versions.kind, live, config))
        new = prune(merged, managed, last, now, self.versions).value
        if len(managed) > 1:
            changed = self._compare(self.versions.typed(live), self.versions.typed(new))
            managed = self._settled(live, new, managed, changed, applier=manager, force=force)
        return new, managed

    def _reconciled(self, managed: Managed) -> Managed:
        found: Managed = {}
        for manager, entry in managed.items():
            try:
                kind = self.versions.kind_in(entry.api_version)
            except MissingVersion:
                continue  # nobody can tell any more what it owned
            if entry.settled:
                found[manager] = entry
                continue
            fields = reconcile(kind, entry.fields)
            found[manager] = entry.owning(fields)
            if entry.written is not None and fields is entry.written.get("fieldsV1"):
                self.settled.add(entry.written)
        return found

    def _compare(self, old: Typed, new: Typed) -> Comparison:
        return compare(old.kind, old.value, new.value).without(self.reset_fields.get(old.api_version))

    def _settled(
        self,
        live: JSONObject,
        new: JSONObject,
        managed: Managed,
        changed: Comparison,
        *,
        applier: Manager | None,
        force: bool,
    ) -> Managed:
        """Take from all but the applier what changed and what is gone. Whoever owns nothing then is forgotten."""
        by_version = {self.versions.api_version: changed}
        found: Managed = {}
        conflicts: list[tuple[Manager, tuple[str, ...]]] = []
        for manager, entry in managed.items():
            if manager == applier:
                found[manager] = entry
                continue
            there = by_version.get(entry.api_version)
            if there is None:
                there = self._compare_in(entry.api_version, live, new)
                if there is None:
                    continue
                by_version[entry.api_version] = there
            lost = intersection(entry.fields, union(there.modified, there.added))
            conflicts += [(manager, path) for path in paths(lost)] if not force else ()
            gone = union(lost, intersection(entry.fields, there.removed))
            found[manager] = entry.owning(difference(entry.fields, gone))
        if conflicts:
            raise ApplyConflict(sorted(conflicts, key=lambda conflict: conflict[0].identifier))
        return {manager: entry for manager, entry in found.items() if entry.fields}

    def _compare_in(self, api_version: str, live: JSONObject, new: JSONObject) -> Comparison | None:
        try:
            old = self.versions.convert(self.versions.typed(live), api_version)
            return self._compare(old, self.versions.convert(self.versions.typed(new), api_version))
        except MissingVersion:
            return None
