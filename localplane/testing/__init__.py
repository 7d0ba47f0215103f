"""A whole cluster in one block, for tests of whatever talks to Kubernetes.

    from localplane import testing

    with testing.cluster(nodes=1) as cluster:
        cluster.apply(\"\"\"
            apiVersion: apps/v1
            kind: Deployment
            metadata: {name: web}
            spec:
              selector: {matchLabels: {app: web}}
              template:
                metadata: {labels: {app: web}}
                spec: {containers: [{name: web, image: nginx}]}
        \"\"\")
        cluster.wait_for("deploy/web", "Available")

It is what `kctl up` runs, in this process: the same kinds, admission, controllers, scheduler and simulated nodes, and a
server that others reach over HTTPS with `cluster.kubeconfig`. It begins empty, listens on a free port of this machine,
touches nobody's files and leaves nothing behind. Several may run at once, or one after the other, in one process, and
`cluster.branch()` is another one that begins with all that this one has, a few milliseconds later. Each has a clock of
its own, which `cluster.advance(hours=1)` moves.

`with` gives a `Cluster`, whose methods wait; it runs in a thread of its own. `async with` gives an `AsyncCluster`,
whose methods are awaited; it runs in the caller's event loop. With pytest nothing of this is needed: `plugin` has
fixtures.

    opening      cluster(): a block of either kind
    clusters     AsyncCluster, AsyncUser: what can be asked of a cluster, and who asks
    blocking     Cluster, User: the same for those who wait; the thread and its loop
    references   `deploy/web`, or an object: where it is
    manifests    files, folders, texts and objects: what is to be applied
    waiting      until something is so, on a watch
    reports      what an object is, what happened to it and who changed it, for a test that failed
    commands     kctl and kubectl, run against a cluster
    durations    how long, as it is said to `advance`
    faults       ClusterFaults, FaultRule: what goes wrong on purpose
    holding      an asynchronous block that is held open from outside
    plugin       fixtures, markers and options for pytest: sessions has the clusters, guard keeps others' out of reach
                 from the beginning where the project's tests use them, which projects finds out

Names are imported when they are first used, so that a plugin that nobody uses costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from localplane.apimachinery.clock.virtual import NotAtRest
    from localplane.client import Client
    from localplane.compose.options import StorageKind

    from .blocking import Cluster, User
    from .clusters import AsyncCluster, AsyncUser
    from .commands import Command, Completed, Failed
    from .manifests import BadManifest
    from .opening import cluster
    from .references import UnknownKind
    from .waiting import WaitTimedOut

__all__ = [
    "AsyncCluster",
    "AsyncUser",
    "BadManifest",
    "Client",
    "Cluster",
    "Command",
    "Completed",
    "Failed",
    "NotAtRest",
    "StorageKind",
    "UnknownKind",
    "User",
    "WaitTimedOut",
    "cluster",
]

_MODULES = {
    "AsyncCluster": ".clusters",
    "AsyncUser": ".clusters",
    "BadManifest": ".manifests",
    "Client": "localplane.client",
    "Cluster": ".blocking",
    "Command": ".commands",
    "Completed": ".commands",
    "Failed": ".commands",
    "NotAtRest": "localplane.apimachinery.clock.virtual",
    "StorageKind": "localplane.compose.options",
    "UnknownKind": ".references",
    "User": ".blocking",
    "WaitTimedOut": ".waiting",
    "cluster": ".opening",
}


def __getattr__(name: str) -> Any:
    if (module := _MODULES.get(name)) is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(module, __name__), name)
