"""The loops that an API without nodes still needs: what keeps namespaces, owners, service accounts and roles in order.

    context     what a controller is given, and how one is declared
    selection   all of them, and the --controllers flag that chooses
    supervisor  runs the chosen ones; one that crashes is started again
    worker, events   what several of them share: taking keys off a queue, telling people what was seen
    namespace/ garbage_collector/ service_accounts/ root_ca cluster_role_aggregation ttl_after_finished
    resource_quota/

The composition root calls `select` and `run`. Controllers know the client and the vocabulary of `apimachinery`; they
never touch the server's insides, so they could as well run beside somebody else's. Kubernetes: pkg/controller and
cmd/kube-controller-manager.
"""

from __future__ import annotations

from .context import ControllerContext, ControllerSpec, SignToken
from .selection import CONTROLLERS, UnknownController, select
from .supervisor import run

__all__ = ["CONTROLLERS", "ControllerContext", "ControllerSpec", "SignToken", "UnknownController", "run", "select"]
