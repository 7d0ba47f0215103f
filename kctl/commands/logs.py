"""`kctl logs`. Kubernetes: kubectl/pkg/cmd/logs/logs.go."""

from __future__ import annotations

import signal
from contextlib import ExitStack

from kctl.command_line import standard_flags
from kctl.command_line.command import Command
from kctl.command_line.flags import Flag, FlagSet, switch
from kctl.errors import Ended, KctlError, UsageError
from kctl.objects import Query, resolve
from kctl.objects.lookup import MISSING_RESOURCE
from kctl.session.session import Session
from kctl.streaming import logs, pods
from localplane.apimachinery import times
from localplane.apimachinery.errors import NotFound
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.light_typing import Any

_USAGE = "logs [-f] [-p] (POD | TYPE/NAME) [-c CONTAINER]"
_SELECTOR_TAIL = 10


async def run(session: Session, flags: FlagSet) -> None:
    container = _container(session, flags)
    within = pods.timeout_of(flags)
    query = _query(flags)
    found = await _find(session, flags)
    _check(flags, container)
    with _ending_on_signals():
        chosen = await logs.logs_of(session, flags, found, query, container)
        follow = flags.is_on("follow")
        printing = logs.Printing(session, follow=follow, ignore_errors=flags.is_on("ignore-errors"), within=within)
        if not follow or len(chosen) <= 1:
            await printing.in_turn(chosen)
            return
        if len(chosen) > flags.number("max-log-requests"):
            raise KctlError(
                f"you are attempting to follow {len(chosen)} log streams, but maximum allowed concurrency is "
                f"{flags.number('max-log-requests')}, use --max-log-requests to increase the limit"
            )
        printing.at_once(chosen)


def _ending_on_signals() -> Any:
    """kubectl ends with 1 when it is told to while it reads logs. Kubernetes: kubectl/pkg/util/interrupt."""

    def end(*_: object) -> None:
        raise Ended(1)

    stack = ExitStack()
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM, signal.SIGQUIT):
        stack.callback(signal.signal, number, signal.signal(number, end))
    return stack


def _container(session: Session, flags: FlagSet) -> str:
    words, selector = flags.arguments, flags.text("selector")
    hint = f"See '{session.command} -h' for help and examples"
    if (not words and not selector) or len(words) > 2:
        raise UsageError(
            f"expected '{_USAGE}'.\nPOD or TYPE/NAME is a required argument for the logs command", hint=hint
        )
    if len(words) == 1 and selector:
        raise UsageError("only a selector (-l) or a POD name is allowed", hint=hint)
    return words[1] if len(words) == 2 else flags.text("container")


async def _find(session: Session, flags: FlagSet) -> dict[str, Any]:
    """The object that was named, or a list of the pods that were selected."""
    if flags.arguments[:1] == [""] and not flags.text("selector"):
        raise KctlError(MISSING_RESOURCE)
    if flags.arguments and flags.text("selector"):
        raise KctlError("selectors and the all flag cannot be used when passing resource/name arguments")
    try:
        if flags.arguments:
            return await pods.named(session, flags.arguments[:1])
        query = Query(arguments=["pods"], label_selector=flags.text("selector").strip(), flatten=True)
        infos = await (await resolve(session, query)).infos()
    except NotFound as error:
        raise KctlError(
            f"error from server (NotFound): {error.message} in namespace {go_quote(session.namespace)}"
        ) from error
    if not infos:
        session.say(f"No resources found in {session.namespace} namespace.\n")
    return {"items": [info.object for info in infos]}


def _check(flags: FlagSet, container: str) -> None:
    if flags.text("since-time") and flags.seconds("since"):
        raise KctlError("at most one of `sinceTime` or `sinceSeconds` may be specified")
    if flags.is_on("all-containers") and container:
        raise KctlError(f"--all-containers=true should not be specified with container name {container}")
    if flags.changed("container") and len(flags.arguments) == 2:
        raise KctlError("only one of -c or an inline [CONTAINER] arg is allowed")
    if flags.number("limit-bytes") < 0:
        raise KctlError("--limit-bytes must be greater than 0")
    if _rounded(flags.seconds("since")) < 0:
        raise KctlError("--since must be greater than 0")
    if flags.number("tail") < -1:
        raise KctlError("--tail must be greater than or equal to -1")


def _query(flags: FlagSet) -> list[tuple[str, str]]:
    tail = flags.number("tail")
    if flags.text("selector") and not flags.changed("tail"):
        tail = _SELECTOR_TAIL
    limit, since = flags.number("limit-bytes"), flags.seconds("since")
    values = {
        "follow": "true" if flags.is_on("follow") else "",
        "insecureSkipTLSVerifyBackend": "true" if flags.is_on("insecure-skip-tls-verify-backend") else "",
        "limitBytes": str(limit) if limit else "",
        "previous": "true" if flags.is_on("previous") else "",
        "sinceSeconds": str(_rounded(since)) if since else "",
        "sinceTime": _moment(flags.text("since-time")),
        "tailLines": str(tail) if tail != -1 else "",
        "timestamps": "true" if flags.is_on("timestamps") else "",
    }
    return [(name, value) for name, value in values.items() if value]


def _rounded(seconds: float) -> int:
    """As Go's Duration.Round: halves away from zero."""
    return int(seconds + 0.5) if seconds >= 0 else -int(-seconds + 0.5)


def _moment(text: str) -> str:
    """Raises KctlError."""
    if not text:
        return ""
    try:
        return times.format_time(times.parse_time(text))
    except times.InvalidTime as error:
        raise KctlError(str(error)) from error


COMMAND = Command(
    "logs",
    _USAGE,
    "Print what a container has written",
    run=run,
    flags=(
        switch("all-pods", "Read every pod that the object selects, not only one; turns --prefix on."),
        switch("all-containers", "Read every container of the pods, also init and ephemeral ones."),
        switch("follow", "Go on as new lines come.", short="f"),
        switch("timestamps", "Begin each line with the time at which it was written."),
        Flag("limit-bytes", "int", 0, "Stop after so many bytes; 0 is no limit."),
        switch("previous", "Read the container that ran before the present one, if it was restarted.", short="p"),
        Flag("tail", "int", -1, "Only so many of the newest lines; -1 is all of them. With -l the default is 10."),
        switch("ignore-errors", "Print what goes wrong with one of several logs, and go on with the others."),
        Flag("since-time", usage="Only lines from this moment on (RFC3339). Not together with --since."),
        Flag("since", "duration", 0.0, "Only lines that are younger than this: 5s, 2m, 3h. Not with --since-time."),
        Flag("container", usage="The container to read.", short="c"),
        switch(
            "insecure-skip-tls-verify-backend",
            "Let the API server read from a kubelet whose certificate can't be verified, such as an expired one. "
            "What it reads may then be forged.",
        ),
        standard_flags.pod_running_timeout(20.0),
        standard_flags.SELECTOR,
        Flag("max-log-requests", "int", 5, "How many logs may be followed at the same time."),
        switch("prefix", "Begin each line with the pod and the container that it is from."),
    ),
    description="""\
Print what a container has written to its standard output and error.

Name a pod, or something that selects pods: a deployment, a job, a service; of its pods the one that has been ready for
longest is read. A pod with one container needs no -c.""",
    examples="""\
# Everything that the pod web-0 has written
kctl logs web-0

# The last 20 lines, and then what comes
kctl logs web-0 --tail=20 -f

# The container `proxy`, as it was before its last restart
kctl logs web-0 -c proxy -p

# The last hour of every container, each line with its origin
kctl logs web-0 --all-containers --prefix --since=1h

# One pod of a deployment, or all of them
kctl logs deploy/web
kctl logs deploy/web --all-pods

# Follow all pods with a label, up to ten
kctl logs -f -l app=web --max-log-requests=10

# What was written from a moment on, with times
kctl logs web-0 --since-time=2026-02-01T06:00:00Z --timestamps""",
)
