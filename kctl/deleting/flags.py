"""The flags of deletion, worded as kubectl words them. Kubernetes: kubectl/pkg/cmd/delete/delete_flags.go."""

from __future__ import annotations

from kctl.flags import Flag, switch

DELETION_FLAGS = (
    Flag(
        "cascade",
        "text",
        "background",
        'Must be "background", "orphan", or "foreground". Selects the deletion cascading strategy for the dependents '
        "(e.g. Pods created by a ReplicationController). Defaults to background.",
        bare="background",
    ),
    switch(
        "force",
        "If true, immediately remove resources from API and bypass graceful deletion. Note that immediate deletion of "
        "some resources may result in inconsistency or data loss and requires confirmation.",
    ),
    Flag(
        "grace-period",
        "int",
        -1,
        "Period of time in seconds given to the resource to terminate gracefully. Ignored if negative. Set to 1 for "
        "immediate shutdown. Can only be set to 0 when --force is true (force deletion).",
    ),
    Flag(
        "timeout",
        "duration",
        0.0,
        "The length of time to wait before giving up on a delete, zero means determine a timeout from the size of the "
        "object",
    ),
)
"""What apply and replace have as well."""


def wait(*, default: bool) -> Flag:
    return switch(
        "wait",
        "If true, wait for resources to be gone before returning. This waits for finalizers.",
        default=default,
    )
