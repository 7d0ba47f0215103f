"""`kctl rollout`: how a change to pods goes on. Kubernetes: kubectl/pkg/cmd/rollout."""

from __future__ import annotations

from kctl.command import Command
from kctl.rollouts import history, status, undoing
from kctl.rollouts.pausing import PAUSE, RESTART, RESUME

COMMAND = Command(
    "rollout",
    "rollout SUBCOMMAND",
    "Manage the rollout of a resource",
    commands=(history.COMMAND, PAUSE, RESTART, RESUME, status.COMMAND, undoing.COMMAND),
    description="""\
Manage the rollout of one or many resources.

Valid resource types include: deployments, daemonsets, statefulsets""",
    examples="""\
# Rollback to the previous deployment
kctl rollout undo deployment/abc

# Check the rollout status of a daemonset
kctl rollout status daemonset/foo

# Restart a deployment
kctl rollout restart deployment/abc""",
)
