"""`kctl auth`: who may do what. Kubernetes: kubectl/pkg/cmd/auth."""

from __future__ import annotations

from kctl.access import can_i, reconcile, whoami
from kctl.command import Command

COMMAND = Command(
    "auth",
    "auth",
    "Ask who you are and what you may do",
    commands=(can_i.COMMAND, reconcile.COMMAND, whoami.COMMAND),
    examples="""\
# Who am I to the server?
kctl auth whoami

# May I do that?
kctl auth can-i delete pods""",
)
