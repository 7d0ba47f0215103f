"""Staying with a pod that was just made: until it runs, while it runs, until it has ended.

Verbs that make a pod call `attend` with what they made. It is a session of its own, because joining a process means
doing several things at once. Kubernetes: kubectl/pkg/cmd/run, handleAttachPod, waitForPod; kubectl/pkg/cmd/debug.

`kctl run --attach`: from a pod that was made to the exit code of its process. Kubernetes: RunOptions.Run.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from kctl import program
from kctl.changes import deletion as changes_deletion
from kctl.command_line.flags import FlagSet
from kctl.errors import Ended, KctlError
from kctl.objects import Query, resolve
from kctl.session.session import Session
from kctl.streaming import attach, logs
from kctl.streaming import pods as streaming_pods
from localplane.apimachinery.errors import APIError, Expired, NotFound
from localplane.apimachinery.groups import GroupResource
from localplane.apimachinery.objects import JSONObject
from localplane.client.errors import ClientError, ConnectionLost
from localplane.client.rest import options, resources
from localplane.client.rest.names import GroupVersionResource

T = TypeVar("T")
Met = Callable[[JSONObject], bool]
"""Whether a pod is as it was awaited. Raises KctlError if it never will be."""


def concurrently(session: Session, work: Callable[[Session], Awaitable[T]]) -> T:
    """In an event loop that is there for this alone, with a connection of its own."""
    import asyncio

    async def run() -> T:
        own = Session(session.flags, command=session.command, concurrent=True)
        try:
            return await work(own)
        finally:
            await own.close()

    session.flush()
    return asyncio.run(run())


def pods(session: Session, namespace: str) -> resources.ResourceClient:
    return session.client.resource(GroupVersionResource("", "v1", "pods"), namespace)


async def wait_for_pod(session: Session, namespace: str, name: str, met: Met, *, seconds: float = 0) -> JSONObject:
    """Zero is for ever. Raises KctlError when the time is over, NotFound if the pod is deleted meanwhile."""
    import asyncio

    try:
        async with asyncio.timeout(seconds or None):
            return await _until(session, namespace, name, met)
    except TimeoutError:
        raise KctlError("timed out waiting for the condition") from None


async def _until(session: Session, namespace: str, name: str, met: Met) -> JSONObject:
    resource, selector = pods(session, namespace), f"metadata.name={name}"
    while True:
        listed = await resource.list(options.ListOptions(field_selector=selector))
        for pod in listed.get("items") or ():
            if met(pod):
                return _complete(pod)
        version = str((listed.get("metadata") or {}).get("resourceVersion", ""))
        try:
            async with resource.watch(options.ListOptions(field_selector=selector, resource_version=version)) as events:
                async for event in events:
                    if event.type == "DELETED":
                        raise NotFound.of(GroupResource("", "pods"), "")
                    if met(event.object):
                        return _complete(event.object)
        except (ConnectionLost, Expired):
            continue


def _complete(pod: JSONObject) -> JSONObject:
    """Items of a list don't say what they are."""
    return {"kind": "Pod", "apiVersion": "v1", **pod}


async def join_or_read(session: Session, pod: JSONObject, how: attach.Attaching, *, since: str = "") -> None:
    """Attach, and where that can't be done show the log instead, from a time on."""
    try:
        await attach.attach(session, pod, how)
    except (APIError, ClientError, KctlError) as error:
        why = f"command terminated with exit code {error.exit_code}" if isinstance(error, Ended) else str(error)
        session.flush()
        session.say(
            f"warning: couldn't attach to pod/{pod['metadata']['name']}, falling back to streaming logs: {why}\n"
        )
        await read_log(session, pod, str(streaming_pods.container_of(session, pod, how.container)["name"]), since=since)


async def read_log(session: Session, pod: JSONObject, container: str, *, since: str = "") -> None:
    """What the container has said so far. Raises APIError."""
    query = [("container", container)]
    if since:
        query.append(("sinceTime", since))
    printing = logs.Printing(session, follow=False, ignore_errors=False, within=0)
    await printing.in_turn([logs.Log(streaming_pods.path_of(pod, "log"), tuple(query), b"")])


_LOG_PATIENCE = 5.0
"""Seconds for what the process has said before we came."""


async def stay(session: Session, flags: FlagSet, made: JSONObject, restart: str) -> None:
    """Raises KctlError with the exit code of a process that failed."""
    metadata, seconds = made["metadata"], flags.seconds("pod-running-timeout")
    namespace, name = metadata["namespace"], metadata["name"]
    how = attach.Attaching(
        container="",
        stdin=flags.is_on("stdin"),
        terminal=flags.is_on("tty"),
        quiet=flags.is_on("quiet"),
        detach_keys=flags.text("detach-keys") or "ctrl-p,ctrl-q",
        command=f"{program.name()} attach",
    )
    pod = await wait_for_pod(session, namespace, name, _is_ready_or_over, seconds=seconds)
    await _join(session, pod, how)
    if flags.is_on("leave-stdin-open") or restart == "Always":
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


async def _join(session: Session, pod: JSONObject, how: attach.Attaching) -> None:
    """What it has said before comes first; of a pod that is over there is nothing else."""
    import asyncio

    container = str(streaming_pods.container_of(session, pod, "", quiet=how.quiet)["name"])
    if _is_over(pod):
        await read_log(session, pod, container)
        return
    since = ""
    try:
        async with asyncio.timeout(_LOG_PATIENCE):
            await read_log(session, pod, container)
        since = dt.datetime.now(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
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


async def remove(
    session: Session, flags: FlagSet, made: Sequence[JSONObject], deletion: changes_deletion.Deletion
) -> None:
    """Everything that was made; what is gone already is not missed. Kubernetes: removeCreatedObjects."""
    options = changes_deletion.DeleteOptions(deletion, ignore_not_found=True, waits=False, quiet=flags.is_on("quiet"))
    for obj in made:
        try:
            result = await resolve(
                session,
                Query(arguments=[f"{obj['kind'].lower()}s", obj["metadata"]["name"]], flatten=True, keep_going=True),
            )
            await changes_deletion.Deleter(session, options).delete(result)
        except (APIError, KctlError):
            return  # what the process did is what is to be heard
