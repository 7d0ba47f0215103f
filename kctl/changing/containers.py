"""Containers by name, with `*` for any part of it. Kubernetes: kubectl/pkg/cmd/set/helper.go, selectContainers."""

from __future__ import annotations

from localplane.apimachinery.objects import JSONObject


def selected(spec: JSONObject, pattern: str) -> list[JSONObject]:
    """Of a pod: containers first, then those that run before them."""
    every = [*(spec.get("containers") or ()), *(spec.get("initContainers") or ())]
    return [container for container in every if _matches(str(container.get("name", "")), pattern)]


def _matches(name: str, pattern: str) -> bool:
    """kubectl's own rules, which are a little narrower than a shell's."""
    if pattern == "*":
        return True
    if "*" not in pattern:
        return name == pattern
    position = 0
    parts = pattern.split("*")
    for index, part in enumerate(parts):
        if not part:
            continue
        found = name[position:].find(part)
        is_last = index == len(parts) - 1
        if found < position or (index == 0 and position) or (is_last and len(name) != len(part) + found):
            return False
        position = found
    return True
