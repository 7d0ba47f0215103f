"""Joining the process of a container: for `attach`, and for verbs that start a pod and stay with it.

Kubernetes: kubectl/pkg/cmd/attach, AttachOptions.Run.
"""

from __future__ import annotations

from typing import NamedTuple

from kctl.errors import KctlError
from kctl.session.session import Session
from kctl.streaming.channels import say_exit_code
from kctl.streaming.pods import container_of, path_of
from kctl.streaming.remote import run_remote, standard_streams, wants_terminal
from kctl.streaming.terminal import key_bytes, until_typed
from localplane.apimachinery.objects import JSONObject

_RECORDED = (
    "All commands and output from this session will be recorded in container logs, including credentials and "
    "sensitive information passed through the command prompt.\n"
    "If you don't see a command prompt, try pressing enter.\n"
)


class Attaching(NamedTuple):
    """`command` is what a person would type to come back: `kctl attach`."""

    container: str
    stdin: bool
    terminal: bool
    quiet: bool
    detach_keys: str
    command: str


async def attach(session: Session, pod: JSONObject, how: Attaching) -> None:
    """Until the process ends or the keys for leaving are typed. Raises KctlError, Ended."""
    try:
        container = container_of(session, pod, how.container, quiet=how.quiet)
    except KctlError as error:
        raise KctlError(f"cannot attach to the container: {error}") from error
    tty = how.terminal
    if tty and not container.get("tty"):
        tty = False
        if not how.quiet:
            session.say(f"error: Unable to use a TTY - container {container['name']} did not allocate one\n")
    elif container.get("tty"):
        tty = True  # it has one, whether we asked for it or not
    terminal = wants_terminal(session, stdin=how.stdin, terminal=tty, quiet=how.quiet)
    if not how.quiet:
        session.say(_RECORDED)
    streams = standard_streams(stdin=how.stdin, terminal=terminal)
    if terminal and streams.read is not None:
        streams.read = until_typed(streams.read, key_bytes(how.detach_keys))
    query, path = [("container", container["name"])], path_of(pod, "attach")
    say_exit_code(session, await run_remote(session, path, query, streams, terminal=terminal, redraw=True))
    if terminal and not how.quiet:
        session.write(_how_to_return(pod, container["name"], how.command))


def _how_to_return(pod: JSONObject, container: str, command: str) -> str:
    metadata, spec = pod.get("metadata") or {}, pod.get("spec") or {}
    where = f"{metadata.get('name', '')} -c {container} -n {metadata.get('namespace', '')} -i -t"
    if any(one["name"] == container for one in spec.get("ephemeralContainers") or ()):
        return (
            "Session ended, the ephemeral container will not be restarted but may be reattached using "
            f"'{command} {where}' if it is still running\n"
        )
    return f"Session ended, resume using '{command} {where}' command\n"
