"""`kctl top`: who uses how much. Kubernetes: kubectl/pkg/cmd/top."""

from __future__ import annotations

from kctl.command_line.command import Command
from kctl.views.top import node as top_node
from kctl.views.top import pod as top_pod

COMMAND = Command(
    "top",
    "top",
    "Show how much CPU and memory nodes and pods use",
    commands=(top_node.COMMAND, top_pod.COMMAND),
    description="""\
Show how much CPU and memory nodes and pods use.

The numbers come from a metrics server (metrics.k8s.io), which has to run in the cluster. They are averages over a short
while, made for autoscalers: good for a look, not for accounting.""",
)
