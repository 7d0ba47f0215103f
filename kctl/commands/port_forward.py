"""`kctl port-forward`: local ports that lead into a pod. Kubernetes: kubectl/pkg/cmd/portforward/portforward.go."""

from __future__ import annotations

import signal
from collections.abc import Sequence

from kctl.command_line import standard_flags
from kctl.command_line.command import Command
from kctl.command_line.flags import Flag, FlagSet
from kctl.errors import KctlError, UsageError
from kctl.session.session import Session
from kctl.streaming import pods as streaming_pods
from kctl.streaming import port_forward
from localplane.client.rest.names import GroupVersionResource


async def run(session: Session, flags: FlagSet) -> int:
    hint = f"See '{session.command} -h' for help and examples"
    if len(flags.arguments) < 2:
        raise UsageError("TYPE/NAME and list of ports are required for port-forward", hint=hint)
    name, *ports = flags.arguments
    within = streaming_pods.timeout_of(flags, hint=hint)
    obj = await streaming_pods.named(session, [name])
    pod = await streaming_pods.pod_for(session, obj, action="cannot attach to", within=within)
    ports = port_forward.in_pod(ports, obj, pod)
    pods = session.client.resource(GroupVersionResource("", "v1", "pods"), session.namespace)
    pod = await pods.get(pod["metadata"]["name"])
    phase = (pod.get("status") or {}).get("phase", "")
    if phase != "Running":
        raise KctlError(f"unable to forward port because pod is not running. Current status={phase}")
    addresses = port_forward.addresses_of(flags.texts("address"))
    return await _forward(
        session, streaming_pods.path_of(pod, "portforward"), addresses, [port_forward.pair_of(port) for port in ports]
    )


async def _forward(
    session: Session, path: str, addresses: Sequence[port_forward.Address], pairs: Sequence[port_forward.Pair]
) -> int:
    """Until somebody interrupts us, or the other side is gone."""
    import asyncio

    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGINT, stop.set)
    async with await port_forward.open_forwarding(session, path) as connection:
        forwarder = port_forward.Forwarder(session, connection)
        ends = [loop.create_task(stop.wait()), loop.create_task(connection.lost.wait())]
        try:
            await forwarder.listen(addresses, pairs)
            session.flush()
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            if not stop.is_set():
                raise KctlError("lost connection to pod")
        finally:
            for end in ends:
                end.cancel()
            await forwarder.close()
    return 0


COMMAND = Command(
    "port-forward",
    "port-forward TYPE/NAME [options] [LOCAL_PORT:]REMOTE_PORT [...[LOCAL_PORT_N:]REMOTE_PORT_N]",
    "Reach ports of a pod on this machine",
    run=run,
    concurrent=True,
    flags=(
        Flag(
            "address",
            "slice",
            ("localhost",),
            "The addresses to listen on, with commas between them: IP addresses, or localhost, which is 127.0.0.1 and "
            "::1, of which one may be missing.",
        ),
        standard_flags.pod_running_timeout(60.0),
    ),
    description="""\
Listen on local ports and pass every connection on to a pod, until Ctrl-C or until the pod ends.

A word without a type is a pod's name. Of what selects pods, such as a deployment or a service, one pod is taken; a
service's ports are then its own, and lead to where they lead in the service. Ports may be numbers or names.""",
    examples="""\
# Port 8080 here is port 8080 of the pod
kctl port-forward web-0 8080

# Two ports, one of them with another number here
kctl port-forward web-0 9000:80 5432

# A port that the system chooses, which is printed
kctl port-forward web-0 :80

# The port `https` of a service, in one of its pods
kctl port-forward svc/web 8443:https

# For other machines as well
kctl port-forward --address 0.0.0.0 deploy/web 8080:80""",
)
