"""Which pods have to leave a node, and which must not. Kubernetes: kubectl/pkg/drain/filters.go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from kctl.errors import KctlError

if TYPE_CHECKING:
    from kctl.flags import Given
    from kctl.session import Session

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
    from datetime import UTC, datetime

    from localplane.apimachinery.times import parse_time

    since = (pod.get("metadata") or {}).get("deletionTimestamp")
    return bool(limit > 0 and since and int((datetime.now(UTC) - parse_time(since)).total_seconds()) > limit)


class Choosing:
    def __init__(self, session: Session, given: Given) -> None:
        self._session = session
        self._given = given

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
        from localplane.client.names import GroupVersionResource
        from localplane.client.options import ListOptions

        pods = self._session.client.resource(GroupVersionResource("", "v1", "pods"), "")
        found: list[Pod] = []
        token = ""
        while True:
            options = ListOptions(
                label_selector=self._given.text("pod-selector"),
                field_selector=f"spec.nodeName={node}",
                limit=self._given.number("chunk-size"),
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
        if is_going(pod, self._given.number("skip-wait-for-delete-timeout")):
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
        if has_data and not self._given.is_on("delete-emptydir-data"):
            return Verdict(goes=False, problem="Pods with local storage (use --delete-emptydir-data to override)")
        if is_owned:
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
                return Verdict(goes=True)
            return Verdict(goes=False, problem=error.message)
        if not self._given.is_on("ignore-daemonsets"):
            return Verdict(goes=False, problem="DaemonSet-managed Pods (use --ignore-daemonsets to ignore)")
        return Verdict(goes=False, warning="ignoring DaemonSet-managed Pods")
