"""Staying with a pod that was just made: until it runs, while it runs, until it has ended.

Verbs that make a pod call `attend` with what they made. It is a session of its own, because joining a process means
doing several things at once. Kubernetes: kubectl/pkg/cmd/run, handleAttachPod, waitForPod; kubectl/pkg/cmd/debug.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from kctl.errors import Ended, KctlError
from localplane.apimachinery.objects import JSONObject

if TYPE_CHECKING:
    from kctl.session import Session
    from kctl.streaming.attaching import Attaching
    from localplane.client.resources import ResourceClient

T = TypeVar("T")
Met = Callable[[JSONObject], bool]
"""Whether a pod is as it was awaited. Raises KctlError if it never will be."""


def concurrently(session: Session, work: Callable[[Session], Awaitable[T]]) -> T:
    """In an event loop that is there for this alone, with a connection of its own."""
    import asyncio

    from kctl.session import Session as NewSession

    async def run() -> T:
        own = NewSession(session.given, command=session.command, concurrent=True)
        try:
            return await work(own)
        finally:
            await own.close()

    session.flush()
    return asyncio.run(run())


def pods(session: Session, namespace: str) -> ResourceClient:
    from localplane.client.names import GroupVersionResource

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
    from localplane.apimachinery.errors import Expired, NotFound
    from localplane.apimachinery.groups import GroupResource
    from localplane.client.errors import ConnectionLost
    from localplane.client.options import ListOptions

    resource, selector = pods(session, namespace), f"metadata.name={name}"
    while True:
        listed = await resource.list(ListOptions(field_selector=selector))
        for pod in listed.get("items") or ():
            if met(pod):
                return _complete(pod)
        version = str((listed.get("metadata") or {}).get("resourceVersion", ""))
        try:
            async with resource.watch(ListOptions(field_selector=selector, resource_version=version)) as events:
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


async def join_or_read(session: Session, pod: JSONObject, how: Attaching, *, since: str = "") -> None:
    """Attach, and where that can't be done show the log instead, from a time on."""
    from kctl.streaming.attaching import attach
    from kctl.streaming.pods import container_of
    from localplane.apimachinery.errors import APIError
    from localplane.client.errors import ClientError

    try:
        await attach(session, pod, how)
    except (APIError, ClientError, KctlError) as error:
        why = f"command terminated with exit code {error.exit_code}" if isinstance(error, Ended) else str(error)
        session.flush()
        session.say(
            f"warning: couldn't attach to pod/{pod['metadata']['name']}, falling back to streaming logs: {why}\n"
        )
        await read_log(session, pod, str(container_of(session, pod, how.container)["name"]), since=since)


async def read_log(session: Session, pod: JSONObject, container: str, *, since: str = "") -> None:
    """What the container has said so far. Raises APIError."""
    from kctl.streaming.logs import Log, Printing
    from kctl.streaming.pods import path_of

    query = [("container", container)]
    if since:
        query.append(("sinceTime", since))
    printing = Printing(session, follow=False, ignore_errors=False, within=0)
    await printing.in_turn([Log(path_of(pod, "log"), tuple(query), b"")])
