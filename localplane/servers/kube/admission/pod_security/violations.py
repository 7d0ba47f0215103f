"""What a check finds, and the words it is told with. Kubernetes: pod-security-admission/policy, helpers.go."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from localplane.servers.kube.admission.pods.pod_references import containers

JSONObject = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Violation:
    """`reason` is short and without names, `detail` says which part of the pod it is."""

    reason: str
    detail: str

    def __str__(self) -> str:
        return f"{self.reason} ({self.detail})" if self.detail else self.reason


Check = Callable[[JSONObject, JSONObject], Violation | None]
"""Of a pod's metadata and spec."""


def quoted(names: Iterable[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


def counted(word: str, things: Sequence[str], *, plural: str = "") -> str:
    return word if len(things) == 1 else plural or f"{word}s"


def named(things: Sequence[str], *, word: str = "container") -> str:
    return f"{counted(word, things)} {quoted(things)}"


def security_context(part: JSONObject) -> JSONObject:
    return part.get("securityContext") or {}


def names_of(pod: JSONObject, is_meant: Callable[[JSONObject], bool]) -> list[str]:
    return [container.get("name", "") for container in containers(pod) if is_meant(container)]


@dataclass(frozen=True, slots=True)
class Setters:
    """Who sets something that is not allowed, and what."""

    names: list[str]
    values: list[str]

    def __str__(self) -> str:
        return " and ".join(self.names)


def setters(pod: JSONObject, is_bad: Callable[[JSONObject], Iterable[str]]) -> Setters:
    """`is_bad` tells the bad values of one security context: the pod's or a container's."""
    values: set[str] = set(is_bad(security_context(pod)))
    found = ["pod"] if values else []
    bad: list[str] = []
    for container in containers(pod):
        more = set(is_bad(security_context(container)))
        if more:
            bad.append(container.get("name", ""))
            values |= more
    if bad:
        found.append(named(bad))
    return Setters(found, sorted(values))
