"""`kctl attach`: to what already runs in a container. Kubernetes: kubectl/pkg/cmd/attach/attach.go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kctl import standard_flags
from kctl.command import Command
from kctl.errors import KctlError
from kctl.flags import switch

if TYPE_CHECKING:
    from kctl.flags import Given
    from kctl.session import Session

_RECORDED = (
    "All commands and output from this session will be recorded in container logs, including credentials and "
    "sensitive information passed through the command prompt.\n"
    "If you don't see a command prompt, try pressing enter.\n"
)


async def run(session: Session, given: Given) -> None:
    from kctl.streaming.channels import say_exit_code
    from kctl.streaming.pods import container_of, named, path_of, pod_for, refuse_completed, timeout_of
    from kctl.streaming.remote import run_remote, standard_streams, wants_terminal

    words = given.arguments
    if not words:
        raise KctlError("at least 1 argument is required for attach")
    if len(words) > 2:
        raise KctlError(
            f"expected POD, TYPE/NAME, or TYPE NAME, (at most 2 arguments) saw {len(words)}: [{' '.join(words)}]"
        )
    quiet, stdin, tty = given.is_on("quiet"), given.is_on("stdin"), given.is_on("tty")
    pod = await pod_for(session, await named(session, words), action="cannot attach to", within=timeout_of(given))
    refuse_completed(pod, "attach")
    container = container_of(session, pod, given.text("container"), quiet=quiet)
    if tty and not container.get("tty"):
        tty = False
        if not quiet:
            session.say(f"error: Unable to use a TTY - container {container['name']} did not allocate one\n")
    elif container.get("tty"):
        tty = True  # it has one, whether we asked for it or not
    terminal = wants_terminal(session, stdin=stdin, terminal=tty, quiet=quiet)
    if not quiet:
        session.say(_RECORDED)
    query = [("container", container["name"])]
    streams = standard_streams(stdin=stdin, terminal=terminal)
    say_exit_code(session, await run_remote(session, path_of(pod, "attach"), query, streams, terminal=terminal))


COMMAND = Command(
    "attach",
    "attach (POD | TYPE/NAME) -c CONTAINER",
    "Attach to a running container",
    run=run,
    concurrent=True,
    flags=(
        standard_flags.CONTAINER,
        standard_flags.pod_running_timeout(60.0),
        switch("quiet", "Only print output from the remote session", short="q"),
        switch("stdin", "Pass stdin to the container", short="i"),
        switch("tty", "Stdin is a TTY", short="t"),
    ),
    description="Attach to a process that is already running inside an existing container.",
    examples="""\
# Get output from running pod mypod
kctl attach mypod

# Get output from ruby-container from pod mypod
kctl attach mypod -c ruby-container

# Switch to raw terminal mode; sends stdin to 'bash' in ruby-container from pod mypod
# and sends stdout/stderr from 'bash' back to the client
kctl attach mypod -c ruby-container -i -t

# Get output from the first pod of a replica set named nginx
kctl attach rs/nginx""",
)
