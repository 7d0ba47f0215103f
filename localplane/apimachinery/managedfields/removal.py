"""Removing what a manager applied before and does not apply any more.

Something goes if the manager applied it last time, does not apply it now, and nobody else owns it. What comes back
must be looked up in the version of each owner. Kubernetes: structured-merge-diff merge.Updater.prune.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .comparison import fields_of
from .errors import MissingVersion
from .fieldset import Fields, below, difference, intersection, is_member, member_with, union
from .managers import Managed, ManagerEntry, stripped
from .typed import ListType, MapType, Type
from .versions import Typed, Versions

# Taking fields out of an object.
#
# What becomes empty stays as null, as it does in Kubernetes: whoever decodes or prunes the object next takes it out.
# Kubernetes: structured-merge-diff typed.RemoveItems, fieldpath.Set.EnsureNamedFieldsAreMembers.


def remove(kind: Type, value: Any, fields: Fields) -> Any:
    """A copy of the value without these fields. Raises Unmanageable."""
    if type(value) is dict and kind.map is not None:
        return _remove_from_map(kind.map, value, fields) if kind.parts(value) else None
    if type(value) is list and kind.list is not None:
        return _remove_from_list(kind.list, value, fields) if kind.parts(value) else None
    return value


def _remove_from_map(kind: MapType, value: dict[str, Any], fields: Fields) -> dict[str, Any] | None:
    found: dict[str, Any] = {}
    for name, item in value.items():
        node = fields.get(f"f:{name}")
        if node is None:
            found[name] = item
        elif not is_member(node):
            found[name] = remove(kind.child(name), item, node)
    return found or None


def _remove_from_list(kind: ListType, value: Sequence[Any], fields: Fields) -> list[Any] | None:
    found: list[Any] = []
    for element, item in zip(kind.elements(value), value, strict=True):
        node = fields.get(element)
        if node is None:
            found.append(item)
        elif not is_member(node):
            found.append(remove(kind.element, item, node))
    return found or None


def with_named_fields(kind: Type | None, fields: Fields) -> Fields:
    """The set, and in it the declared fields on the way to its members: they go when nothing is left in them."""
    return {element: _named(kind, element, node) if node else node for element, node in fields.items()}


def _named(kind: Type | None, element: str, node: Fields) -> Fields:
    inner, is_declared = _child(kind, element)
    found = with_named_fields(inner, node)
    return member_with(below({element: found}, element)) if is_declared and not is_member(found) else found


def _child(kind: Type | None, element: str) -> tuple[Type | None, bool]:
    """The type below an element, and whether it is a declared field."""
    if kind is None:
        return None, False
    if element[:2] == "f:" and kind.map is not None:
        name = element[2:]
        is_declared = name in kind.map.declared
        return (kind.map.child(name) if is_declared else kind.map.element), is_declared
    if element[:2] == "k:" and kind.list is not None:
        return kind.list.element, False
    return None, False


def prune(merged: Typed, managed: Managed, last: ManagerEntry | None, now: ManagerEntry, versions: Versions) -> Typed:
    """The merged object without what only the last configuration of this manager, `last`, held.

    `managed` holds what everyone owns, and what the manager applies `now`. Raises Unmanageable.
    """
    if last is None or not last.fields:
        return merged
    if last.api_version == merged.api_version and _has_all(now.fields, last.fields):
        return merged  # it lets go of nothing
    try:
        then = versions.convert(merged, last.api_version)
    except MissingVersion:
        return merged
    pruned = _without(then, with_named_fields(then.kind, last.fields))
    pruned = _add_back_owned(then, pruned, managed, versions)
    pruned = _add_back_dangling(then, pruned, last, versions)
    return versions.convert(pruned, merged.api_version)


def _has_all(now: Fields, last: Fields) -> bool:
    """Nearly always it is the same again, and that is seen at once."""
    return last == stripped(now) or not difference(last, now)


def _without(obj: Typed, fields: Fields) -> Typed:
    return obj.changed(remove(obj.kind, obj.value, fields))


def _add_back_owned(merged: Typed, pruned: Typed, managed: Managed, versions: Versions) -> Typed:
    """Whatever any manager owns stays. The version of the pruned object comes first: conversion may need its fields."""
    owned: dict[str, Fields] = {}
    for entry in managed.values():
        owned[entry.api_version] = union(owned.get(entry.api_version, {}), entry.fields)
    for api_version in sorted(owned, key=lambda each: (each != merged.api_version, each)):
        try:
            merged_there = versions.convert(merged, api_version)
            pruned_there = versions.convert(pruned, api_version)
        except MissingVersion:
            continue
        merged = merged_there
        kind = merged.kind
        stays = union(_all_of(pruned_there), with_named_fields(kind, owned[api_version]))
        pruned = _without(merged, difference(_all_of(merged), stays))
    return pruned


def _add_back_dangling(merged: Typed, pruned: Typed, last: ManagerEntry, versions: Versions) -> Typed:
    """What was not in the last configuration is not this manager's to remove, even if nobody owns it."""
    try:
        pruned = versions.convert(pruned, last.api_version)
    except MissingVersion:
        return merged
    gone = difference(_all_of(merged), _all_of(pruned))
    return _without(merged, intersection(gone, with_named_fields(merged.kind, last.fields)))


def _all_of(obj: Typed) -> Fields:
    return with_named_fields(obj.kind, fields_of(obj.kind, obj.value))
