"""Nodes that no longer say that they live, and what their conditions mean for the pods on them.

    health      when a node was last heard of, and the conditions it gets when that is too long ago
    marks       the taints and labels that a node should have, by its conditions
    zones       how many of a zone's nodes are well, and so how fast pods may be driven from the others
    controller  one look at a node whenever it changes or its time is over, and the pods that are ready no longer

A node is heard of by its status and by its Lease in kube-node-lease. Renewals only move a node's deadline: nobody looks
at it until that has passed, however many nodes there are. Kubernetes: pkg/controller/nodelifecycle, whose monitor looks
at all nodes every five seconds instead.
"""

from __future__ import annotations

from .controller import NodeLifecycleOptions, start

__all__ = ["NodeLifecycleOptions", "start"]
