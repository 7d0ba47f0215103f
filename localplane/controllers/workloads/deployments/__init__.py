"""The Deployment controller: one replica set for each pod template that a deployment has had, and pods that move from
the old ones to the new one.

    controller    what wakes it, and which way a sync takes
    rollout       a deployment and its replica sets, old and new
    templates, revisions, limits, conditions, status    what follows from them, without any writing
    control       all writes and events
    replica_sets  finds or makes the new replica set, and forgets the oldest
    strategies, scale, rollback                         the ways that a sync may take

The supervisor of controllers starts it. It never touches pods: replica sets make and delete them, and the garbage
collector deletes replica sets whose deployment has gone. Kubernetes: pkg/controller/deployment.
"""

from .controller import start

__all__ = ["start"]
