"""Storage version migrations. The server's list of groups calls this; nothing here migrates anything."""

from __future__ import annotations

from .storage_version_migrations import STORAGE_VERSION_MIGRATIONS

RESOURCES = (STORAGE_VERSION_MIGRATIONS,)
