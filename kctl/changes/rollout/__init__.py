"""Revisions of deployments, daemon sets and stateful sets: `kctl rollout ...`.

    finding    the objects that are meant               revisions  what a set looked like before
    status     how far a change has come                undoing    back to one of them
    pausing    pause, resume, restart

Kubernetes: kubectl/pkg/cmd/rollout and pkg/polymorphichelpers.
"""
