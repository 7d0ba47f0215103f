"""`kctl port-forward`: local ports that lead into a pod. Kubernetes: kubectl/pkg/cmd/portforward/portforward.go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kctl import standard_flags
from kctl.command import Command
from kctl.errors import KctlError, UsageError
from kctl.flags import Flag

if TYPE_CHECKING:
    from kctl.flags import Given
    from kctl.session import Session


async def run(session: Session, given: Given) -> int:
    import asyncio
    import signal
    import sys

    from kctl.streaming.forwarding import Forwarder
    from kctl.streaming.pods import named, path_of, pod_for, timeout_of
    from kctl.streaming.ports import pairs_of

    if len(given.arguments) < 2:
        raise UsageError(
            "TYPE/NAME and list of ports are required for port-forward",
            hint="See 'kctl port-forward -h' for help and examples",
        )
    name, *ports = given.arguments
    obj = await named(session, [name])
    pod = await pod_for(session, obj, action="cannot attach to", within=timeout_of(given))
    pairs = pairs_of(ports, obj, pod)
    phase = (pod.get("status") or {}).get("phase", "")
    if phase != "Running":
        raise KctlError(f"unable to forward port because pod is not running. Current status={phase}")
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    forwarder = Forwarder(session, path_of(pod, "portforward"))
    try:
        await forwarder.listen(given.texts("address"), pairs)
        sys.stdout.flush()
        await stop.wait()
    finally:
        forwarder.close()
    return 0


COMMAND = Command(
    "port-forward",
    "port-forward TYPE/NAME [options] [LOCAL_PORT:]REMOTE_PORT [...[LOCAL_PORT_N:]REMOTE_PORT_N]",
    "Forward one or more local ports to a pod",
    run=run,
    concurrent=True,
    flags=(
        Flag(
            "address",
            "slice",
            ("localhost",),
            "Addresses to listen on (comma separated). Only accepts IP addresses or localhost as a value. When "
            "localhost is supplied, kctl will try to bind on both 127.0.0.1 and ::1 and will fail if neither of these "
            "addresses are available to bind.",
        ),
        standard_flags.pod_running_timeout(60.0),
    ),
    description="""\
Forward one or more local ports to a pod.

Use resource type/name such as deployment/mydeployment to select a pod. Resource type defaults to 'pod' if omitted.""",
    examples="""\
# Listen on ports 5000 and 6000 locally, forwarding data to/from ports 5000 and 6000 in the pod
kctl port-forward pod/mypod 5000 6000

# Listen on port 8443 locally, forwarding to the targetPort of the service's port named "https"
kctl port-forward service/myservice 8443:https

# Listen on port 8888 on all addresses, forwarding to 5000 in the pod
kctl port-forward --address 0.0.0.0 pod/mypod 8888:5000

# Listen on a random port locally, forwarding to 5000 in the pod
kctl port-forward pod/mypod :5000""",
)
