"""Nodes in and out of service: `kctl cordon`, `uncordon`, `drain`, `taint`.

`cordoning` finds nodes and marks them, `evicting` moves their pods away, `taints` reads and merges taints.
Kubernetes: kubectl/pkg/cmd/drain, kubectl/pkg/drain, kubectl/pkg/cmd/taint.
"""
