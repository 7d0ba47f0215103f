"""`kctl auth`: who may do what. Kubernetes: kubectl/pkg/cmd/auth."""

from __future__ import annotations

from kctl.access import can_i, reconcile, whoami
from kctl.command import Command

COMMAND = Command(
    "auth",
    "auth",
    "Inspect authorization",
    commands=(can_i.COMMAND, reconcile.COMMAND, whoami.COMMAND),
)
