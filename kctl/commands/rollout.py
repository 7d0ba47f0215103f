"""`kctl rollout`: how a change to pods goes on. Kubernetes: kubectl/pkg/cmd/rollout."""

from __future__ import annotations

from kctl.changes.rollout import history, status, undo
from kctl.changes.rollout.pause import PAUSE, RESTART, RESUME
from kctl.command_line.command import Command

COMMAND = Command(
    "rollout",
    "rollout SUBCOMMAND",
    "Follow, repeat and undo changes to workloads",
    alone="stdout",
    commands=(history.COMMAND, PAUSE, RESTART, RESUME, status.COMMAND, undo.COMMAND),
    description="Follow, hold, repeat and undo changes to the pods of deployments, daemon sets and stateful sets.",
    examples="""\
# Wait until a change is everywhere
kctl rollout status deployment/web

# It was a bad one: back to what ran before
kctl rollout undo deployment/web

# Replace all pods
kctl rollout restart daemonset/agent""",
)
