"""Nodes in and out of service: `kctl cordon`, `uncordon`, `drain`, `taint`.

    cordon    finds nodes and marks them     drain    which pods have to go, and moving them
    taints    reads and merges taints

Kubernetes: kubectl/pkg/cmd/drain, kubectl/pkg/drain, kubectl/pkg/cmd/taint.
"""
