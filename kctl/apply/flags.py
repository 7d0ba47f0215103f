"""Flags that apply and diff share."""

from __future__ import annotations

from kctl.flags import Flag, switch

SERVER_SIDE_FLAGS = (
    switch("server-side", "If true, apply runs in the server instead of the client."),
    switch("force-conflicts", "If true, server-side apply will force the changes against conflicts."),
)


def field_manager() -> Flag:
    return Flag("field-manager", "text", "kctl-client-side-apply", "Name of the manager used to track field ownership.")
