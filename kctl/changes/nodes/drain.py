"""Which pods have to leave a node, and which must not. Kubernetes: kubectl/pkg/drain/filters.go.

Moving a node's pods away. Kubernetes: kubectl/pkg/drain/drain.go.
"""

from __future__ import annotations

import asyncio
import datetime as dt
from contextlib import suppress
from typing import Any, NamedTuple, NoReturn

from kctl.command_line.flags import FlagSet
from kctl.errors import KctlError, SeveralErrors
from kctl.printers.objects import NamePrinter
from kctl.session.session import Session
from localplane.apimachinery import times
from localplane.apimachinery.errors import APIError, Forbidden, NotFound, TooManyRequests
from localplane.apimachinery.golang.text import go_quote
from localplane.client.rest import options as rest_options
from localplane.client.rest import resources
from localplane.client.rest.names import GroupVersionResource

Pod = dict[str, Any]

_MIRROR = "kubernetes.io/config.mirror"


class Verdict(NamedTuple):
    """What becomes of a pod, and what is said about it."""

    goes: bool
    warning: str = ""
    problem: str = ""


class Chosen(NamedTuple):
    """`problems` are for pods that must not go without another flag; then none should."""

    pods: list[Pod]
    warning: str
    problems: list[KctlError]


def place(pod: Pod) -> str:
    name, namespace = name_of(pod)
    return f"{namespace}/{name}"


def name_of(pod: Pod) -> tuple[str, str]:
    metadata = pod.get("metadata") or {}
    return str(metadata.get("name", "")), str(metadata.get("namespace", ""))


def is_going(pod: Pod, limit: int) -> bool:
    """For so many seconds that nobody waits for it any more."""
    since = (pod.get("metadata") or {}).get("deletionTimestamp")
    return bool(
        limit > 0 and since and int((dt.datetime.now(dt.UTC) - times.parse_time(since)).total_seconds()) > limit
    )


class Choosing:
    def __init__(self, session: Session, flags: FlagSet) -> None:
        self._session = session
        self._flags = flags

    async def choose(self, node: str) -> Chosen:
        """Of the pods on a node."""
        verdicts = [(pod, await self._verdict(pod)) for pod in await self._on(node)]
        problems: dict[str, list[str]] = {}
        warnings: dict[str, list[str]] = {}
        for pod, verdict in verdicts:
            if verdict.problem:
                problems.setdefault(verdict.problem, []).append(place(pod))
            if verdict.warning:
                warnings.setdefault(verdict.warning, []).append(place(pod))
        return Chosen(
            [pod for pod, verdict in verdicts if verdict.goes],
            "; ".join(f"{why}: {', '.join(names)}" for why, names in warnings.items()),
            [KctlError(f"cannot delete {why}: {', '.join(names)}") for why, names in problems.items()],
        )

    async def _on(self, node: str) -> list[Pod]:
        pods = self._session.client.resource(GroupVersionResource("", "v1", "pods"), "")
        found: list[Pod] = []
        token = ""
        while True:
            options = rest_options.ListOptions(
                label_selector=self._flags.text("pod-selector"),
                field_selector=f"spec.nodeName={node}",
                limit=self._flags.number("chunk-size"),
                continue_token=token,
            )
            page = await pods.list(options)
            found += page.get("items") or ()
            token = str((page.get("metadata") or {}).get("continue") or "")
            if not token:
                return found

    async def _verdict(self, pod: Pod) -> Verdict:
        """The rules in kubectl's order. What a later one says about a pod that goes takes the place of a warning."""
        metadata = pod.get("metadata") or {}
        if is_going(pod, self._flags.number("skip-wait-for-delete-timeout")):
            return Verdict(goes=False)
        ended = (pod.get("status") or {}).get("phase") in ("Succeeded", "Failed")
        owner = next((one for one in metadata.get("ownerReferences") or () if one.get("controller")), None)
        is_daemon = owner is not None and (owner.get("apiVersion"), owner.get("kind")) == ("apps/v1", "DaemonSet")
        if owner is not None and is_daemon and not ended:
            verdict = await self._of_daemon_set(metadata.get("namespace", ""), owner.get("name", ""))
            if not verdict.goes:
                return verdict
        if _MIRROR in (metadata.get("annotations") or {}):
            return Verdict(goes=False)
        return Verdict(goes=True) if ended else self._of_running(pod, is_owned=owner is not None)

    def _of_running(self, pod: Pod, *, is_owned: bool) -> Verdict:
        volumes = (pod.get("spec") or {}).get("volumes") or ()
        has_data = any(volume.get("emptyDir") is not None for volume in volumes)
        if has_data and not self._flags.is_on("delete-emptydir-data"):
            return Verdict(goes=False, problem="Pods with local storage (use --delete-emptydir-data to override)")
        if is_owned:
            return Verdict(goes=True)
        if self._flags.is_on("force"):
            return Verdict(goes=True, warning="deleting Pods that declare no controller")
        return Verdict(goes=False, problem="Pods that declare no controller (use --force to override)")

    async def _of_daemon_set(self, namespace: str, name: str) -> Verdict:
        try:
            await self._session.client.resource(GroupVersionResource("apps", "v1", "daemonsets"), namespace).get(name)
        except APIError as error:
            if isinstance(error, NotFound) and self._flags.is_on("force"):
                return Verdict(goes=True)
            return Verdict(goes=False, problem=error.message)
        if not self._flags.is_on("ignore-daemonsets"):
            return Verdict(goes=False, problem="DaemonSet-managed Pods (use --ignore-daemonsets to ignore)")
        return Verdict(goes=False, warning="ignoring DaemonSet-managed Pods")


_PAUSE = 1.0
_RETRY_AFTER = 5.0
_TOO_LATE = "context deadline exceeded"


class Evicting:
    """`mode` is --dry-run's."""

    def __init__(self, session: Session, flags: FlagSet, mode: str) -> None:
        self._session = session
        self._flags = flags
        self._mode = mode
        self._deadline = 0.0

    async def move(self, pods: list[Pod]) -> None:
        """Raises all that went wrong."""
        if not pods:
            return
        seconds = self._flags.seconds("timeout")
        self._deadline = asyncio.get_running_loop().time() + seconds if seconds else float("inf")
        if self._flags.is_on("disable-eviction") or not await self._can_evict():
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

    def _pods(self, namespace: str) -> resources.ResourceClient:
        return self._session.client.resource(GroupVersionResource("", "v1", "pods"), namespace)

    async def _can_evict(self) -> bool:
        """Whether the server knows the subresource. Kubernetes: CheckEvictionSupport."""
        resources = (await self._session.discovery.discover()).resources()
        return any(one.resource.resource == "pods/eviction" and one.resource.group == "" for one in resources)

    def _is_late(self) -> bool:
        return asyncio.get_running_loop().time() >= self._deadline

    # One by one, with leave.

    async def _evict(self, pod: Pod) -> None:
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
        name, namespace = name_of(pod)
        try:
            return await self._pods(namespace).get(name)
        except APIError:
            return pod  # the next attempt will tell

    def _give_up(self, pod: Pod) -> NoReturn:
        name, namespace = map(go_quote, name_of(pod))
        limit = times.format_duration(dt.timedelta(seconds=self._flags.seconds("timeout")))
        raise KctlError(f"error when evicting pods/{name} -n {namespace}: global timeout reached: {limit}")

    def _delete_options(self) -> dict[str, Any]:
        options: dict[str, Any] = {}
        if self._flags.number("grace-period") >= 0:
            options["gracePeriodSeconds"] = self._flags.number("grace-period")
        if self._mode == "server":
            options["dryRun"] = ["All"]
        return options

    # All of them, whatever anybody says.

    async def _delete(self, pods: list[Pod]) -> None:
        grace = self._flags.number("grace-period")
        for pod in pods:
            name, namespace = name_of(pod)
            with suppress(NotFound):
                await self._pods(namespace).delete(
                    name, grace_period_seconds=grace if grace >= 0 else None, dry_run=self._mode == "server"
                )
        if self._mode != "server":
            await self._until_gone(pods, "deleted", "deletion failed")

    async def _until_gone(self, pods: list[Pod], done: str, failed: str) -> None:
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
        name, namespace = name_of(pod)
        limit = self._flags.number("skip-wait-for-delete-timeout")
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
        NamePrinter(operation, short=False).print(
            {**pod, "kind": "Pod", "apiVersion": "v1"}, self._session.write_object
        )
        self._session.flush()


def _is_ending(error: APIError) -> bool:
    """Whether the namespace is on its way out."""
    causes = (error.status().get("details") or {}).get("causes") or ()
    return isinstance(error, Forbidden) and any(cause.get("reason") == "NamespaceTerminating" for cause in causes)
