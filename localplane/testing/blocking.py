"""The same cluster for those who wait: each method is one of AsyncCluster, done in the thread that the cluster runs in.

For plain tests, unittest, and clients that block. A coroutine that must not wait takes `asynchronous`.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager, contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

import uvloop

from localplane.apimachinery.objects import JSONObject
from localplane.client import Client, PatchType

from .clusters import AsyncCluster, AsyncUser, Objects
from .commands import Command, kctl_command, kubectl_command
from .durations import Duration
from .holding import Held
from .manifests import Manifests
from .references import Reference
from .waiting import Condition

if TYPE_CHECKING:
    from .faults import ClusterFaults

T = TypeVar("T")


class LoopThread:
    """A thread with an event loop. It ends with the block, and all that was held in it has ended before."""

    def __init__(self) -> None:
        self._ready: Future[asyncio.AbstractEventLoop] = Future()
        self._end = asyncio.Event()
        self._thread = threading.Thread(target=self._run, name="localplane", daemon=True)

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(self._serve())

    async def _serve(self) -> None:
        self._ready.set_result(asyncio.get_running_loop())
        await self._end.wait()

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        return self._ready.result()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.loop.call_soon_threadsafe(self._end.set)
        self._thread.join()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """What it returns or raises. Whoever is interrupted leaves nothing running."""
        return self._result(asyncio.run_coroutine_threadsafe(work, self.loop))

    @contextmanager
    def holding(self, block: AbstractAsyncContextManager[T]) -> Iterator[T]:
        """An asynchronous block, open as long as this one."""
        held = Held(block, self.loop)
        try:
            yield self._result(held.entered)
        finally:
            self._result(held.leave())

    def _result(self, future: Future[T]) -> T:
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise


class User:
    """Somebody who talks to a cluster; see AsyncUser."""

    def __init__(self, thread: LoopThread, user: AsyncUser) -> None:
        self._thread = thread
        self._user = user

    @property
    def asynchronous(self) -> AsyncUser:
        """The same, whose methods are awaited in whatever event loop."""
        return self._user

    @property
    def name(self) -> str:
        return self._user.name

    @property
    def url(self) -> str:
        return self._user.url

    @property
    def kubeconfig(self) -> Path:
        """A file for kubectl and other clients. It goes when the cluster does."""
        return self._user.kubeconfig

    @property
    def env(self) -> dict[str, str]:
        """What a process needs to find this cluster, as this user: `env={**os.environ, **cluster.env}`."""
        return self._user.env

    @property
    def kctl(self) -> Command:
        """Runs kctl as this user: `cluster.kctl("get", "pods", "-o", "name").stdout`."""
        return kctl_command(self._user.env)

    @property
    def kubectl(self) -> Command:
        """The same with the kubectl that is on PATH."""
        return kubectl_command(self._user.env)

    def client(self) -> Client:
        """For coroutines: `async with cluster.client() as client`. It belongs to the event loop that uses it."""
        return self._user.client()

    def get(self, reference: Reference, namespace: str = "default") -> JSONObject:
        """The object as it is: `get("deploy/web")`. Raises NotFound, and UnknownKind for what nobody serves."""
        return self._thread.run(self._user.get(reference, namespace))

    def list(self, kind: str, namespace: str = "", *, labels: str = "", fields: str = "") -> Objects:
        """Those of a kind in a namespace, or all there are."""
        return self._thread.run(self._user.list(kind, namespace, labels=labels, fields=fields))

    def create(self, obj: Mapping[str, Any], namespace: str = "default") -> JSONObject:
        """The object as the server made it. Raises AlreadyExists, Invalid, Forbidden."""
        return self._thread.run(self._user.create(obj, namespace))

    def apply(self, manifests: Manifests, namespace: str = "default") -> Objects:
        """Files, folders, texts or objects; they are served when it returns."""
        return self._thread.run(self._user.apply(manifests, namespace))

    def patch(
        self,
        reference: Reference,
        patch: Any,
        patch_type: PatchType = PatchType.MERGE,
        namespace: str = "default",
        *,
        subresource: str = "",
    ) -> JSONObject:
        """The object as it is then: `patch("cm/a", {"data": {"colour": "red"}})`. A merge patch, unless `patch_type`
        says otherwise. Raises NotFound, Conflict, Invalid."""
        work = self._user.patch(reference, patch, patch_type, namespace, subresource=subresource)
        return self._thread.run(work)

    def delete(self, reference: Reference, namespace: str = "default") -> None:
        """It may stay for a while: `wait_for(reference, "deleted")`. Raises NotFound."""
        self._thread.run(self._user.delete(reference, namespace))


class Cluster(User):
    """One that runs, asked by its administrator; see AsyncCluster."""

    def __init__(self, thread: LoopThread, cluster: AsyncCluster) -> None:
        super().__init__(thread, cluster)
        self._cluster = cluster
        self.users = {name: User(thread, user) for name, user in cluster.users.items()}
        """Those that it was opened with, by name."""

    @property
    def asynchronous(self) -> AsyncCluster:
        return self._cluster

    def as_user(self, name: str, *, groups: Sequence[str] = ()) -> User:
        """Anybody, with a kubeconfig of his own: `as_user("system:serviceaccount:shop:operator")`."""
        return User(self._thread, self._cluster.as_user(name, groups=groups))

    @property
    def faults(self) -> ClusterFaults:
        """What goes wrong on purpose: `with cluster.faults.add(verb="update", answer=409, first=2) as conflicts`."""
        return self._cluster.faults

    @contextmanager
    def branch(self, users: Mapping[str, Sequence[str]] | None = None) -> Iterator[Cluster]:
        """Another cluster that begins with all that this one has at this moment, a few milliseconds later."""
        with self._thread.holding(self._cluster.branched(users)) as branch:
            yield Cluster(self._thread, branch)

    def wait_for(
        self,
        reference: Reference,
        condition: Condition = "created",
        *,
        namespace: str = "default",
        timeout: float = 30.0,
    ) -> JSONObject:
        """Until the object is so: `wait_for("deploy/web", "Available")`, `wait_for("pod/a", lambda pod: ...)`. What it
        raises after `timeout` seconds has the object, its events, and who changed it."""
        work = self._cluster.wait_for(reference, condition, namespace=namespace, timeout=timeout)
        return self._thread.run(work)

    @property
    def now(self) -> datetime:
        """What time it is in this cluster."""
        return self._cluster.now

    def advance(
        self,
        duration: Duration | None = None,
        *,
        days: float = 0,
        hours: float = 0,
        minutes: float = 0,
        seconds: float = 0,
        timeout: float = 60.0,
    ) -> datetime:
        """Let time pass in this cluster, without waiting: `advance(minutes=61)`. Everything that becomes due meanwhile
        has happened when it returns what time it is then; see AsyncCluster."""
        work = self._cluster.advance(
            duration, days=days, hours=hours, minutes=minutes, seconds=seconds, timeout=timeout
        )
        return self._thread.run(work)

    def events(self, reference: Reference | None = None, namespace: str = "") -> Objects:
        """The events about an object, or all there are, in the order in which they came."""
        return self._thread.run(self._cluster.events(reference, namespace))

    def requests(
        self,
        *,
        user: str = "",
        verb: str = "",
        resource: str = "",
        namespace: str = "",
        name: str = "",
        status: str = "",
    ) -> Objects:
        """What was asked over the socket lately, the last at the end: `requests(user="ann", verb="create,patch")`."""
        work = self._cluster.requests(
            user=user, verb=verb, resource=resource, namespace=namespace, name=name, status=status
        )
        return self._thread.run(work)

    def history(self, reference: Reference, namespace: str = "default") -> Objects:
        """Every revision of an object since the cluster began, the last at the end: `history("deploy/web")`."""
        return self._thread.run(self._cluster.history(reference, namespace))

    def minimal_rbac(self, user: str, *, resource_names: bool = False) -> Objects:
        """The roles and bindings that let somebody do what he has asked for so far, and nothing else."""
        return self._thread.run(self._cluster.minimal_rbac(user, resource_names=resource_names))

    def check_rbac(self, user: str, roles: Manifests, namespace: str = "default") -> JSONObject:
        """What of these roles is `missing`, `unused` or `wide`, given what somebody has asked for so far."""
        return self._thread.run(self._cluster.check_rbac(user, roles, namespace))

    def report(self, reference: Reference, namespace: str = "default") -> str:
        """For people: the object as YAML, its events, and who last changed what."""
        return self._thread.run(self._cluster.report(reference, namespace))
