"""The flags of deletion. Kubernetes: kubectl/pkg/cmd/delete/delete_flags.go."""

from __future__ import annotations

from kctl.flags import Flag, switch

DELETION_FLAGS = (
    Flag(
        "cascade",
        "text",
        "background",
        "What becomes of the objects that an object owns: background (they go later), foreground (they go first) or "
        "orphan (they stay).",
        bare="background",
    ),
    switch("force", "At once: nobody waits until what the object stands for has ended, and data may be lost."),
    Flag(
        "grace-period",
        "int",
        -1,
        "How many seconds it gets to end; a negative number leaves that to the object, and 0 needs --force.",
    ),
    Flag("timeout", "duration", 0.0, "How long to wait until it is gone: 5s, 2m; 0 for as long as it takes."),
)
"""What apply and replace have as well."""


def wait(*, default: bool) -> Flag:
    return switch(
        "wait",
        "Wait until the objects are gone, finalizers and all.",
        default=default,
    )
