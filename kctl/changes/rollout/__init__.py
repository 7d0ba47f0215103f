"""Revisions of deployments, daemon sets and stateful sets: `kctl rollout ...`.

    revisions  the objects that are meant, and what they looked like before
    history    shows that                               undo       back to one of them
    status     how far a change has come                pause      pause, resume, restart

Kubernetes: kubectl/pkg/cmd/rollout and pkg/polymorphichelpers.
"""
