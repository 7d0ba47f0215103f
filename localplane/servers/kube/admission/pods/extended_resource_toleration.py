"""ExtendedResourceToleration: who asks for a device tolerates the nodes that are kept for it. Off unless asked for.

Kubernetes: plugin/pkg/admission/extendedresourcetoleration.
"""

from __future__ import annotations

from typing import Any

from localplane.apiserver.admission import Attributes
from localplane.catalog.core.pods.validation.resources import is_extended
from localplane.servers.kube.admission.plugin import PODS, WRITES, SelectivePlugin, spec, written


class ExtendedResourceToleration(SelectivePlugin):
    name = "ExtendedResourceToleration"
    operations = WRITES
    resources = (PODS,)

    async def admit(self, attributes: Attributes) -> None:
        if attributes.subresource:
            return
        pod = spec(written(attributes))
        names = {
            name
            for container in (*(pod.get("containers") or ()), *(pod.get("initContainers") or ()))
            for name in (container.get("resources") or {}).get("requests") or ()
            if is_extended(name)
        }
        for name in sorted(names):
            pod["tolerations"] = _with(pod.get("tolerations") or [], name)


def _with(tolerations: list[dict[str, Any]], key: str) -> list[dict[str, Any]]:
    wanted = {"key": key, "operator": "Exists", "effect": "NoSchedule"}
    replaced = [wanted if _is_same(each, wanted) else each for each in tolerations]
    return replaced if wanted in replaced else [*tolerations, wanted]


def _is_same(toleration: dict[str, Any], wanted: dict[str, Any]) -> bool:
    """But for how long. Kubernetes: Toleration.MatchToleration."""
    return all(toleration.get(field, "") == wanted.get(field, "") for field in ("key", "effect", "operator", "value"))
