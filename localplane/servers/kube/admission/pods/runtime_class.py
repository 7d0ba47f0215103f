"""RuntimeClass: a pod has the overhead of the runtime it names, and goes where that is.

Kubernetes: plugin/pkg/admission/runtimeclass.
"""

from __future__ import annotations

from typing import Final

from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.quantity import parse
from localplane.apiserver.admission import Attributes, Operation
from localplane.servers.kube.admission.plugin import PODS, LookingPlugin, SelectivePlugin, refused, spec, written

from .pod_toleration_restriction import merged

_DIFFERS: Final = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"
_WITHOUT: Final = "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead"


class RuntimeClass(LookingPlugin, SelectivePlugin):
    name = "RuntimeClass"
    operations = (Operation.CREATE,)
    resources = (PODS,)

    async def admit(self, attributes: Attributes) -> None:
        runtime_class = await self._class_of(attributes)
        if runtime_class is None:
            return
        pod = spec(written(attributes))
        if "overhead" in runtime_class:
            overhead = runtime_class["overhead"].get("podFixed") or {}
            if pod.get("overhead") and not _equal(pod["overhead"], overhead):
                raise refused(attributes, _DIFFERS)
            if overhead:
                pod["overhead"] = dict(overhead)
        if "scheduling" in runtime_class:
            _schedule(attributes, pod, runtime_class["scheduling"])

    async def validate(self, attributes: Attributes) -> None:
        if attributes.subresource:
            return
        runtime_class = await self._class_of(attributes)
        given = spec(written(attributes)).get("overhead")
        if runtime_class is not None and "overhead" in runtime_class:
            if not _equal(given or {}, runtime_class["overhead"].get("podFixed") or {}):
                raise refused(attributes, _DIFFERS)
        elif given:
            raise refused(attributes, _WITHOUT)

    async def _class_of(self, attributes: Attributes) -> JSONObject | None:
        name = None if attributes.subresource else spec(written(attributes)).get("runtimeClassName")
        if name is None:
            return None
        found = await self.objects.get("node.k8s.io/runtimeclasses", "", name) if name else None
        if found is None:
            raise refused(attributes, f"pod rejected: RuntimeClass {go_quote(name)} not found")
        return found


def _schedule(attributes: Attributes, pod: JSONObject, scheduling: JSONObject) -> None:
    wanted, chosen = scheduling.get("nodeSelector") or {}, dict(pod.get("nodeSelector") or {})
    for key, value in sorted(wanted.items()):
        if chosen.setdefault(key, value) != value:
            why = (
                f"conflict: runtimeClass.scheduling.nodeSelector[{key}] = {value}; "
                f"pod.spec.nodeSelector[{key}] = {chosen[key]}"
            )
            raise refused(attributes, why)
    if chosen:
        pod["nodeSelector"] = chosen
    tolerations = merged(pod.get("tolerations") or [], scheduling.get("tolerations") or [])
    if tolerations:
        pod["tolerations"] = tolerations


def _equal(one: JSONObject, other: JSONObject) -> bool:
    """As amounts, however they are written."""
    return one.keys() == other.keys() and all(parse(str(one[name])) == parse(str(other[name])) for name in one)
