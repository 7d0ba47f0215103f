"""`kctl attach`: to what already runs in a container. Kubernetes: kubectl/pkg/cmd/attach/attach.go."""

from __future__ import annotations

from kctl.command_line import standard_flags
from kctl.command_line.command import Command
from kctl.command_line.flags import Flag, FlagSet, switch
from kctl.errors import KctlError
from kctl.session.session import Session
from kctl.streaming import attach, pods

_DETACH = "ctrl-p,ctrl-q"


async def run(session: Session, flags: FlagSet) -> None:
    within = pods.timeout_of(flags, hint=f"See '{session.command} -h' for help and examples")
    words = flags.arguments
    if not words:
        raise KctlError("at least 1 argument is required for attach")
    if len(words) > 2:
        raise KctlError(
            f"expected POD, TYPE/NAME, or TYPE NAME, (at most 2 arguments) saw {len(words)}: [{' '.join(words)}]"
        )
    pod = await pods.pod_for(session, await pods.named(session, words), action="cannot attach to", within=within)
    pods.refuse_completed(pod, "attach")
    how = attach.Attaching(
        container=flags.text("container"),
        stdin=flags.is_on("stdin"),
        terminal=flags.is_on("tty"),
        quiet=flags.is_on("quiet"),
        detach_keys=flags.text("detach-keys") or _DETACH,
        command=session.command,
    )
    await attach.attach(session, pod, how)


COMMAND = Command(
    "attach",
    "attach (POD | TYPE/NAME) -c CONTAINER",
    "Join the process that runs in a container",
    run=run,
    concurrent=True,
    flags=(
        standard_flags.CONTAINER,
        Flag("detach-keys", "text", _DETACH, "The keys that end the session and leave the process running."),
        standard_flags.pod_running_timeout(60.0),
        switch("quiet", "Print nothing but what the process prints.", short="q"),
        switch("stdin", "Pass our standard input on to the process.", short="i"),
        switch("tty", "Use the container's terminal; needs -i, and that our input is a terminal.", short="t"),
    ),
    description="""\
Join the process that already runs in a container: see what it prints from now on, and with -i type to it.

Unlike `kctl exec` this starts nothing. What was printed before is in `kctl logs`.""",
    examples="""\
# See what the pod web-0 prints from now on
kctl attach web-0

# Its container `worker`
kctl attach web-0 -c worker

# Type to a shell that was started with a terminal; ctrl-p ctrl-q leaves it running
kctl attach -it debugger

# With other keys for leaving
kctl attach -it debugger --detach-keys=ctrl-x,d

# One of the pods of a deployment
kctl attach deploy/web""",
)
