"""Nodes that are not there, and pods on them that run no processes: everything that a kubelet writes is written.

    registration machines heartbeat   the Node objects, their leases and conditions
    simulation     all of it, as long as the server runs
    late_start     until the first pod (or Stage) there is nothing else: all that follows is imported then
    kubelet        one loop for all nodes: what changed or is due, one write for every change of a pod
    pods           a pod's life, step by step, without any waiting or writing
    stages         kwok's Stage objects, which drive what they select instead
    needs addresses occupancy logs   what pods wait for, get from a node, hold of it, and leave behind

Nodes with the annotation `kwok.x-k8s.io/node: fake` or the label `simulation.localplane/node: "true"` are simulated;
all others are never touched. `simulation.localplane/stopped: "true"` on one of ours silences its kubelet.

How a container behaves is decided by, in this order:

1. Annotations of the pod, for its regular containers; with `.CONTAINER` behind the name, for one container of any kind.
   Durations are Go's (`1m30s`). What is wrong keeps the pod waiting (reason and event InvalidSimulation).

       simulation.localplane/exit-code         ends with this code ...
       simulation.localplane/exit-after        ... after so long (1s)
       simulation.localplane/crash-loop        "true": ends with code 1, again and again
       simulation.localplane/oom-after         is killed for its memory after so long
       simulation.localplane/start-after       waits so long before it starts
       simulation.localplane/ready-after       is ready so long after its start
       simulation.localplane/never-ready       "true": is never ready
       simulation.localplane/image-pull-error  "true": its image can't be pulled

   Readiness and a plan to end follow when the annotations of a running pod change.
2. Its command and arguments, if they are simple enough to be understood: `sleep 5`, `/bin/false`, `tail -f /dev/null`,
   or a shell script of such (`pods.commands` says what else); what `echo` and `env` print is in the log.
3. Otherwise, if it loops for ever or sleeps for a minute or more, it runs on. If not, an init container ends well
   after a moment, and a regular container runs on if the pod's restartPolicy is Always. If that is OnFailure or Never,
   it ends well after a second, unless its image is `pause` or an agnhost server, or (where no Job has made the pod and
   there is no command) a well-known server such as nginx or redis.

Every image can be pulled, whatever its name, but for those that say themselves that they can't: the registry has a part
that is called `invalid` (`invalid.registry.k8s.io/app`, `registry.invalid/app`), the tag is `404`, or the name or tag
has `nonexist`, `non-exist`, `notexist`, `not-exist` or `doesnt-exist` in it (`nginx:nonexistent`,
`app:does-not-exist`); and where an annotation says so. Such a container waits with ErrImagePull and ImagePullBackOff in
turns, whatever its imagePullPolicy. A name with capital letters is no image's name (InvalidImageName).

Probes succeed, after their initialDelaySeconds, unless their command can't but fail; liveness is ignored, and of hooks
nothing counts but how long a preStop sleeps. A container that is told to stop ends with code 143 after a second at
most, unless its script has a `trap` for that: then it takes as long as the trap sleeps, and ends with its code, or is
killed at the end of the grace period (code 137). The pause before a restart begins with 1 second, not 10, and ends at
60.

The composition root calls `register` before the server is ready, and `simulation.start` afterwards. Like a controller,
both know the API only through the client; what is imported with this package is no more than the first needs.
"""

from __future__ import annotations

from .options import NodeOptions, Pace
from .registration import register

__all__ = ["NodeOptions", "Pace", "register"]
