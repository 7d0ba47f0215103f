"""The finalizers by which a deletion tells the garbage collector what to do with dependents.

Kubernetes: registry/generic/registry/store.go, deletionFinalizersForGarbageCollection.
"""

from __future__ import annotations

from collections.abc import Sequence

from .rest import DeleteOptions

ORPHAN = "orphan"
FOREGROUND = "foregroundDeletion"


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
