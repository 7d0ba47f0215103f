"""`kctl logs`. Kubernetes: kubectl/pkg/cmd/logs/logs.go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kctl import standard_flags
from kctl.command import Command
from kctl.errors import KctlError, UsageError
from kctl.flags import Flag, switch

if TYPE_CHECKING:
    from kctl.flags import Given
    from kctl.session import Session

_USAGE = "logs [-f] [-p] (POD | TYPE/NAME) [-c CONTAINER]"
_SELECTOR_TAIL = 10


async def run(session: Session, given: Given) -> None:
    from kctl.streaming.logs import logs_of, print_at_once, print_in_turn
    from kctl.streaming.pods import timeout_of

    container = _container(session, given)
    timeout_of(given)
    found = await _find(session, given)
    _check(given, container)
    chosen = await logs_of(session, given, found, _query(given), container)
    ignore_errors = given.is_on("ignore-errors")
    if not given.is_on("follow") or len(chosen) <= 1:
        await print_in_turn(session, chosen, ignore_errors=ignore_errors)
        return
    if len(chosen) > given.number("max-log-requests"):
        raise KctlError(
            f"you are attempting to follow {len(chosen)} log streams, but maximum allowed concurrency is "
            f"{given.number('max-log-requests')}, use --max-log-requests to increase the limit"
        )
    print_at_once(session, chosen, ignore_errors=ignore_errors)


def _container(session: Session, given: Given) -> str:
    words, selector = given.arguments, given.text("selector")
    hint = f"See '{session.command} -h' for help and examples"
    if (not words and not selector) or len(words) > 2:
        raise UsageError(
            f"expected '{_USAGE}'.\nPOD or TYPE/NAME is a required argument for the logs command", hint=hint
        )
    if len(words) == 1 and selector:
        raise UsageError("only a selector (-l) or a POD name is allowed", hint=hint)
    return words[1] if len(words) == 2 else given.text("container")


async def _find(session: Session, given: Given) -> dict[str, Any]:
    """The object that was named, or a list of the pods that were selected."""
    from kctl.resolve import Query, resolve
    from kctl.streaming.pods import named
    from localplane.apimachinery.errors import NotFound
    from localplane.apimachinery.gotext import go_quote

    try:
        if given.arguments:
            return await named(session, given.arguments[:1])
        query = Query(arguments=["pods"], label_selector=given.text("selector").strip(), flatten=True)
        infos = await (await resolve(session, query)).infos()
    except NotFound as error:
        raise KctlError(
            f"error from server (NotFound): {error.message} in namespace {go_quote(session.namespace)}"
        ) from error
    if not infos:
        session.say(f"No resources found in {session.namespace} namespace.\n")
    return {"items": [info.object for info in infos]}


def _check(given: Given, container: str) -> None:
    if given.text("since-time") and given.seconds("since"):
        raise KctlError("at most one of `sinceTime` or `sinceSeconds` may be specified")
    if given.is_on("all-containers") and container:
        raise KctlError(f"--all-containers=true should not be specified with container name {container}")
    if given.changed("container") and len(given.arguments) == 2:
        raise KctlError("only one of -c or an inline [CONTAINER] arg is allowed")
    if given.number("limit-bytes") < 0:
        raise KctlError("--limit-bytes must be greater than 0")
    if given.seconds("since") < 0:
        raise KctlError("--since must be greater than 0")
    if given.number("tail") < -1:
        raise KctlError("--tail must be greater than or equal to -1")


def _query(given: Given) -> list[tuple[str, str]]:
    tail = given.number("tail")
    if given.text("selector") and not given.changed("tail"):
        tail = _SELECTOR_TAIL
    limit, since = given.number("limit-bytes"), given.seconds("since")
    values = {
        "follow": "true" if given.is_on("follow") else "",
        "insecureSkipTLSVerifyBackend": "true" if given.is_on("insecure-skip-tls-verify-backend") else "",
        "limitBytes": str(limit) if limit else "",
        "previous": "true" if given.is_on("previous") else "",
        "sinceSeconds": str(round(since)) if since else "",
        "sinceTime": given.text("since-time"),
        "tailLines": str(tail) if tail != -1 else "",
        "timestamps": "true" if given.is_on("timestamps") else "",
    }
    return [(name, value) for name, value in values.items() if value]


COMMAND = Command(
    "logs",
    "logs [-f] [-p] (POD | TYPE/NAME) [-c CONTAINER]",
    "Print the logs for a container in a pod",
    run=run,
    flags=(
        switch("all-pods", "Get logs from all pod(s). Sets prefix to true."),
        switch("all-containers", "Get all containers' logs in the pod(s)."),
        switch("follow", "Specify if the logs should be streamed.", short="f"),
        switch("timestamps", "Include timestamps on each line in the log output"),
        Flag("limit-bytes", "int", 0, "Maximum bytes of logs to return. Defaults to no limit."),
        switch(
            "previous",
            "If true, print the logs for the previous instance of the container in a pod if it exists.",
            short="p",
        ),
        Flag(
            "tail",
            "int",
            -1,
            "Lines of recent log file to display. Defaults to -1 with no selector, showing all log lines otherwise 10, "
            "if a selector is provided.",
        ),
        switch(
            "ignore-errors",
            "If watching / following pod logs, allow for any errors that occur to be non-fatal",
        ),
        Flag(
            "since-time",
            usage="Only return logs after a specific date (RFC3339). Defaults to all logs. Only one of since-time / "
            "since may be used.",
        ),
        Flag(
            "since",
            "duration",
            0.0,
            "Only return logs newer than a relative duration like 5s, 2m, or 3h. Defaults to all logs. Only one of "
            "since-time / since may be used.",
        ),
        Flag("container", usage="Print the logs of this container", short="c"),
        switch(
            "insecure-skip-tls-verify-backend",
            "Skip verifying the identity of the kubelet that logs are requested from.",
        ),
        standard_flags.pod_running_timeout(20.0),
        standard_flags.SELECTOR,
        Flag(
            "max-log-requests",
            "int",
            5,
            "Specify maximum number of concurrent logs to follow when using by a selector. Defaults to 5.",
        ),
        switch("prefix", "Prefix each log line with the log source (pod name and container name)"),
    ),
    description="""\
Print the logs for a container in a pod or specified resource. If the pod has only one container, the container name is
optional.""",
    examples="""\
# Return snapshot logs from pod nginx with only one container
kctl logs nginx

# Return snapshot logs from pod nginx with multi containers
kctl logs nginx --all-containers=true

# Begin streaming the logs of the ruby container in pod web-1
kctl logs -f -c ruby web-1

# Display only the most recent 20 lines of output in pod nginx
kctl logs --tail=20 nginx

# Return snapshot logs from first container of a job named hello
kctl logs job/hello""",
)
