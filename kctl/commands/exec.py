"""`kctl exec`: a command in a container. Kubernetes: kubectl/pkg/cmd/exec/exec.go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kctl import standard_flags
from kctl.command import Command
from kctl.errors import KctlError, UsageError
from kctl.flags import switch

if TYPE_CHECKING:
    from kctl.flags import Given
    from kctl.session import Session


async def run(session: Session, given: Given) -> None:
    from kctl.streaming.channels import say_exit_code
    from kctl.streaming.pods import container_of, named, path_of, pod_for, refuse_completed, timeout_of
    from kctl.streaming.remote import run_remote, standard_streams, wants_terminal

    name, command = _words(given)
    within = timeout_of(given)
    pod = await pod_for(session, await named(session, [name]), action="cannot attach to", within=within)
    refuse_completed(pod, "exec into")
    container = container_of(session, pod, given.text("container"), quiet=given.is_on("quiet"))
    stdin = given.is_on("stdin")
    terminal = wants_terminal(session, stdin=stdin, terminal=given.is_on("tty"), quiet=given.is_on("quiet"))
    query = [*(("command", word) for word in command), ("container", container["name"])]
    streams = standard_streams(stdin=stdin, terminal=terminal)
    say_exit_code(session, await run_remote(session, path_of(pod, "exec"), query, streams, terminal=terminal))


def _words(given: Given) -> tuple[str, list[str]]:
    if given.dash is None and len(given.arguments) > 1:
        raise UsageError(
            "exec [POD] [COMMAND] is not supported anymore. Use exec [POD] -- [COMMAND] instead",
            hint="See 'kctl exec -h' for help and examples",
        )
    dash = len(given.arguments) if given.dash is None else given.dash
    if dash > 1:
        raise UsageError(
            "exec [POD] [COMMAND] is not supported anymore. Use exec [POD] -- [COMMAND] instead",
            hint="See 'kctl exec -h' for help and examples",
        )
    if dash == 0:
        raise KctlError("pod, type/name or --filename must be specified")
    command = given.arguments[dash:]
    if not command:
        raise KctlError("you must specify at least one command for the container")
    return given.arguments[0], command


COMMAND = Command(
    "exec",
    "exec (POD | TYPE/NAME) [-c CONTAINER] [flags] -- COMMAND [args...]",
    "Execute a command in a container",
    run=run,
    concurrent=True,
    flags=(
        standard_flags.CONTAINER,
        standard_flags.pod_running_timeout(60.0),
        switch("quiet", "Only print output from the remote session", short="q"),
        switch("stdin", "Pass stdin to the container", short="i"),
        switch("tty", "Stdin is a TTY", short="t"),
    ),
    description="Execute a command in a container.",
    examples="""\
# Get output from running the 'date' command from pod mypod, using the first container by default
kctl exec mypod -- date

# Get output from running the 'date' command in ruby-container from pod mypod
kctl exec mypod -c ruby-container -- date

# Switch to raw terminal mode; sends stdin to 'bash' in ruby-container from pod mypod
# and sends stdout/stderr from 'bash' back to the client
kctl exec mypod -c ruby-container -i -t -- bash -il

# Get output from running 'date' command from the first pod of the deployment mydeployment
kctl exec deploy/mydeployment -- date""",
)
