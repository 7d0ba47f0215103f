"""The stateful set controller: pods with numbers that keep their names and their claims.

    identity        who a pod is: number, name, labels, volumes      retention   with whom claims go
    history         the revisions that a set is at and goes to       status      what it says of itself
    pod_control     making, mending and deleting pods and claims     reconciliation   one look at one set
    controller      what calls for a look

Kubernetes: pkg/controller/statefulset.
"""

from __future__ import annotations

from .controller import start

__all__ = ["start"]
