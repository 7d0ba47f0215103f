"""What can be asked of a cluster, and who asks: its administrator, or anybody whom a test makes up.

Whatever event loop a method is awaited in, it runs in the cluster's own.
"""

from __future__ import annotations

import asyncio
import os
import secrets
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, Final, ParamSpec, TypeVar

import orjson

from localplane.apimachinery.errors import NotFound
from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.authentication import StaticTokenAuthenticator
from localplane.apiserver.endpoints.served import Served
from localplane.apiserver.request import User as RequestUser
from localplane.apiserver.server.certificates.self_signed import ADMIN_GROUP, ADMIN_NAME
from localplane.client import Client, GroupVersionResource, ListOptions, PatchType, ResourceClient
from localplane.client.kubeconfig import load, resolve
from localplane.compose.kubeconfig import KubeconfigEntry, write_passing_kubeconfig
from localplane.compose.server import Plane

from .durations import Duration, duration_of
from .holding import Held
from .manifests import Manifests, objects_in
from .references import Place, Reference, place_of
from .reports import is_about, report
from .waiting import Condition, Wait, WaitTimedOut, described

if TYPE_CHECKING:
    from .faults import ClusterFaults

AGENT: Final = "localplane.testing"
"""Who a test's own writes are by, in managed fields."""

_EVENTS: Final = GroupVersionResource("", "v1", "events")
_ACCOUNT: Final = "system:serviceaccount:"

Objects = list[JSONObject]

P = ParamSpec("P")
T = TypeVar("T")
U = TypeVar("U", bound="AsyncUser")


def _in_its_loop(
    method: Callable[Concatenate[U, P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate[U, P], Coroutine[Any, Any, T]]:
    """A cluster that runs in another thread is asked there."""

    @wraps(method)
    async def asked(user: U, /, *args: P.args, **kwargs: P.kwargs) -> T:
        work = method(user, *args, **kwargs)
        if asyncio.get_running_loop() is user.loop:
            return await work
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, user.loop))

    return asked


class AsyncUser:
    """Somebody who talks to a cluster. Objects are dictionaries as they are on the wire, and refusals are APIErrors.

    A reference is `deploy/web`, or an object. What it does not say stands in `namespace`, or else in `default`.
    """

    def __init__(
        self, plane: Plane, loop: asyncio.AbstractEventLoop, verbs: Client, *, name: str, kubeconfig: Path
    ) -> None:
        self.plane = plane
        """All of its parts, for those who must look inside."""
        self.loop = loop
        self.name = name
        self.kubeconfig = kubeconfig
        """A file for kubectl and other clients. It goes when the cluster does."""
        self._verbs = verbs

    @property
    def url(self) -> str:
        return self.plane.url

    @property
    def env(self) -> dict[str, str]:
        """What a process needs to find this cluster, as this user: `env={**os.environ, **cluster.env}`."""
        direct = [each for each in os.environ.get("NO_PROXY", "").split(",") if each]
        return {"KUBECONFIG": str(self.kubeconfig), "NO_PROXY": ",".join(dict.fromkeys((*direct, "127.0.0.1")))}

    def client(self) -> Client:
        """A client over HTTPS: `async with cluster.client() as client`. It belongs to the event loop that uses it."""
        return Client.connect(resolve(load(self.kubeconfig)))

    @_in_its_loop
    async def get(self, reference: Reference, namespace: str = "default") -> JSONObject:
        """The object as it is: `get("deploy/web")`. Raises NotFound, and UnknownKind for what nobody serves."""
        place = self._place(reference, needs_name=True)
        return await self._of(place, namespace).get(place.name)

    @_in_its_loop
    async def list(self, kind: str, namespace: str = "", *, labels: str = "", fields: str = "") -> Objects:
        """Those of a kind in a namespace, or all there are."""
        options = ListOptions(label_selector=labels, field_selector=fields)
        listed = await self._of(self._place(kind), namespace).list(options)
        items: Objects = listed["items"]
        return items

    @_in_its_loop
    async def create(self, obj: Mapping[str, Any], namespace: str = "default") -> JSONObject:
        """The object as the server made it. Raises AlreadyExists, Invalid, Forbidden."""
        return await self._of(self._place(obj), namespace).create(dict(obj))

    @_in_its_loop
    async def apply(self, manifests: Manifests, namespace: str = "default") -> Objects:
        """Files, folders, texts or objects, by server-side apply: namespaces and definitions first. They are served
        when it returns. Raises BadManifest before anything is sent."""
        return [await self._apply(obj, namespace) for obj in objects_in(manifests)]

    async def _apply(self, obj: JSONObject, namespace: str) -> JSONObject:
        place = self._place(obj)
        objects = self._of(place, namespace)
        if not place.name:
            return await objects.create(obj)
        return await objects.patch(place.name, obj, PatchType.APPLY, force=True, field_manager=AGENT)

    @_in_its_loop
    async def patch(
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
        place = self._place(reference, needs_name=True)
        manager = AGENT if patch_type is PatchType.APPLY else ""
        objects = self._of(place, namespace)
        return await objects.patch(place.name, patch, patch_type, subresource=subresource, field_manager=manager)

    @_in_its_loop
    async def delete(self, reference: Reference, namespace: str = "default") -> None:
        """It may stay for a while, for its finalizers or its grace period: `wait_for(reference, "deleted")`. Raises
        NotFound."""
        place = self._place(reference, needs_name=True)
        await self._of(place, namespace).delete(place.name)

    def _of(self, place: Place, namespace: str) -> ResourceClient:
        return self._verbs.resource(place.resource, place.within(namespace))

    def _place(self, reference: Reference, *, needs_name: bool = False) -> Place:
        place = place_of(reference, self._served())
        if needs_name and not place.name:
            raise ValueError(f"this names no object: {reference!r}; it should be like {place.resource.resource}/NAME")
        return place

    def _served(self) -> Iterator[Served]:
        return self.plane.installer.main_resources()


class AsyncCluster(AsyncUser):
    """One that runs, asked by its administrator. `users` are those that it was opened with, by name."""

    def __init__(self, plane: Plane) -> None:
        verbs = plane.client.acting_as(ADMIN_NAME, groups=(ADMIN_GROUP, "system:authenticated"), agent=AGENT)
        loop = asyncio.get_running_loop()
        super().__init__(plane, loop, verbs, name=ADMIN_NAME, kubeconfig=plane.kubeconfig)
        self.users: dict[str, AsyncUser] = {}
        self._clients: list[Client] = []
        self._files: list[Path] = []

    @classmethod
    @asynccontextmanager
    async def around(cls, plane: Plane, users: Mapping[str, Sequence[str]]) -> AsyncIterator[AsyncCluster]:
        """What it makes for its users goes with the block."""
        cluster = cls(plane)
        try:
            cluster.users.update({name: cluster.as_user(name, groups=groups) for name, groups in users.items()})
            yield cluster
        finally:
            for client in cluster._clients:
                await client.close()
            for path in cluster._files:
                path.unlink(missing_ok=True)

    @property
    def faults(self) -> ClusterFaults:
        """What goes wrong on purpose: `with cluster.faults.add(verb="update", answer=409, first=2) as conflicts`."""
        from .faults import ClusterFaults

        return ClusterFaults(
            self.plane.kernel.faults, self.loop, lambda word: str(self._place(word).resource.group_resource)
        )

    def resource(self, api_version: str, plural: str, namespace: str = "") -> ResourceClient:
        """The objects of a kind, without a socket and as the server itself: `resource("v1", "pods", "default")`. Only
        for who runs in the cluster's own event loop."""
        group, _, version = api_version.rpartition("/")
        return self.plane.client.resource(GroupVersionResource(group, version, plural), namespace)

    def as_user(self, name: str, *, groups: Sequence[str] = ()) -> AsyncUser:
        """Anybody, with a kubeconfig of his own: the plane gives him a token. A service account is called
        `system:serviceaccount:NAMESPACE:NAME`, need not be there, and is in the groups that all of them are in."""
        token = secrets.token_urlsafe(32)
        user = RequestUser(name, groups=tuple(dict.fromkeys((*groups, *_groups_of_account(name)))))
        self.plane.tokens.add(StaticTokenAuthenticator({token: user}))
        path = self.plane.kubeconfig.with_name(f"kubeconfig-{secrets.token_hex(8)}")
        write_passing_kubeconfig(
            path, KubeconfigEntry(name="localplane", url=self.url, authority=self.plane.authority, token=token)
        )
        client = Client.connect(resolve(load(path)))
        self._files.append(path)
        self._clients.append(client)
        return AsyncUser(self.plane, self.loop, client, name=name, kubeconfig=path)

    @asynccontextmanager
    async def branch(self) -> AsyncIterator[AsyncCluster]:
        """Another cluster that begins with all that this one has at this moment, a few milliseconds later. Of clusters
        in memory only. Users have to be made anew: the administrator is another one, too."""
        if asyncio.get_running_loop() is self.loop:
            async with self.branched() as branch:
                yield branch
            return
        held = Held(self.branched(), self.loop)
        branch = await asyncio.wrap_future(held.entered)
        try:
            yield branch
        finally:
            await asyncio.wrap_future(held.leave())

    @asynccontextmanager
    async def branched(self, users: Mapping[str, Sequence[str]] | None = None) -> AsyncIterator[AsyncCluster]:
        """The same for who is in the cluster's own event loop, with these users."""
        if self.plane.branch is None:
            raise ValueError("only a cluster in memory can be branched: open it with StorageKind.MEMORY")
        async with self.plane.branch() as plane, AsyncCluster.around(plane, users or {}) as branch:
            yield branch

    @_in_its_loop
    async def wait_for(
        self,
        reference: Reference,
        condition: Condition = "created",
        *,
        namespace: str = "default",
        timeout: float = 30.0,  # noqa: ASYNC109 - it is said to people, with all that is known by then
    ) -> JSONObject:
        """Until the object is so, or without a name any of its kind; as it is then. The condition is `Available`,
        `Ready=False`, `created`, `deleted`, or a function of the object. After `timeout` seconds it raises
        WaitTimedOut, whose text has the object, its events, and who changed it."""
        place = self._place(reference)
        wait = Wait(self._of(place, namespace), place.name, condition)
        try:
            return await wait.until_so(timedelta(seconds=timeout)) or {}
        except TimeoutError:
            where = place.within(namespace)
            text = report(wait.seen, await self._all_events(where))
        raise WaitTimedOut(
            f"{place} in {where or 'the cluster'} was not {described(condition)} within {timeout:g} seconds:\n{text}"
        )

    @property
    def now(self) -> datetime:
        """What time it is in this cluster."""
        return self.plane.now()

    @_in_its_loop
    async def advance(
        self,
        duration: Duration | None = None,
        *,
        days: float = 0,
        hours: float = 0,
        minutes: float = 0,
        seconds: float = 0,
        timeout: float = 60.0,  # noqa: ASYNC109 - it is said to people
    ) -> datetime:
        """Let time pass: `advance(minutes=61)`, `advance(timedelta(hours=1))`, `advance("1h30m")`. Everything that
        becomes due meanwhile happens in order, and controllers, scheduler and nodes are done with it when this returns
        what time it is then: schedules, deadlines, back-offs, leases, tokens, whatever is kept for a while only.

        The cluster's clock moves, and no other: that of a branch is its own from its beginning, and what other programs
        wait for they wait for by theirs. In between it goes as the machine's does. What only keeps things fresh, such
        as a node's heartbeat, happens less often while hours pass. A store in etcd forgets by etcd's own clock.

        Raises ValueError for a time that does not go forward, and NotAtRest if the cluster is not done within `timeout`
        seconds of the machine's."""
        by = duration_of(duration, days=days, hours=hours, minutes=minutes, seconds=seconds)
        await self.plane.advance(by, within=timedelta(seconds=timeout))
        return self.now

    @_in_its_loop
    async def events(self, reference: Reference | None = None, namespace: str = "") -> Objects:
        """The events about an object, or all there are, in the order in which they came."""
        events = await self._all_events(namespace)
        if reference is None:
            return events
        place = self._place(reference)
        try:
            obj = await self._of(place, namespace or "default").get(place.name)
        except NotFound:  # of what is gone only the name is known
            obj = {"kind": place.kind, "metadata": {"name": place.name}}
        return [event for event in events if is_about(event, obj)]

    @_in_its_loop
    async def requests(
        self,
        *,
        user: str = "",
        verb: str = "",
        resource: str = "",
        namespace: str = "",
        name: str = "",
        status: str = "",
    ) -> Objects:
        """What was asked over the socket lately, the last at the end: who (`user`, `userAgent`), what (`verb`,
        `resource`, `uri`) and what came of it (`status`). Each of these selects, may have several values with commas
        between them, and a user's name may end in `*`; see `kctl requests`. What the test itself asks through this
        cluster's methods is not among them."""
        query = {
            "user": user,
            "verb": verb,
            "resource": resource,
            "namespace": namespace,
            "name": name,
            "status": status,
        }
        said = [(key, value) for key, value in query.items() if value]
        answer = await self.plane.client.request("GET", "/localplane/v1/requests", query=said)
        found: Objects = answer.json()["requests"]
        return found

    @_in_its_loop
    async def history(self, reference: Reference, namespace: str = "default") -> Objects:
        """Every revision of an object since the cluster began, the last at the end: `revision`, `time`, `type` (ADDED,
        MODIFIED, DELETED), who wrote it as far as that is known, and the `object` itself; see `kctl history`."""
        place = self._place(reference, needs_name=True)
        query = [
            ("group", place.resource.group),
            ("resource", place.resource.resource),
            ("namespace", place.within(namespace)),
            ("name", place.name),
        ]
        answer = await self.plane.client.request("GET", "/localplane/v1/history/object", query=query)
        found: Objects = answer.json()["revisions"]
        return found

    @_in_its_loop
    async def minimal_rbac(self, user: str, *, resource_names: bool = False) -> Objects:
        """The roles and bindings that let somebody do what he has asked for so far, and nothing else; see
        `kctl rbac minimal`. Raises NotFound for one who has asked for nothing."""
        query = [("user", user), *([("resourceNames", "true")] if resource_names else [])]
        answer = await self.plane.client.request("GET", "/localplane/v1/rbac/minimal", query=query)
        found: Objects = answer.json()["objects"]
        return found

    @_in_its_loop
    async def check_rbac(self, user: str, roles: Manifests, namespace: str = "default") -> JSONObject:
        """What of these roles somebody has asked for so far: `missing`, `unused` and `wide` are lists, all empty if the
        roles are just what he needs; see `kctl rbac check`."""
        body = orjson.dumps({"objects": objects_in(roles)})
        query = [("user", user), ("namespace", namespace)]
        answer = await self.plane.client.request("POST", "/localplane/v1/rbac/check", query=query, body=body)
        found: JSONObject = answer.json()
        return found

    async def _all_events(self, namespace: str) -> Objects:
        listed = (await self._verbs.resource(_EVENTS, namespace).list())["items"]
        return sorted(listed, key=lambda event: int(event["metadata"]["resourceVersion"]))

    @_in_its_loop
    async def report(self, reference: Reference, namespace: str = "default") -> str:
        """For people: the object as YAML, its events, and who last changed what."""
        place = self._place(reference, needs_name=True)
        try:
            obj = await self._of(place, namespace).get(place.name)
        except NotFound:
            obj = None
        return report(obj, await self._all_events(place.within(namespace)))


def _groups_of_account(name: str) -> tuple[str, ...]:
    if not name.startswith(_ACCOUNT):
        return ()
    namespace, _, account = name.removeprefix(_ACCOUNT).partition(":")
    if not namespace or not account:
        raise ValueError(f"{name!r} should be {_ACCOUNT}NAMESPACE:NAME")
    return "system:serviceaccounts", f"system:serviceaccounts:{namespace}"
