"""All containers of a pod, in the order in which Kubernetes visits them. Kubernetes: pkg/api/pod, VisitContainers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from localplane.apimachinery.fieldpath import Path

LISTS = ("initContainers", "containers", "ephemeralContainers")


def containers(pod_spec: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for name in LISTS:
        yield from pod_spec.get(name) or ()


def containers_with_paths(pod_spec: Mapping[str, Any]) -> Iterator[tuple[dict[str, Any], Path]]:
    for name in LISTS:
        for index, container in enumerate(pod_spec.get(name) or ()):
            yield container, (Path("spec") / name)[index]
