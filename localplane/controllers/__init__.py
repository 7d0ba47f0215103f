"""The loops that bring what is to what is wanted: workloads, endpoints, volumes, nodes, namespaces, owners, accounts.

    context     what a controller is given, and how one is declared
    selection   all of them, and the --controllers flag that chooses
    supervisor  starts one when its first object comes, and again when it crashes
    workloads/, networking/, nodes/, volumes/, identity/, objects/   the controllers, by what they are about
    worker, unseen_writes, events, ownership, pods, node_selection, host_ports   what several of them share: taking keys
                off a queue, waiting for the own writes, telling people what was seen, whose an object is, making and
                judging pods, which node suits one

Without an object of its kind no controller is even imported; `selection` names them all.

The composition root calls `select` and `run`. Controllers know the client and the vocabulary of `apimachinery`; they
never touch the server's insides, so they could as well run beside somebody else's. Kubernetes: pkg/controller and
cmd/kube-controller-manager.
"""

from __future__ import annotations

from .context import ControllerContext, ControllerSpec, SignToken, Wake
from .selection import CONTROLLERS, UnknownController, select
from .supervisor import run

__all__ = [
    "CONTROLLERS",
    "ControllerContext",
    "ControllerSpec",
    "SignToken",
    "UnknownController",
    "Wake",
    "run",
    "select",
]
