"""Who answers for nodes: the server hands a log or a stream to a kubelet, and here is where one can be asked.

Kubernetes: pkg/kubelet/server, which kube-apiserver connects to over the network.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from localplane.apimachinery.errors import APIError

JSONObject = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class LogOptions:
    """What is asked for of a log: core/v1, PodLogOptions."""

    container: str
    follow: bool = False
    previous: bool = False
    timestamps: bool = False
    since: datetime | None = None
    tail_lines: int | None = None
    limit_bytes: int | None = None


class Kubelet(Protocol):
    """What answers for some of the nodes."""

    def runs(self, node: JSONObject) -> bool:
        """Whether this node is one of its own."""

    def log(self, pod: JSONObject, options: LogOptions) -> AsyncIterator[bytes]:
        """The pieces of a log as they come. Raises APIError, before the first."""

    def refuse_stream(self, pod: JSONObject, subresource: str) -> APIError:
        """Why nobody can exec, attach or forward a port."""


class KubeletConnections:
    """Known to the server before there is a kubelet: whoever comes to answer for nodes is put in. The last who came
    answers, before those who stand in."""

    def __init__(self) -> None:
        self._kubelets: list[Kubelet] = []

    def add(self, kubelet: Kubelet) -> None:
        self._kubelets.append(kubelet)

    def remove(self, kubelet: Kubelet) -> None:
        self._kubelets.remove(kubelet)

    def of(self, node: JSONObject) -> Kubelet | None:
        return next((kubelet for kubelet in reversed(self._kubelets) if kubelet.runs(node)), None)
