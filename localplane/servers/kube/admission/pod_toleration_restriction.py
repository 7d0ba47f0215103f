"""PodTolerationRestriction: what pods of a namespace tolerate, and may. Off unless asked for.

There is no configuration file: only what a namespace's annotations say holds. Kubernetes:
plugin/pkg/admission/podtolerationrestriction.
"""

from __future__ import annotations

from typing import Final

import orjson

from localplane.apimachinery.errors import InternalError, NotFound
from localplane.apimachinery.groups import GroupResource
from localplane.apiserver.admission import Attributes, Operation
from localplane.catalog.core.pods.qos import BEST_EFFORT, qos_class

from .plugin import PODS, WRITES, LookingPlugin, SelectivePlugin, annotations_of, spec, written
from .tolerations import Toleration, are_all_covered, merged

_DEFAULT: Final = "scheduler.alpha.kubernetes.io/defaultTolerations"
_ALLOWED: Final = "scheduler.alpha.kubernetes.io/tolerationsWhitelist"
_MEMORY_PRESSURE: Final = {
    "key": "node.kubernetes.io/memory-pressure",
    "operator": "Exists",
    "effect": "NoSchedule",
}


class PodTolerationRestriction(LookingPlugin, SelectivePlugin):
    name = "PodTolerationRestriction"
    operations = WRITES
    resources = (PODS,)

    async def admit(self, attributes: Attributes) -> None:
        if attributes.subresource:
            return
        pod = written(attributes)
        is_new = attributes.operation is Operation.CREATE
        more = await self._tolerations(attributes, _DEFAULT) if is_new else []
        if qos_class(pod) != BEST_EFFORT:
            more = [*more, dict(_MEMORY_PRESSURE)]
        if more:
            spec(pod)["tolerations"] = merged(spec(pod).get("tolerations") or [], more)
        await self.validate(attributes)

    async def validate(self, attributes: Attributes) -> None:
        if attributes.subresource:
            return
        given = spec(written(attributes)).get("tolerations") or []
        if given and not are_all_covered(given, await self._tolerations(attributes, _ALLOWED)):
            raise InternalError.of(
                "pod tolerations (possibly merged with namespace default tolerations) conflict with its namespace "
                "whitelist"
            )

    async def _tolerations(self, attributes: Attributes, annotation: str) -> list[Toleration]:
        namespace = await self.objects.get("namespaces", "", attributes.namespace)
        if namespace is None:
            raise NotFound.of(GroupResource("", "namespaces"), attributes.namespace)
        text = annotations_of(namespace).get(annotation, "")
        try:
            found: list[Toleration] = orjson.loads(text) if text else []
        except orjson.JSONDecodeError as error:
            raise InternalError.of(str(error)) from error
        return found
