"""Before a delete: do its preconditions hold, how much time does the object get, and what becomes of its dependents?

Kubernetes: registry/rest/delete.go, BeforeDelete, and registry/generic/registry/store.go,
deletionFinalizersForGarbageCollection.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from enum import Enum
from typing import TYPE_CHECKING

from localplane.apimachinery.clock import present
from localplane.apimachinery.errors import Conflict
from localplane.apimachinery.groups import GroupResource
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import format_time, now, parse_time
from localplane.apiserver.request import Request

from .metadata import metadata_of
from .rest import DeleteOptions

if TYPE_CHECKING:
    from .definition import Definition

ORPHAN = "orphan"
FOREGROUND = "foregroundDeletion"
"""The finalizers by which a deletion tells the garbage collector what to do with dependents."""

# A client may ask for any number of seconds; the calendar ends before they do.
_LONGEST_SECONDS = 10**10


class Grace(Enum):
    """How an object goes."""

    NONE = "it may go at once"
    GRACEFUL = "it is marked now and goes when its time is over"
    PENDING = "an earlier deletion is under way and stays as it is"


def before_delete(definition: Definition, request: Request, hub: JSONObject, options: DeleteOptions) -> Grace:
    """Check preconditions early, and let the strategy decide on grace. Marks `hub` if it is graceful."""
    metadata = metadata_of(hub)
    _check_preconditions(definition, metadata, options)
    if options.grace_period_seconds is not None and options.grace_period_seconds < 0:
        options.grace_period_seconds = 1
    if metadata.get("deletionTimestamp"):
        return _shortened(metadata, options)
    if not definition.strategy.check_graceful_delete(request, hub, options):
        return Grace.NONE
    assert options.grace_period_seconds is not None, "a strategy that says graceful settles the period"
    metadata["deletionTimestamp"] = format_time(present() + _duration(options.grace_period_seconds))
    metadata["deletionGracePeriodSeconds"] = options.grace_period_seconds
    _bump_generation(metadata)
    return Grace.GRACEFUL


def _shortened(metadata: JSONObject, options: DeleteOptions) -> Grace:
    """The object is being deleted already: its time may only become shorter."""
    period = metadata.get("deletionGracePeriodSeconds") or 0
    if period < 0:
        period = metadata["deletionGracePeriodSeconds"] = 1
    if not period:
        return Grace.NONE
    if options.grace_period_seconds is None:
        options.grace_period_seconds = period
        return Grace.PENDING
    seconds = options.grace_period_seconds
    if seconds >= period:
        return Grace.PENDING
    when = parse_time(metadata["deletionTimestamp"]) - _duration(period) + _duration(seconds)
    moment = present()
    if when < moment:
        # It is over already. One second still lets whoever runs the object notice; zero is meant as it is said.
        when, seconds = moment, min(seconds, 1)
    metadata["deletionTimestamp"] = format_time(when)
    metadata["deletionGracePeriodSeconds"] = seconds
    return Grace.GRACEFUL


def _duration(seconds: int) -> timedelta:
    return timedelta(seconds=min(seconds, _LONGEST_SECONDS))


def mark_as_deleting(metadata: JSONObject) -> None:
    """An object that waits for nothing but its finalizers."""
    if not metadata.get("deletionTimestamp"):
        _bump_generation(metadata)
        metadata["deletionTimestamp"] = now()
    elif parse_time(metadata["deletionTimestamp"]) > present():
        metadata["deletionTimestamp"] = now()
    metadata["deletionGracePeriodSeconds"] = 0


def _bump_generation(metadata: JSONObject) -> None:
    if metadata.get("generation"):
        metadata["generation"] += 1


def _check_preconditions(definition: Definition, metadata: JSONObject, options: DeleteOptions) -> None:
    uid, version = options.precondition_uid, options.precondition_resource_version
    stored_uid, stored_version = metadata.get("uid", ""), metadata.get("resourceVersion", "")
    if uid is not None and uid != stored_uid:
        raise _precondition_failed(
            definition,
            metadata,
            f"the UID in the precondition ({uid}) does not match the UID in record ({stored_uid}). "
            "The object might have been deleted and then recreated",
        )
    if version is not None and version != stored_version:
        raise _precondition_failed(
            definition,
            metadata,
            f"the ResourceVersion in the precondition ({version}) does not match the ResourceVersion in record "
            f"({stored_version}). The object might have been modified",
        )


def _precondition_failed(definition: Definition, metadata: JSONObject, why: str) -> Conflict:
    """Names the kind where other conflicts name the resource: clients know it so."""
    return Conflict.of(GroupResource(definition.kind.group, definition.kind.kind), metadata.get("name", ""), why)


def with_collection_finalizers(
    finalizers: Sequence[str], options: DeleteOptions, *, default_policy: str
) -> Sequence[str]:
    """An object's finalizers with just those of the garbage collector that this deletion needs.

    `default_policy` is the kind's own: `Unsupported` leaves all as it is. What changes nothing returns what it got.
    """
    if default_policy == "Unsupported":
        return finalizers
    wanted = _wanted(finalizers, options, default_policy=default_policy)
    changed = [name for name in finalizers if name not in (ORPHAN, FOREGROUND)] + wanted
    return finalizers if set(changed) == set(finalizers) else changed


def _wanted(finalizers: Sequence[str], options: DeleteOptions, *, default_policy: str) -> list[str]:
    """Options decide first, then what the object carries already, then the kind's default."""
    if options.orphan_dependents is not None:
        return [ORPHAN] if options.orphan_dependents else []
    if options.propagation_policy is not None:
        return {"Orphan": [ORPHAN], "Foreground": [FOREGROUND]}.get(options.propagation_policy, [])
    carried = [name for name in finalizers if name in (ORPHAN, FOREGROUND)]
    if carried:
        return carried[:1]
    return [ORPHAN] if default_policy == "Orphan" else []
