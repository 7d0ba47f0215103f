"""AlwaysPullImages: every image is asked for with the pod's own credentials. Off unless asked for.

Kubernetes: plugin/pkg/admission/alwayspullimages.
"""

from __future__ import annotations

from typing import Final

from localplane.apimachinery.errors import Forbidden
from localplane.apimachinery.fieldpath import FieldError, Path, not_supported
from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.admission import Attributes, Operation
from localplane.servers.kube.admission.plugin import PODS, WRITES, SelectivePlugin, aggregated, refused, spec, written

from .pod_references import containers, containers_with_paths

_ALWAYS: Final = "Always"


class AlwaysPullImages(SelectivePlugin):
    name = "AlwaysPullImages"
    operations = WRITES
    resources = (PODS,)

    async def admit(self, attributes: Attributes) -> None:
        if _is_ignored(attributes):
            return
        pod = spec(written(attributes))
        for container in containers(pod):
            container["imagePullPolicy"] = _ALWAYS
        for volume in pod.get("volumes") or ():
            if "image" in volume:
                volume["image"]["pullPolicy"] = _ALWAYS

    async def validate(self, attributes: Attributes) -> None:
        if _is_ignored(attributes):
            return
        problems = [refused(attributes, str(error)).message for error in _errors(spec(written(attributes)))]
        if problems:
            raise Forbidden(aggregated(problems))


def _errors(pod: JSONObject) -> list[FieldError]:
    errors = [
        not_supported(path / "imagePullPolicy", container.get("imagePullPolicy", ""), [_ALWAYS])
        for container, path in containers_with_paths(pod)
        if container.get("imagePullPolicy") != _ALWAYS
    ]
    for index, volume in enumerate(pod.get("volumes") or ()):
        if "image" in volume and volume["image"].get("pullPolicy") != _ALWAYS:
            path = (Path("spec") / "volumes")[index] / "image" / "pullPolicy"
            errors.append(not_supported(path, volume["image"].get("pullPolicy", ""), [_ALWAYS]))
    return errors


def _is_ignored(attributes: Attributes) -> bool:
    """An update that brings no new image changes nothing of what may be pulled."""
    if attributes.subresource:
        return True
    if attributes.operation is not Operation.UPDATE or attributes.old_object is None:
        return False
    before = {container.get("image") for container in containers(spec(attributes.old_object))}
    return all(container.get("image") in before for container in containers(spec(written(attributes))))
