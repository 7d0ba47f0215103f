"""PodNodeSelector: pods of a namespace go where an annotation of it says. Off unless asked for.

There is no configuration file, so nothing holds for namespaces that say nothing. Kubernetes:
plugin/pkg/admission/podnodeselector.
"""

from __future__ import annotations

from typing import Final

from localplane.apimachinery.errors import Forbidden, NotFound
from localplane.apimachinery.groups import GroupResource
from localplane.apiserver.admission import Attributes, Operation
from localplane.servers.kube.admission.plugin import (
    PODS,
    LookingPlugin,
    SelectivePlugin,
    annotations_of,
    metadata,
    refused,
    spec,
    written,
)

_ANNOTATION: Final = "scheduler.alpha.kubernetes.io/node-selector"
_CONFLICT: Final = "pod node label selector conflicts with its namespace node label selector"


class PodNodeSelector(LookingPlugin, SelectivePlugin):
    name = "PodNodeSelector"
    operations = (Operation.CREATE,)
    resources = (PODS,)

    async def admit(self, attributes: Attributes) -> None:
        if attributes.subresource:
            return
        wanted = await self._check(attributes)
        if wanted:
            pod = spec(written(attributes))
            pod["nodeSelector"] = wanted | (pod.get("nodeSelector") or {})

    async def validate(self, attributes: Attributes) -> None:
        if not attributes.subresource:
            await self._check(attributes)

    async def _check(self, attributes: Attributes) -> dict[str, str]:
        namespace = await self.objects.get("namespaces", "", attributes.namespace)
        if namespace is None:
            raise NotFound.of(GroupResource("", "namespaces"), attributes.namespace)
        pod = written(attributes)
        try:
            wanted = _labels(annotations_of(namespace).get(_ANNOTATION, ""))
        except ValueError as error:
            raise refused(attributes, str(error)) from error
        chosen = spec(pod).get("nodeSelector") or {}
        if any(chosen.get(name, value) != value for name, value in wanted.items()):
            raise Forbidden.of(PODS, metadata(pod).get("name", ""), _CONFLICT)
        return wanted


def _labels(selector: str) -> dict[str, str]:
    """Equalities only. Kubernetes: labels.ConvertSelectorToLabelsMap. Raises ValueError."""
    found: dict[str, str] = {}
    for part in filter(None, selector.split(",")):
        name, equals, value = part.partition("=")
        if not equals or "=" in value:
            raise ValueError(f"invalid selector: {part}")
        found[name.strip()] = value.strip()
    return found
