"""Flags that apply and diff share."""

from __future__ import annotations

from kctl import standard_flags
from kctl.flags import Flag, switch

SERVER_SIDE_FLAGS = (
    switch("server-side", "Let the server merge, and keep track of who owns which field."),
    switch("force-conflicts", "With --server-side: take fields that somebody else owns."),
)
PRUNE_ALLOWLIST = Flag(
    "prune-allowlist",
    "array",
    (),
    "Prune these types and no others, as group/version/kind: core/v1/ConfigMap. May be given several times.",
)


def field_manager() -> Flag:
    return standard_flags.field_manager("kctl-client-side-apply")
