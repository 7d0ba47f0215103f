"""PodTolerationRestriction: what pods of a namespace tolerate, and may. Off unless asked for.

There is no configuration file: only what a namespace's annotations say holds. Kubernetes:
plugin/pkg/admission/podtolerationrestriction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import orjson

from localplane.apimachinery.errors import InternalError, NotFound
from localplane.apimachinery.groups import GroupResource
from localplane.apiserver.admission import Attributes, Operation
from localplane.catalog.core.pods.qos import BEST_EFFORT, qos_class
from localplane.servers.kube.admission.plugin import (
    PODS,
    WRITES,
    LookingPlugin,
    SelectivePlugin,
    annotations_of,
    spec,
    written,
)

# Tolerations, merged and compared. Kubernetes: pkg/util/tolerations.

Toleration = dict[str, Any]


def merged(first: Sequence[Toleration], second: Sequence[Toleration]) -> list[Toleration]:
    """Both, without those that another one covers; of equal ones the first stays."""
    everything = [*first, *second]
    kept: list[Toleration] = []
    for index, toleration in enumerate(everything):
        later = (other for other in everything[index + 1 :] if other != toleration)
        if not any(covers(other, toleration) for other in (*kept, *later)):
            kept.append(toleration)
    return kept


def are_all_covered(tolerations: Sequence[Toleration], allowed: Sequence[Toleration]) -> bool:
    return not allowed or all(any(covers(each, toleration) for each in allowed) for toleration in tolerations)


def covers(wide: Mapping[str, Any], narrow: Mapping[str, Any]) -> bool:
    """Whether the first tolerates all that the second does."""
    if wide == narrow:
        return True
    key, operator, effect = wide.get("key", ""), wide.get("operator", ""), wide.get("effect", "")
    matches_all = not key and operator == "Exists"
    if (narrow.get("key", "") != key and not matches_all) or effect not in ("", narrow.get("effect", "")):
        return False
    if effect == "NoExecute" and not _lasts(wide, narrow):
        return False
    if operator == "Exists":
        return True
    is_equal = narrow.get("operator") == "Equal" and narrow.get("value", "") == wide.get("value", "")
    return operator in ("", "Equal") and is_equal


def _lasts(wide: Mapping[str, Any], narrow: Mapping[str, Any]) -> bool:
    """At least as long."""
    seconds, needed = wide.get("tolerationSeconds"), narrow.get("tolerationSeconds")
    return seconds is None or (needed is not None and needed <= seconds)


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
