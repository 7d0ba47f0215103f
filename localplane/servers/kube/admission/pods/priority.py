"""Priority: from the name of a class to a number, for pods; and only one class is the default.

Kubernetes: plugin/pkg/admission/priority.
"""

from __future__ import annotations

from typing import Final

from localplane.apimachinery.groups import GroupResource
from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.admission import Attributes, Operation
from localplane.servers.kube.admission.plugin import (
    PODS,
    WRITES,
    LookingPlugin,
    SelectivePlugin,
    refused,
    spec,
    written,
)

_CLASSES: Final = GroupResource("scheduling.k8s.io", "priorityclasses")
_CLASSES_NAME: Final = "scheduling.k8s.io/priorityclasses"
_WITHOUT: Final[JSONObject] = {"value": 0, "preemptionPolicy": "PreemptLowerPriority", "metadata": {"name": ""}}
"""What holds where no class is the default."""


class Priority(LookingPlugin, SelectivePlugin):
    name = "Priority"
    operations = WRITES
    resources = (PODS, _CLASSES)

    async def admit(self, attributes: Attributes) -> None:
        if attributes.subresource or attributes.resource != PODS:
            return
        pod = spec(written(attributes))
        if attributes.operation is Operation.CREATE:
            await self._prioritize(attributes, pod)
        elif attributes.old_object is not None:
            before = spec(attributes.old_object)
            for field in ("priority", "preemptionPolicy"):
                if field not in pod and field in before:
                    pod[field] = before[field]

    async def validate(self, attributes: Attributes) -> None:
        if attributes.subresource or attributes.resource != _CLASSES:
            return
        priority_class = written(attributes)
        default = await self._default() if priority_class.get("globalDefault") else None
        if default is None:
            return
        name = default["metadata"]["name"]
        if attributes.operation is Operation.CREATE or name != priority_class["metadata"].get("name"):
            why = f"PriorityClass {name} is already marked as default. Only one default can exist"
            raise refused(attributes, why)

    async def _prioritize(self, attributes: Attributes, pod: JSONObject) -> None:
        chosen = await self._class_of(attributes, pod.get("priorityClassName", ""))
        if chosen["metadata"]["name"]:
            pod["priorityClassName"] = chosen["metadata"]["name"]
        value, policy = chosen.get("value", 0), chosen.get("preemptionPolicy")
        if pod.setdefault("priority", value) != value:
            why = (
                f"the integer value of priority ({pod['priority']}) must not be provided in pod spec; priority "
                f"admission controller computed {value} from the given PriorityClass name"
            )
            raise refused(attributes, why)
        if policy is not None and pod.setdefault("preemptionPolicy", policy) != policy:
            why = (
                f"the string value of PreemptionPolicy ({pod['preemptionPolicy']}) must not be provided in pod spec; "
                f"priority admission controller computed {policy} from the given PriorityClass name"
            )
            raise refused(attributes, why)

    async def _class_of(self, attributes: Attributes, name: str) -> JSONObject:
        if not name:
            return await self._default() or _WITHOUT
        found = await self.objects.get(_CLASSES_NAME, "", name)
        if found is None:
            raise refused(attributes, f"no PriorityClass with name {name} was found")
        return found

    async def _default(self) -> JSONObject | None:
        """If there are several after all, the lowest."""
        marked = [each for each in await self.objects.list(_CLASSES_NAME) if each.get("globalDefault")]
        return min(marked, key=lambda each: int(each.get("value", 0)), default=None)
