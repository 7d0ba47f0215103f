"""`kctl auth`: who may do what. Kubernetes: kubectl/pkg/cmd/auth."""

from __future__ import annotations

from kctl.changes.reconcile import reconcile
from kctl.command_line.command import Command
from kctl.views.access import can_i, whoami

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
