"""`kctl run --attach`: from a pod that was made to the exit code of its process. Kubernetes: RunOptions.Run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kctl.errors import KctlError
from localplane.apimachinery.objects import JSONObject

from .attending import join_or_read, read_log, wait_for_pod

if TYPE_CHECKING:
    from kctl.deleting import Deletion
    from kctl.flags import Given
    from kctl.session import Session
    from kctl.streaming.attaching import Attaching

_LOG_PATIENCE = 5.0
"""Seconds for what the process has said before we came."""


async def stay(session: Session, given: Given, made: JSONObject, restart: str) -> None:
    """Raises KctlError with the exit code of a process that failed."""
    from kctl.streaming.attaching import Attaching

    metadata, seconds = made["metadata"], given.seconds("pod-running-timeout")
    namespace, name = metadata["namespace"], metadata["name"]
    how = Attaching(
        container="",
        stdin=given.is_on("stdin"),
        terminal=given.is_on("tty"),
        quiet=given.is_on("quiet"),
        detach_keys=given.text("detach-keys") or "ctrl-p,ctrl-q",
        command="kctl attach",
    )
    pod = await wait_for_pod(session, namespace, name, _is_ready_or_over, seconds=seconds)
    await _join(session, pod, how)
    if given.is_on("leave-stdin-open") or restart == "Always":
        return
    met = _is_over if restart == "Never" else _has_succeeded
    _say_how_it_ended(await wait_for_pod(session, namespace, name, met, seconds=seconds))


def _phase(pod: JSONObject) -> str:
    return str((pod.get("status") or {}).get("phase", ""))


def _is_over(pod: JSONObject) -> bool:
    return _phase(pod) in ("Succeeded", "Failed")


def _has_succeeded(pod: JSONObject) -> bool:
    return _phase(pod) == "Succeeded"


def _is_ready_or_over(pod: JSONObject) -> bool:
    conditions = (pod.get("status") or {}).get("conditions") or ()
    ready = any(one.get("type") == "Ready" and one.get("status") == "True" for one in conditions)
    return _is_over(pod) or (_phase(pod) == "Running" and ready)


async def _join(session: Session, pod: JSONObject, how: Attaching) -> None:
    """What it has said before comes first; of a pod that is over there is nothing else."""
    import asyncio
    from datetime import UTC, datetime

    from kctl.streaming.pods import container_of
    from localplane.apimachinery.errors import APIError
    from localplane.client.errors import ClientError

    container = str(container_of(session, pod, "", quiet=how.quiet)["name"])
    if _is_over(pod):
        await read_log(session, pod, container)
        return
    since = ""
    try:
        async with asyncio.timeout(_LOG_PATIENCE):
            await read_log(session, pod, container)
        since = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (APIError, ClientError, TimeoutError) as error:
        session.say(f"warning: couldn't fetch pre-attach logs: {error or 'context deadline exceeded'}\n")
    await join_or_read(session, pod, how, since=since)


def _say_how_it_ended(pod: JSONObject) -> None:
    if _has_succeeded(pod):
        return
    metadata = pod["metadata"]
    where = f"{metadata['namespace']}/{metadata['name']}"
    statuses = (pod.get("status") or {}).get("containerStatuses") or [{}]
    ended = (statuses[0].get("state") or {}).get("terminated") or {}
    if not ended.get("exitCode"):
        raise KctlError(f"pod {where} failed with unknown exit code")
    said = f"pod {where} terminated ({ended.get('reason', '')})\n{ended.get('message', '')}"
    raise KctlError(said, exit_code=int(ended["exitCode"]), verbatim=True)


async def remove(session: Session, given: Given, made: Sequence[JSONObject], deletion: Deletion) -> None:
    """Everything that was made; what is gone already is not missed. Kubernetes: removeCreatedObjects."""
    from kctl.deleting.found import DeleteOptions, Deleter
    from kctl.resolve import Query, resolve
    from localplane.apimachinery.errors import APIError

    options = DeleteOptions(deletion, ignore_not_found=True, waits=False, quiet=given.is_on("quiet"))
    for obj in made:
        try:
            found = await resolve(
                session,
                Query(arguments=[f"{obj['kind'].lower()}s", obj["metadata"]["name"]], flatten=True, keep_going=True),
            )
            await Deleter(session, options).delete(found)
        except (APIError, KctlError):
            return  # what the process did is what is to be heard
