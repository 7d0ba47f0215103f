"""Moving a node's pods away. Kubernetes: kubectl/pkg/drain/drain.go."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, NoReturn

from kctl.errors import KctlError, SeveralErrors
from localplane.apimachinery.gotext import go_quote

from .choosing import Pod, is_going, name_of, place

if TYPE_CHECKING:
    from kctl.flags import Given
    from kctl.session import Session
    from localplane.apimachinery.errors import APIError
    from localplane.client.resources import ResourceClient

_PAUSE = 1.0
_RETRY_AFTER = 5.0
_TOO_LATE = "context deadline exceeded"


class Evicting:
    """`mode` is --dry-run's."""

    def __init__(self, session: Session, given: Given, mode: str) -> None:
        self._session = session
        self._given = given
        self._mode = mode
        self._deadline = 0.0

    async def move(self, pods: list[Pod]) -> None:
        """Raises all that went wrong."""
        if not pods:
            return
        seconds = self._given.seconds("timeout")
        self._deadline = asyncio.get_running_loop().time() + seconds if seconds else float("inf")
        if self._given.is_on("disable-eviction") or not await self._can_evict():
            await self._delete(pods)
            return
        errors: list[Exception] = []
        for task in asyncio.as_completed([self._evict(pod) for pod in pods]):
            try:
                await task
            except KctlError as error:
                errors.append(error)
        if errors:
            raise SeveralErrors(errors)

    def _pods(self, namespace: str) -> ResourceClient:
        from localplane.client.names import GroupVersionResource

        return self._session.client.resource(GroupVersionResource("", "v1", "pods"), namespace)

    async def _can_evict(self) -> bool:
        """Whether the server knows the subresource. Kubernetes: CheckEvictionSupport."""
        resources = (await self._session.discovery.discover()).resources()
        return any(one.resource.resource == "pods/eviction" and one.resource.group == "" for one in resources)

    def _is_late(self) -> bool:
        return asyncio.get_running_loop().time() >= self._deadline

    # One by one, with leave.

    async def _evict(self, pod: Pod) -> None:
        from localplane.apimachinery.errors import APIError, NotFound

        after = " (server dry run)" if self._mode == "server" else ""
        while True:
            self._session.write(f"evicting pod {place(pod)}{after}\n")
            self._session.flush()
            if self._is_late():
                self._give_up(pod)
            try:
                await self._ask_to_leave(pod)
                break
            except NotFound:
                return
            except APIError as error:
                if not await self._may_try_again(pod, error):
                    break
            pod = await self._fresh(pod)
        if self._mode == "server":
            return
        name, namespace = name_of(pod)
        try:
            await self._until_gone([pod], "evicted", "eviction failed")
        except KctlError as error:
            where = f"pod {go_quote(name)} in namespace {go_quote(namespace)}"
            raise KctlError(f"error when waiting for {where} to terminate: {error}") from error

    async def _ask_to_leave(self, pod: Pod) -> None:
        name, namespace = name_of(pod)
        eviction = {
            "kind": "Eviction",
            "apiVersion": "policy/v1",
            "metadata": {"name": name, "namespace": namespace},
            "deleteOptions": self._delete_options(),
        }
        await self._pods(namespace).create(eviction, name=name, subresource="eviction")

    async def _may_try_again(self, pod: Pod, error: APIError) -> bool:
        """After a pause; False if it goes without our help. Raises what can't be helped."""
        from localplane.apimachinery.errors import TooManyRequests

        name, namespace = map(go_quote, name_of(pod))
        if isinstance(error, TooManyRequests):
            where = f"pods/{name} -n {namespace}"
        elif _is_ending(error):
            if pod["metadata"].get("deletionTimestamp"):
                return False
            where = f"pod {name} from terminating namespace {namespace}"
        else:
            raise KctlError(f"error when evicting pods/{name} -n {namespace}: {error.message}") from error
        self._session.say(f"error when evicting {where} (will retry after 5s): {error.message}\n")
        await asyncio.sleep(_RETRY_AFTER)
        return True

    async def _fresh(self, pod: Pod) -> Pod:
        from localplane.apimachinery.errors import APIError

        name, namespace = name_of(pod)
        try:
            return await self._pods(namespace).get(name)
        except APIError:
            return pod  # the next attempt will tell

    def _give_up(self, pod: Pod) -> NoReturn:
        from datetime import timedelta

        from localplane.apimachinery.times import format_duration

        name, namespace = map(go_quote, name_of(pod))
        limit = format_duration(timedelta(seconds=self._given.seconds("timeout")))
        raise KctlError(f"error when evicting pods/{name} -n {namespace}: global timeout reached: {limit}")

    def _delete_options(self) -> dict[str, Any]:
        options: dict[str, Any] = {}
        if self._given.number("grace-period") >= 0:
            options["gracePeriodSeconds"] = self._given.number("grace-period")
        if self._mode == "server":
            options["dryRun"] = ["All"]
        return options

    # All of them, whatever anybody says.

    async def _delete(self, pods: list[Pod]) -> None:
        from contextlib import suppress

        from localplane.apimachinery.errors import NotFound

        grace = self._given.number("grace-period")
        for pod in pods:
            name, namespace = name_of(pod)
            with suppress(NotFound):
                await self._pods(namespace).delete(
                    name, grace_period_seconds=grace if grace >= 0 else None, dry_run=self._mode == "server"
                )
        if self._mode != "server":
            await self._until_gone(pods, "deleted", "deletion failed")

    async def _until_gone(self, pods: list[Pod], done: str, failed: str) -> None:
        from localplane.apimachinery.errors import APIError

        while True:
            left = []
            for pod in pods:
                try:
                    if not await self._is_gone(pod, done):
                        left.append(pod)
                except APIError as error:
                    self._print(pod, failed)
                    raise KctlError(error.message) from error
            pods = left
            if not pods:
                return
            if asyncio.get_running_loop().time() + _PAUSE >= self._deadline:
                await asyncio.sleep(max(0.0, self._deadline - asyncio.get_running_loop().time()))
                raise KctlError(_TOO_LATE)
            await asyncio.sleep(_PAUSE)

    async def _is_gone(self, pod: Pod, done: str) -> bool:
        """Or about to be, if nobody wants to wait for it."""
        from localplane.apimachinery.errors import NotFound

        name, namespace = name_of(pod)
        limit = self._given.number("skip-wait-for-delete-timeout")
        try:
            current = await self._pods(namespace).get(name)
        except NotFound:
            current = {"metadata": {}}
        if current["metadata"].get("uid") != pod["metadata"].get("uid"):
            self._print(pod, done)
            return True
        if is_going(current, limit):
            self._session.write(f"pod {go_quote(name)} has DeletionTimestamp older than {limit} seconds, skipping\n")
            return True
        return False

    def _print(self, pod: Pod, operation: str) -> None:
        from kctl.printers.objects import NamePrinter

        NamePrinter(operation, short=False).print(
            {**pod, "kind": "Pod", "apiVersion": "v1"}, self._session.write_object
        )
        self._session.flush()


def _is_ending(error: APIError) -> bool:
    """Whether the namespace is on its way out."""
    from localplane.apimachinery.errors import Forbidden

    causes = (error.status().get("details") or {}).get("causes") or ()
    return isinstance(error, Forbidden) and any(cause.get("reason") == "NamespaceTerminating" for cause in causes)
