"""Nodes in and out of service: `kctl cordon`, `uncordon`, `drain`, `taint`.

`cordoning` finds nodes and marks them, `choosing` says which pods have to go, `evicting` moves them, `taints` reads and
merges taints.
Kubernetes: kubectl/pkg/cmd/drain, kubectl/pkg/drain, kubectl/pkg/cmd/taint.
"""
