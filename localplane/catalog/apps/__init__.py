"""The apps group: controllers that keep pods running, and the history of what they ran.

One file for each kind; `RESOURCES` is what the catalog serves. Nothing here acts on its own: controllers elsewhere do.
Kubernetes: pkg/apis/apps and pkg/registry/apps.

Beside these:

    go_integers       integers in text, as Go reads them
    int_or_percent    numbers of pods, told as a number or as a share: `1`, `"25%"`
"""

from __future__ import annotations

from localplane.apiserver.resource import Resource

from .controller_revisions import CONTROLLER_REVISIONS
from .daemon_sets import DAEMON_SETS
from .deployments import DEPLOYMENTS
from .replica_sets import REPLICA_SETS
from .stateful_sets import STATEFUL_SETS

RESOURCES: tuple[Resource, ...] = (CONTROLLER_REVISIONS, DAEMON_SETS, DEPLOYMENTS, REPLICA_SETS, STATEFUL_SETS)
