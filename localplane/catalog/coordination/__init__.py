"""Leases. The server's list of groups calls this; nothing here renews or takes a lease."""

from __future__ import annotations

from .leases import LEASES

RESOURCES = (LEASES,)
