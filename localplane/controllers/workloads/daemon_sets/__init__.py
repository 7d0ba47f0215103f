"""The daemon set controller: one pod on every node that is to have one.

    placement        which nodes, and the pod for one of them       plan          what is to come and to go
    rolling_update   which old pods give way next                   history       revisions
    execution        making and deleting pods                       status        what a set says of itself
    sync             one look at one set                            controller    what calls for one

Kubernetes: pkg/controller/daemon.
"""

from __future__ import annotations

from .controller import start

__all__ = ["start"]
