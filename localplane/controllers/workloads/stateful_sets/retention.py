"""What becomes of claims when their pod or their stateful set goes: owner references that make them go too.

    whenDeleted: Delete   the set owns the claims of its pods
    whenScaled: Delete    a pod that is not among the set's numbers any more owns its claims

A claim that somebody else controls, or an earlier set or pod of the same name, is left as it is. Pure functions.
Kubernetes: pkg/controller/statefulset/stateful_set_utils.go, isClaimOwnerUpToDate.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from localplane.apimachinery.objects import JSONObject
from localplane.controllers.ownership import controller_reference

from .identity import ordinal_of, ordinals

_DELETE: Final = "Delete"


def are_kept_when_scaled(stateful_set: Mapping[str, Any]) -> bool:
    return not _deletes(stateful_set, "whenScaled")


def is_owned_as_it_should_be(claim: JSONObject, stateful_set: JSONObject, pod: JSONObject) -> bool:
    if is_of_earlier(claim, stateful_set) or is_of_earlier(claim, pod):
        return True
    if has_other_controller(claim, stateful_set, pod):
        return not (_is_owned_by(claim, stateful_set) or _is_owned_by(claim, pod))
    uids = (_uid(stateful_set), _uid(pod))
    if any(reference["uid"] in uids and not reference.get("controller") for reference in _references(claim)):
        return False
    wanted = _owner(stateful_set, pod)
    return all(_is_owned_by(claim, owner) is (owner is wanted) for owner in (stateful_set, pod))


def owner_references(claim: JSONObject, stateful_set: JSONObject, pod: JSONObject) -> list[JSONObject]:
    """Those that it should have; those of others stay."""
    others = [
        reference for reference in _references(claim) if not (_names(reference, stateful_set) or _names(reference, pod))
    ]
    owner = _owner(stateful_set, pod)
    if owner is None or has_other_controller(claim, stateful_set, pod):
        return others
    return [*others, controller_reference(owner)]


def has_other_controller(claim: JSONObject, stateful_set: JSONObject, pod: JSONObject) -> bool:
    """Somebody controls it who is neither, or is an earlier one of the same name. No matter if it is to be kept."""
    if not (_deletes(stateful_set, "whenScaled") or _deletes(stateful_set, "whenDeleted")):
        return False
    return any(_is_other(reference, stateful_set, pod) for reference in _references(claim))


def is_of_earlier(claim: JSONObject, owner: JSONObject) -> bool:
    """It names the owner, but means one that was there before."""
    named = (reference for reference in _references(claim) if _names(reference, owner))
    reference = next(named, None)
    return reference is not None and reference["uid"] != _uid(owner)


def _is_other(reference: JSONObject, stateful_set: JSONObject, pod: JSONObject) -> bool:
    for owner in (stateful_set, pod):
        if _names(reference, owner):
            return bool(reference["uid"] != _uid(owner))
    return bool(reference.get("controller"))


def _owner(stateful_set: JSONObject, pod: JSONObject) -> JSONObject | None:
    """With whom the claims of the pod are to go."""
    if _deletes(stateful_set, "whenScaled") and ordinal_of(pod) not in ordinals(stateful_set):
        return pod
    return stateful_set if _deletes(stateful_set, "whenDeleted") else None


def _deletes(stateful_set: Mapping[str, Any], occasion: str) -> bool:
    policy = stateful_set["spec"].get("persistentVolumeClaimRetentionPolicy") or {}
    return bool(policy.get(occasion) == _DELETE)


def _references(claim: JSONObject) -> list[JSONObject]:
    return claim["metadata"].get("ownerReferences") or []


def _names(reference: JSONObject, owner: JSONObject) -> bool:
    keys = ("apiVersion", "kind")
    return all(reference[key] == owner[key] for key in keys) and reference["name"] == owner["metadata"]["name"]


def _is_owned_by(claim: JSONObject, owner: JSONObject) -> bool:
    return any(reference["uid"] == _uid(owner) for reference in _references(claim))


def _uid(owner: JSONObject) -> str:
    """Empty for a pod that is still to be created."""
    return str(owner["metadata"].get("uid", ""))
