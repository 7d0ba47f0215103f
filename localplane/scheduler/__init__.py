"""The scheduler: finds a node for every pod that has none, as kube-scheduler does with its default profile.

    scheduler    the loop: one pod after another, its place or its excuse       sources    what else it reads
    handlers     what informers tell becomes state and wakes pods up            state/     the cluster, summed up
    queue, queueing_hints   who is next, and what is worth another try          plugins/   the rules
    attempt      the search for a place      preemption, eviction   making one    binding    telling the server
    diagnosis    why there is none           events                 telling people

It is started when the first pod exists, talks to the server through `localplane.client` only, and takes care of pods
whose `schedulerName` is `default-scheduler`: others may run beside it. Kubernetes: pkg/scheduler.

Beside these:

    pod_status    what the scheduler writes into the status of pods: why they wait, and which node they wait for
"""

from .scheduler import start

__all__ = ["start"]
