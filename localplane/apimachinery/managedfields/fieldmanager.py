"""The way of a request through field management.

Kubernetes stacks a dozen managers on one another; read from top to bottom, they are `update` and `apply` here.
Kubernetes: apimachinery/pkg/util/managedfields/internal (fieldmanager.go and what NewDefaultFieldManager wraps).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from localplane.apimachinery.errors import BadRequest
from localplane.apimachinery.groups import GroupVersion, GroupVersionKind
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.schema import Node, Property, Schema
from localplane.apimachinery.schema.meta import type_meta

from .errors import ApplyConflict, InvalidApply, InvalidManagedFields, MissingVersion, Unmanageable
from .fieldset import Fields, has, union
from .last_applied import KUBECTL, forgiven, refreshed
from .managers import Managed, Manager, ManagerEntry, Operation, capped, decode, encode, is_reset, stripped
from .settled import Settled
from .struct_form import View, as_shown, unchanged
from .typed import root_type
from .updates import Updater
from .validation import faults, is_sound, message_of
from .values import same
from .versions import OneVersion, VersionConverter, Versions

# The object before it was created.
#
# Kubernetes compares a new object with an empty Go struct, which has some fields already: those that are written even
# when they hold nothing, and structs in structs. Nobody set them, so whoever creates the object does not own them.

_ZEROS: dict[str, Any] = {"string": "", "integer": 0, "number": 0, "boolean": False}


def empty_object(schema: Schema | Node) -> dict[str, Any]:
    """What an empty object of this kind holds. Custom resources hold nothing but metadata."""
    node = schema.node if isinstance(schema, Schema) else schema
    return _empty(type_meta() | node.load().properties)


def _empty(properties: dict[str, Property]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, each in properties.items():
        shape = each.node.shape
        if shape == "struct" and not each.pointer and each.node.properties:
            found[name] = _empty(each.node.properties)
        elif each.emit:
            found[name] = None if each.pointer or each.emit == "null" else _ZEROS.get(shape)
    return found


_BEFORE_FIRST_APPLY: Final = "before-first-apply"
_NO_FIELDS: Final[Mapping[str, Fields]] = {}


@dataclass(frozen=True, slots=True)
class Applied:
    """`object` may hold nulls where a configuration let go of all in a map: decode or prune it next.

    `changed` is false when it equals the live object, its managers included: there is nothing to write.
    """

    object: JSONObject
    changed: bool


class FieldManager:
    """Field management of one kind in one version, or of one of its subresources.

    `reset_fields` are the sets of fields, by apiVersion, that a request to this (sub)resource has no say in. Without a
    `converter`, entries of other versions are forgotten. Objects that are given are not changed, and share parts with
    those that are returned. Times are RFC 3339, as objects hold them.
    """

    def __init__(
        self,
        schema: Schema | Node,
        group_version: GroupVersion,
        kind: str,
        *,
        subresource: str = "",
        reset_fields: Mapping[str, Fields] = _NO_FIELDS,
        converter: VersionConverter | None = None,
    ) -> None:
        self._gvk = group_version.kind(kind)
        self._api_version = str(group_version)
        self._subresource = subresource
        self._schema = schema
        self._versions = Versions(self._api_version, root_type(schema), converter or OneVersion())
        self._settled = Settled()
        self._updater = Updater(self._versions, reset_fields, self._settled)

    @cached_property
    def _as_shown(self) -> View:
        return as_shown(self._schema)

    @cached_property
    def _empty(self) -> JSONObject:
        return empty_object(self._schema)

    def update(self, live: JSONObject | None, new: JSONObject, *, manager: str, now: str) -> JSONObject:
        """The new object with its managedFields: who changed what. `live` is None for a new object.

        Nothing is refused: if the fields can't be computed, those of the live object stay.
        """
        try:
            return self._updated(live, new, manager, now)
        except (Unmanageable, MissingVersion, RecursionError):
            return _with_managed_fields(new, _managed_fields(live or {}))

    def _updated(self, live: JSONObject | None, new: JSONObject, manager: str, now: str) -> JSONObject:
        managed = self._claimed(live or {}, new)
        if not managed and live is not None and _metadata(live).get("uid"):
            return _with_managed_fields(new, None)  # it is not tracked until somebody applies
        before = self._empty if live is None else live
        who = self._manager(manager, "Update")
        after = self._tracked(before, new, managed, who, now, view=self._as_shown)
        return _with_managed_fields(new, encode(capped(after)))

    def _claimed(self, live: JSONObject, new: JSONObject) -> Managed:
        """The managers before the change: a client may edit them, or forget to send them."""
        if not self._subresource:
            sent = _managed_fields(new)
            if is_reset(sent):
                return {}
            claimed = self._decoded_or_none(sent)
            if claimed:
                return claimed
        return self._decoded_or_none(_managed_fields(live)) or {}

    def _decoded_or_none(self, entries: Any) -> Managed | None:
        try:
            return decode(entries, self._settled)
        except InvalidManagedFields:
            return None

    def _tracked(
        self,
        live: JSONObject,
        new: JSONObject,
        managed: Managed,
        who: Manager,
        now: str,
        *,
        view: View = unchanged,
    ) -> Managed:
        managed, taken = self._updater.update(_content(live), _content(new), managed, view=view)
        taken = stripped(taken)
        if taken:
            before = managed.get(who)
            if before is None:
                managed[who] = ManagerEntry(taken, self._api_version, now)
            else:
                managed[who] = before.owning(union(before.fields, taken)).at(now, self._api_version)
        return managed

    def apply(self, live: JSONObject | None, applied: JSONObject, *, manager: str, force: bool, now: str) -> Applied:
        """Lay an applied configuration over the live object, None if there is none.

        Raises BadRequest, InvalidApply or ApplyConflict.
        """
        if (sent := _gvk(applied)) != self._gvk:
            raise BadRequest(f"invalid object type: {sent}")
        try:
            return self._applied(live or {}, applied, manager, now, force=force)
        except InvalidManagedFields as error:
            raise InvalidApply(f"failed to decode managed fields: {error}") from None
        except (Unmanageable, MissingVersion) as error:
            raise InvalidApply(f"failed to merge config: {error}") from None
        except RecursionError:
            raise InvalidApply("failed to merge config: nested too deeply") from None

    def _applied(self, live: JSONObject, applied: JSONObject, manager: str, now: str, *, force: bool) -> Applied:
        managed = decode(_managed_fields(live), self._settled)
        content = _content(live)
        if not managed and content:
            who = self._manager(_BEFORE_FIRST_APPLY, "Update")
            managed = self._tracked(self._empty, content, managed, who, now)
        self._check(applied)
        who = self._manager(manager, "Apply")
        new, managed = self._merged(content, applied, managed, who, force=force)
        if not same(content, new) and who in managed:
            managed[who] = managed[who].at(now, self._api_version)
        if manager == KUBECTL:
            new = refreshed(new, applied)
        found = _with_managed_fields(new, encode(managed))
        return Applied(found, changed=not same(live, found))

    def _merged(
        self, live: JSONObject, applied: JSONObject, managed: Managed, who: Manager, *, force: bool
    ) -> tuple[JSONObject, Managed]:
        try:
            new, after = self._updater.apply(live, applied, dict(managed), who, force=force)
        except ApplyConflict as error:
            if who.name != KUBECTL:
                raise
            allowed = forgiven(self._versions.kind, live, self._api_version)
            if rest := [conflict for conflict in error.conflicts if not has(allowed, conflict[1])]:
                raise ApplyConflict(rest) from None
            new, after = self._updater.apply(live, applied, dict(managed), who, force=True)
        own, before = after.pop(who, None), managed.get(who)
        if own is not None and (fields := stripped(own.fields)):
            is_old = before is not None and before.fields == fields and before.api_version == own.api_version
            after[who] = before if before is not None and is_old else own.owning(fields)
        return new, after

    def _check(self, applied: JSONObject) -> None:
        metadata = _metadata(applied)
        if isinstance(metadata.get("managedFields"), list):
            raise BadRequest("metadata.managedFields must be nil")
        if not is_sound(self._versions.kind, applied):
            found = list(faults(self._versions.kind, applied))
            whose = f"{_text(metadata, 'namespace')}/{_text(metadata, 'name')}; {self._gvk}"
            raise InvalidApply(f"failed to create typed patch object ({whose}): {message_of(found)}")

    def _manager(self, name: str, operation: Operation) -> Manager:
        version = self._api_version if operation == "Update" else ""
        return Manager(name or "unknown", operation, version, self._subresource)


def keep_times_of_unchanged(old: JSONObject, new: JSONObject) -> JSONObject:
    """The new object, or, where it differs from the old one in times of managers only, the old times in it.

    So a write that changes nothing is seen to change nothing. Kubernetes: IgnoreManagedFieldsTimestampsTransformer.
    """
    before, after = _managed_fields(old), _managed_fields(new)
    if not before or not after or len(before) != len(after) or before == after:
        return new
    if any(_timeless(left) != _timeless(right) for left, right in zip(before, after, strict=True)):
        return new
    return _with_managed_fields(new, before) if same(_content(old), _content(new)) else new


def _timeless(entry: JSONObject) -> JSONObject:
    return {name: value for name, value in entry.items() if name != "time"}


def _gvk(obj: JSONObject) -> GroupVersionKind:
    try:
        version = GroupVersion.parse(_text(obj, "apiVersion"))
    except ValueError:
        return GroupVersionKind("", "", "")
    return version.kind(_text(obj, "kind"))


def _text(obj: JSONObject, name: str) -> str:
    value = obj.get(name)
    return value if isinstance(value, str) else ""


def _metadata(obj: JSONObject) -> JSONObject:
    metadata = obj.get("metadata")
    return metadata if isinstance(metadata, dict) else {}


def _managed_fields(obj: JSONObject) -> Any:
    return _metadata(obj).get("managedFields")


def _content(obj: JSONObject) -> JSONObject:
    """The object without its managedFields, which are nobody's field."""
    metadata = obj.get("metadata")
    if not isinstance(metadata, dict) or "managedFields" not in metadata:
        return obj
    return {**obj, "metadata": {name: value for name, value in metadata.items() if name != "managedFields"}}


def _with_managed_fields(obj: JSONObject, entries: Any) -> JSONObject:
    metadata = obj.get("metadata")
    if not isinstance(metadata, dict):
        return {**obj, "metadata": {"managedFields": entries}} if entries and metadata is None else obj
    if entries:
        return {**obj, "metadata": {**metadata, "managedFields": entries}}
    return _content(obj)
