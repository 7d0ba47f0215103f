"""One device of a slice: its attributes, its capacities, where it is, and what it shares with others.

Kubernetes: pkg/apis/resource/validation, validateDevice.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, declared, invalid, required
from localplane.apimachinery.patch.values import same
from localplane.catalog.core.pods.validation.scheduling import NODE_SELECTOR
from localplane.catalog.validation.declared import short_name_errors
from localplane.catalog.validation.rules import DNS_LABEL, DNS_SUBDOMAIN, All, Fields, Longest

from .binding_conditions import binding_condition_errors
from .capacities import capacity_errors, fixed_capacity_errors
from .lists import map_errors, set_errors, slice_errors
from .names import qualified_name_errors
from .taints import default_taint, taint_errors

JSONObject = Mapping[str, Any]

_PROPERTIES_MAX, _VALUES_MAX, _VALUE_MAX, _TAINTS_MAX = 32, 48, 64, 16
_COUNTERS_MAX, _CONSUMPTIONS_MAX = 32, 2
_KEY_MAX, _COUNTER_KEY_MAX = 63 + 1 + 32, 63
_KINDS = ("int", "bool", "string", "version", "ints", "bools", "strings", "versions")
_OFF = ("ints", "bools", "strings", "versions")
_NUMBER = r"(0|[1-9]\d*)"
_PRERELEASE = r"(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)"
_is_semantic_version = re.compile(
    rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}(-{_PRERELEASE}(\.{_PRERELEASE})*)?(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?",
    re.ASCII,
).fullmatch
_OWN_PLACE = (
    "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true "
    "in the ResourceSlice spec"
)
_NO_OWN_PLACE = (
    "`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the "
    "ResourceSlice spec"
)


def default_device(device: dict[str, Any]) -> None:
    for taint in device.get("taints") or ():
        default_taint(taint)


def drop_disabled_fields(spec: dict[str, Any]) -> None:
    """What is off unless asked for."""
    for name in ("partitionTypeAttribute", "skipNodeOperations"):
        spec.pop(name, None)
    for device in spec.get("devices") or ():
        device.pop("nodeAllocatableResources", None)
        for consumption in device.get("consumesCounters") or ():
            consumption.pop("compatibilityGroups", None)
        for attribute in (device.get("attributes") or {}).values():
            for kind in _OFF:
                attribute.pop(kind, None)


def device_errors(
    device: JSONObject, path: Path, *, known: Mapping[str, JSONObject], has_own_place: bool
) -> Iterator[FieldError]:
    """`known` are the devices that were there before: capacities and taints of theirs are not looked at again."""
    name, attributes, capacity = device.get("name") or "", device.get("attributes") or {}, device.get("capacity") or {}
    old = known.get(name)
    yield from DNS_LABEL(name, path / "name")
    yield from _amount_errors(len(attributes) + len(capacity), len(attributes), path)
    yield from map_errors(
        attributes, -1, qualified_name_errors, _attribute_errors, path / "attributes", key_max=_KEY_MAX
    )
    if old is None or not same(old.get("capacity"), device.get("capacity")):
        rule = capacity_errors if device.get("allowMultipleAllocations") else fixed_capacity_errors
        yield from map_errors(capacity, -1, qualified_name_errors, rule, path / "capacity", key_max=_KEY_MAX)
    if old is None or not same(old.get("taints"), device.get("taints")):
        yield from slice_errors(device.get("taints") or (), _TAINTS_MAX, taint_errors, path / "taints")
    consumptions = device.get("consumesCounters") or ()
    yield from set_errors(
        consumptions, _CONSUMPTIONS_MAX, _consumption_errors, _counter_set_of, path / "consumesCounters"
    )
    yield from _place_errors(device, path, has_own_place=has_own_place)
    yield from binding_condition_errors(device, path)


def _amount_errors(properties: int, values: int, path: Path) -> Iterator[FieldError]:
    if properties > _PROPERTIES_MAX:
        detail = f"the total number of attributes and capacities must not exceed {_PROPERTIES_MAX}"
        yield invalid(path, properties, detail)
    if values > _VALUES_MAX:
        yield invalid(path, values, f"the total number of attribute values must not exceed {_VALUES_MAX}")


def _version_errors(version: str, path: Path) -> Iterator[FieldError]:
    if not _is_semantic_version(version):
        yield invalid(path, version, "must be a string compatible with semver.org spec 2.0.0")


_VALUES = Fields(string=Longest(_VALUE_MAX), version=All(_version_errors, Longest(_VALUE_MAX)))


def _attribute_errors(attribute: JSONObject, path: Path) -> Iterator[FieldError]:
    yield from _VALUES(attribute, path)
    given = [kind for kind in _KINDS if attribute.get(kind) is not None]
    kinds = ", ".join(f"`{kind}`" for kind in _KINDS)
    if not given:
        yield declared(invalid(path, "", f"must specify one of: {kinds}"))
    elif len(given) > 1:
        yield invalid(path, f"{{{', '.join(given)}}}", f"must specify exactly one of: {kinds}")


def counter_set_errors(counters: JSONObject, path: Path) -> Iterator[FieldError]:
    yield from _named_counters_errors(counters, "name", path)


def _consumption_errors(consumption: JSONObject, path: Path) -> Iterator[FieldError]:
    yield from _named_counters_errors(consumption, "counterSet", path)


def _counter_set_of(consumption: JSONObject) -> str:
    return consumption.get("counterSet") or ""


def _named_counters_errors(holder: JSONObject, field: str, path: Path) -> Iterator[FieldError]:
    name, counters = holder.get(field) or "", holder.get("counters") or {}
    yield from short_name_errors(name, path / field) if name else [required(path / field)]
    if not counters:
        yield required(path / "counters")
    yield from map_errors(
        counters, _COUNTERS_MAX, short_name_errors, _nothing_wrong, path / "counters", key_max=_COUNTER_KEY_MAX
    )


def _nothing_wrong(_: JSONObject, __: Path) -> tuple[FieldError, ...]:
    """Any amount will do."""
    return ()


def _place_errors(device: JSONObject, path: Path, *, has_own_place: bool) -> Iterator[FieldError]:
    node, selector, everywhere = (device.get(field) for field in ("nodeName", "nodeSelector", "allNodes"))
    if not has_own_place:
        if any(each is not None for each in (node, selector, everywhere)):
            yield invalid(path, None, _NO_OWN_PLACE)
        return
    given = []
    if node:
        given.append("`nodeName`")
        yield from DNS_SUBDOMAIN(node, path / "nodeName")
    elif node is not None:
        yield invalid(path / "nodeName", node, "must not be empty")
    if selector is not None:
        given.append("`nodeSelector`")
        yield from NODE_SELECTOR(selector, path / "nodeSelector")
    if everywhere:
        given.append("`allNodes`")
    elif everywhere is not None:
        yield invalid(path / "allNodes", everywhere, "must be either unset or set to true")
    if not given:
        yield required(path, _OWN_PLACE)
    elif len(given) > 1:
        yield invalid(path, f"{{{', '.join(given)}}}", _OWN_PLACE)
