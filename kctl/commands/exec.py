"""`kctl exec`: a command in a container. Kubernetes: kubectl/pkg/cmd/exec/exec.go."""

from __future__ import annotations

from kctl.command_line import standard_flags
from kctl.command_line.command import Command
from kctl.command_line.flags import Flag, FlagSet, switch
from kctl.errors import KctlError, UsageError
from kctl.session.session import Session
from kctl.streaming import channels, pods, remote


async def run(session: Session, flags: FlagSet) -> None:
    name, command = _words(flags, session)
    within = pods.timeout_of(flags, hint=f"See '{session.command} -h' for help and examples")
    if not name and not flags.texts("filename"):
        raise KctlError("pod, type/name or --filename must be specified")
    if not command:
        raise KctlError("you must specify at least one command for the container")
    if name and flags.texts("filename"):
        raise KctlError("resource/name arguments cannot be provided when a path is specified")
    obj = await pods.named(session, [name] if name else [], filenames=flags.texts("filename"))
    pod = await pods.pod_for(session, obj, action="cannot attach to", within=within)
    pods.refuse_completed(pod, "exec into")
    quiet, stdin = flags.is_on("quiet"), flags.is_on("stdin")
    container = pods.container_of(session, pod, flags.text("container"), quiet=quiet)
    terminal = remote.wants_terminal(session, stdin=stdin, terminal=flags.is_on("tty"), quiet=quiet)
    query = [*(("command", word) for word in command), ("container", container["name"])]
    streams = remote.standard_streams(stdin=stdin, terminal=terminal)
    channels.say_exit_code(
        session, await remote.run_remote(session, pods.path_of(pod, "exec"), query, streams, terminal=terminal)
    )


def _words(flags: FlagSet, session: Session) -> tuple[str, list[str]]:
    """What to run it in, and what to run. Before `--` there is one word, or none if a file says where."""
    words, dash = flags.arguments, flags.dash
    name = words[0] if words and dash != 0 else ""
    if dash is not None and dash <= 1:
        return name, words[dash:]
    if len(words) > 1 or (words and flags.texts("filename")):
        raise UsageError(
            "exec [POD] [COMMAND] is not supported anymore. Use exec [POD] -- [COMMAND] instead",
            hint=f"See '{session.command} -h' for help and examples",
        )
    return name, []


COMMAND = Command(
    "exec",
    "exec (POD | TYPE/NAME) [-c CONTAINER] [flags] -- COMMAND [args...]",
    "Run a command in a container",
    run=run,
    concurrent=True,
    flags=(
        standard_flags.CONTAINER,
        Flag("filename", "slice", (), "A file, directory or URL that says which object to run it in.", "f"),
        standard_flags.pod_running_timeout(60.0),
        switch("quiet", "Print nothing but what the command prints.", short="q"),
        switch("stdin", "Pass our standard input on to the command.", short="i"),
        switch("tty", "Give the command a terminal; needs -i, and that our input is one.", short="t"),
    ),
    description="""\
Run a command in a container that is running, with our output for its own.

What stands after `--` is the command, word by word and without a shell. kctl ends with the command's exit code.""",
    examples="""\
# The date in the pod web-0, in its default container
kctl exec web-0 -- date

# A shell in the container `proxy`
kctl exec -it web-0 -c proxy -- sh

# Several commands need a shell of their own
kctl exec web-0 -- sh -c 'cd /var/log && ls -t | head -3'

# Send a file to a command
kctl exec -i web-0 -- tee /tmp/settings < settings

# In one of the pods of a deployment, or of a service
kctl exec deploy/web -- env
kctl exec svc/web -- env""",
)
