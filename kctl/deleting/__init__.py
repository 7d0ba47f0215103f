"""Deleting objects, and waiting until they are gone: `kctl delete`, `replace --force`, `apply --force` and `--prune`.

    deletion    how: grace period, what becomes of dependents    flags      what says so on a command line
    found       everything that a query leads to                 waiting    until it is gone
    confirming  asking first

The verbs call these. Kubernetes: kubectl/pkg/cmd/delete.
"""

from .deletion import Deletion
from .waiting import wait_until_gone

__all__ = ["Deletion", "wait_until_gone"]
