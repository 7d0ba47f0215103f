"""Moving a node's pods away. Kubernetes: kubectl/pkg/drain."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from kctl.errors import KctlError, raise_all
from localplane.apimachinery.gotext import go_quote

if TYPE_CHECKING:
    from kctl.flags import Given
    from kctl.session import Session
    from localplane.client.resources import ResourceClient

Pod = dict[str, Any]

_MIRROR = "kubernetes.io/config.mirror"
_PAUSE = 1.0
_RETRY_AFTER = 5.0


class Verdict(NamedTuple):
    """What becomes of a pod, and what is said about it."""

    goes: bool
    warning: str = ""
    problem: str = ""


class Evicting:
    def __init__(self, session: Session, given: Given, mode: str) -> None:
        self._session = session
        self._given = given
        self._mode = mode

    def _pods(self, namespace: str) -> ResourceClient:
        from localplane.client.names import GroupVersionResource

        return self._session.client.resource(GroupVersionResource("", "v1", "pods"), namespace)

    async def plan(self, node: str) -> list[Pod]:
        """The pods that have to go. Raises KctlErrors for those that must not."""
        from localplane.client.options import ListOptions

        options = ListOptions(label_selector=self._given.text("pod-selector"), field_selector=f"spec.nodeName={node}")
        pods = (await self._pods("").list(options)).get("items") or []
        verdicts = [(pod, await self._verdict(pod)) for pod in pods]
        problems: dict[str, list[str]] = {}
        warnings: dict[str, list[str]] = {}
        for pod, verdict in verdicts:
            if verdict.problem:
                problems.setdefault(verdict.problem, []).append(_place(pod))
            if verdict.warning:
                warnings.setdefault(verdict.warning, []).append(_place(pod))
        if problems:
            raise_all([KctlError(f"cannot delete {why}: {', '.join(names)}") for why, names in problems.items()])
        if warnings:
            self._session.warn("; ".join(f"{why}: {', '.join(names)}" for why, names in warnings.items()))
        return [pod for pod, verdict in verdicts if verdict.goes]

    async def _verdict(self, pod: Pod) -> Verdict:
        metadata = pod.get("metadata") or {}
        if self._is_going(pod) or _MIRROR in (metadata.get("annotations") or {}):
            return Verdict(goes=False)
        ended = (pod.get("status") or {}).get("phase") in ("Succeeded", "Failed")
        owner = next((one for one in metadata.get("ownerReferences") or () if one.get("controller")), None)
        if ended:
            return Verdict(goes=True)
        if owner is not None and (owner.get("apiVersion"), owner.get("kind")) == ("apps/v1", "DaemonSet"):
            verdict = await self._of_daemon_set(metadata.get("namespace", ""), owner.get("name", ""))
            if not verdict.goes:
                return verdict
        if any(volume.get("emptyDir") is not None for volume in (pod.get("spec") or {}).get("volumes") or ()):
            if not self._given.is_on("delete-emptydir-data"):
                return Verdict(goes=False, problem="Pods with local storage (use --delete-emptydir-data to override)")
            if owner is not None:
                return Verdict(goes=True, warning="deleting Pods with local storage")
        if owner is not None:
            return Verdict(goes=True)
        if self._given.is_on("force"):
            return Verdict(goes=True, warning="deleting Pods that declare no controller")
        return Verdict(goes=False, problem="Pods that declare no controller (use --force to override)")

    async def _of_daemon_set(self, namespace: str, name: str) -> Verdict:
        from localplane.apimachinery.errors import APIError, NotFound
        from localplane.client.names import GroupVersionResource

        try:
            await self._session.client.resource(GroupVersionResource("apps", "v1", "daemonsets"), namespace).get(name)
        except APIError as error:
            if isinstance(error, NotFound) and self._given.is_on("force"):
                return Verdict(goes=True, warning=error.message)
            return Verdict(goes=False, problem=error.message)
        if not self._given.is_on("ignore-daemonsets"):
            return Verdict(goes=False, problem="DaemonSet-managed Pods (use --ignore-daemonsets to ignore)")
        return Verdict(goes=False, warning="ignoring DaemonSet-managed Pods")

    def _is_going(self, pod: Pod) -> bool:
        """For so long that nobody waits for it any more."""
        from datetime import UTC, datetime

        from localplane.apimachinery.times import parse_time

        limit = self._given.number("skip-wait-for-delete-timeout")
        since = (pod.get("metadata") or {}).get("deletionTimestamp")
        return bool(limit > 0 and since and (datetime.now(UTC) - parse_time(since)).total_seconds() > limit)

    async def move(self, pods: list[Pod]) -> None:
        """All at once. Raises all that went wrong."""
        if self._mode == "client":
            for pod in pods:
                self._session.write(f"evicting pod {_place(pod)} (dry run)\n")
            return
        act = self._delete if self._given.is_on("disable-eviction") else self._evict
        results = await asyncio.gather(*(self._bounded(act, pod) for pod in pods))
        raise_all([error for error in results if error is not None])

    async def _bounded(self, act: Callable[[Pod], Awaitable[None]], pod: Pod) -> KctlError | None:
        from localplane.apimachinery.errors import APIError

        seconds = self._given.seconds("timeout")
        name, namespace = _name(pod)
        where = f"error when evicting pods/{go_quote(name)} -n {go_quote(namespace)}"
        try:
            async with asyncio.timeout(seconds or None):
                await act(pod)
        except TimeoutError:
            return KctlError(f"{where}: global timeout reached: {seconds:g}s")
        except APIError as error:
            return KctlError(f"{where}: {error.message}")
        return None

    async def _evict(self, pod: Pod) -> None:
        from localplane.apimachinery.errors import NotFound, TooManyRequests

        name, namespace = _name(pod)
        eviction = {
            "kind": "Eviction",
            "apiVersion": "policy/v1",
            "metadata": {"name": name, "namespace": namespace},
            "deleteOptions": self._delete_options(),
        }
        after = " (server dry run)" if self._mode == "server" else ""
        while True:
            self._session.write(f"evicting pod {_place(pod)}{after}\n")
            try:
                await self._pods(namespace).create(eviction, name=name, subresource="eviction")
                break
            except NotFound:
                return
            except TooManyRequests as error:
                self._session.say(
                    f"error when evicting pods/{go_quote(name)} -n {go_quote(namespace)} "
                    f"(will retry after 5s): {error.message}\n"
                )
                await asyncio.sleep(_RETRY_AFTER)
        if self._mode != "server":
            await self._until_gone(pod, "evicted")

    def _delete_options(self) -> dict[str, Any]:
        options: dict[str, Any] = {}
        if self._given.number("grace-period") >= 0:
            options["gracePeriodSeconds"] = self._given.number("grace-period")
        if self._mode == "server":
            options["dryRun"] = ["All"]
        return options

    async def _delete(self, pod: Pod) -> None:
        from localplane.apimachinery.errors import NotFound

        name, namespace = _name(pod)
        grace = self._given.number("grace-period")
        with contextlib.suppress(NotFound):
            await self._pods(namespace).delete(
                name, grace_period_seconds=grace if grace >= 0 else None, dry_run=self._mode == "server"
            )
        if self._mode != "server":
            await self._until_gone(pod, "deleted")

    async def _until_gone(self, pod: Pod, done: str) -> None:
        from kctl.printers.objects import NamePrinter
        from localplane.apimachinery.errors import NotFound

        name, namespace = _name(pod)
        while True:
            try:
                current = await self._pods(namespace).get(name)
            except NotFound:
                break
            if current["metadata"].get("uid") != pod["metadata"].get("uid"):
                break
            if self._is_going(current):
                limit = self._given.number("skip-wait-for-delete-timeout")
                self._session.write(f"pod {name} has DeletionTimestamp older than {limit} seconds, skipping\n")
                return
            await asyncio.sleep(_PAUSE)
        NamePrinter(done, short=False).print({**pod, "kind": "Pod", "apiVersion": "v1"}, self._session.write)


def _name(pod: Pod) -> tuple[str, str]:
    metadata = pod.get("metadata") or {}
    return str(metadata.get("name", "")), str(metadata.get("namespace", ""))


def _place(pod: Pod) -> str:
    name, namespace = _name(pod)
    return f"{namespace}/{name}"
