"""Why no etcd was installed.

StorageError
└── InstallFailed     the sentence says what went wrong and what to do
    └── Unreachable   the release host never answered: another source may
"""

from __future__ import annotations

from localplane.apiserver.storage.errors import StorageError


class InstallFailed(StorageError):
    """Nothing was installed, and nothing was left behind."""


class Unreachable(InstallFailed):
    """Nobody answered at that address; nothing was downloaded."""
