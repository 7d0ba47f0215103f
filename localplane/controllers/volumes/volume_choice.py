"""Which volume fits a claim: the one that is kept for it, or the smallest that has what it asks for.

Kubernetes: component-helpers/storage/volume (FindMatchingVolume and its predicates) and
pkg/controller/volume/persistentvolume/index.go.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.quantity import ZERO, InvalidQuantity, Quantity, parse
from localplane.apimachinery.selectors.labels import selector_of

from .claim_users import claim_key_of

_CLASS_ANNOTATION: Final = "volume.beta.kubernetes.io/storage-class"
_DEFAULT_MARKS: Final = (
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
)
_MODES: Final = ("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod")


def storage_class_of(obj: Mapping[str, Any]) -> str:
    """The class of a volume or of a claim; the old annotation counts first."""
    annotations = obj["metadata"].get("annotations") or {}
    return str(annotations.get(_CLASS_ANNOTATION, obj["spec"].get("storageClassName") or ""))


def has_storage_class(claim: Mapping[str, Any]) -> bool:
    """It asks for one, be it the empty one."""
    annotations = claim["metadata"].get("annotations") or {}
    return _CLASS_ANNOTATION in annotations or claim["spec"].get("storageClassName") is not None


def default_class(classes: Iterable[JSONObject]) -> JSONObject | None:
    """The newest of those that are marked; of several of the same age the first by name."""
    marked = [each for each in classes if _is_default(each)]
    marked.sort(key=lambda each: str(each["metadata"]["name"]))
    return max(marked, key=lambda each: str(each["metadata"]["creationTimestamp"]), default=None)


def _is_default(storage_class: JSONObject) -> bool:
    annotations = storage_class["metadata"].get("annotations") or {}
    return any(annotations.get(mark) == "true" for mark in _DEFAULT_MARKS)


def is_bound_to(volume: Mapping[str, Any], claim: Mapping[str, Any]) -> bool:
    """The volume is kept for this claim, or for any of its name if it says no uid."""
    metadata, reference = claim["metadata"], volume["spec"].get("claimRef")
    return (
        reference is not None
        and reference.get("name") == metadata["name"]
        and reference.get("namespace") == metadata["namespace"]
        and reference.get("uid") in (None, "", metadata["uid"])
    )


def modes_differ(claim: Mapping[str, Any], volume: Mapping[str, Any]) -> bool:
    wanted = claim["spec"].get("volumeMode") or "Filesystem"
    return bool(wanted != (volume["spec"].get("volumeMode") or "Filesystem"))


def misfit(volume: Mapping[str, Any], claim: Mapping[str, Any]) -> str | None:
    """Why a claim can't have the volume that it names."""
    if "deletionTimestamp" in volume["metadata"]:
        return f'the volume is marked for deletion "{volume["metadata"]["name"]}"'
    if capacity(volume).value() < requested(claim).value():
        return "requested PV is too small"
    if storage_class_of(volume) != storage_class_of(claim):
        return "storageClassName does not match"
    if _attributes_class(volume) != _attributes_class(claim):
        return "volumeAttributesClassName does not match"
    if modes_differ(claim, volume):
        return "incompatible volumeMode"
    if not has_access_modes(claim, volume):
        return "incompatible accessMode"
    return None


def has_access_modes(claim: Mapping[str, Any], volume: Mapping[str, Any]) -> bool:
    return set(claim["spec"].get("accessModes") or ()) <= set(volume["spec"].get("accessModes") or ())


def best_match(claim: JSONObject, volumes: Sequence[JSONObject], *, only_reserved: bool) -> JSONObject | None:
    """Of the volumes with as few access modes as possible the one that is kept for the claim, or the smallest.

    `only_reserved` is for claims whose volume the scheduler chooses. Raises InvalidSelector.
    """
    by_modes: dict[tuple[str, ...], list[JSONObject]] = {}
    for volume in volumes:
        if has_access_modes(claim, volume):
            by_modes.setdefault(_modes(volume), []).append(volume)
    for modes in sorted(by_modes, key=lambda modes: (len(modes), modes)):
        if (found := _smallest(claim, by_modes[modes], only_reserved=only_reserved)) is not None:
            return found
    return None


def _smallest(claim: JSONObject, volumes: Iterable[JSONObject], *, only_reserved: bool) -> JSONObject | None:
    selector = selector_of(claim["spec"].get("selector"))
    wanted, wanted_class = requested(claim), storage_class_of(claim)
    smallest: JSONObject | None = None
    for volume in volumes:
        if not _may_have(claim, volume, wanted):
            continue
        if is_bound_to(volume, claim):
            return volume
        if only_reserved or (volume.get("status") or {}).get("phase") != "Available":
            continue  # whatever fits will become available, and is looked at again then
        if storage_class_of(volume) != wanted_class:
            continue
        if selector is not None and not selector.matches(volume["metadata"].get("labels") or {}):
            continue
        if smallest is None or capacity(volume) < capacity(smallest):
            smallest = volume
    return smallest


def _may_have(claim: JSONObject, volume: JSONObject, wanted: Quantity) -> bool:
    return (
        (volume["spec"].get("claimRef") is None or is_bound_to(volume, claim))
        and "deletionTimestamp" not in volume["metadata"]
        and not modes_differ(claim, volume)
        and _attributes_class(claim) == _attributes_class(volume)
        and capacity(volume) >= wanted
    )


def _modes(volume: JSONObject) -> tuple[str, ...]:
    said = volume["spec"].get("accessModes") or ()
    return tuple(mode for mode in _MODES if mode in said)


def capacity(volume: Mapping[str, Any]) -> Quantity:
    return storage(volume["spec"].get("capacity"))


def requested(claim: Mapping[str, Any]) -> Quantity:
    return storage((claim["spec"].get("resources") or {}).get("requests"))


def wants_more(claim: Mapping[str, Any]) -> bool:
    """It is bound, and asks for more than it was given."""
    status = claim.get("status") or {}
    return status.get("phase") == "Bound" and storage(status.get("capacity")) < requested(claim)


def storage(amounts: Mapping[str, Any] | None) -> Quantity:
    """The `storage` of some resources; nothing if they don't say it."""
    try:
        return parse(str((amounts or {}).get("storage", "0")))
    except InvalidQuantity:
        return ZERO


def _attributes_class(obj: Mapping[str, Any]) -> str:
    return obj["spec"].get("volumeAttributesClassName") or ""


def candidate_keys(volume: JSONObject) -> list[str]:
    """What a claim that looks for a volume finds it by: the claim that it is kept for or, if there is none, its
    class."""
    key = claim_key_of(volume)
    return [f"claim/{key}"] if key else [f"class/{storage_class_of(volume)}"]
