"""A spec from top to bottom, in the order in which Kubernetes warns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Final

from localplane.apimachinery.fieldpath import Path
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.quantity import parse
from localplane.catalog.core.pods.validation.annotations import APPARMOR_CONTAINER, SECCOMP_CONTAINER, SECCOMP_POD
from localplane.catalog.core.pods.validation.containers import placed_containers
from localplane.catalog.validation.addresses import ip_warnings

from .overlaps import overlap_warnings
from .placement import placement_warnings, pod_affinity_warnings
from .ports import port_warnings

_ANNOTATIONS = {
    "scheduler.alpha.kubernetes.io/critical-pod": 'non-functional in v1.16+; use the "priorityClassName" field instead',
    "security.alpha.kubernetes.io/sysctls": 'non-functional in v1.11+; use the "sysctls" field instead',
    "security.alpha.kubernetes.io/unsafe-sysctls": 'non-functional in v1.11+; use the "sysctls" field instead',
}
# In the order in which they are looked for; two of them Kubernetes spells its own way.
_VOLUMES = {
    "photonPersistentDisk": "deprecated in v1.11, non-functional in v1.16+",
    "gitRepo": "deprecated in v1.11, and disabled by default in v1.33+",
    "scaleIO": "deprecated in v1.16, non-functional in v1.22+",
    "flocker": "deprecated in v1.22, non-functional in v1.25+",
    "storageos": "deprecated in v1.22, non-functional in v1.25+",
    "quobyte": "deprecated in v1.22, non-functional in v1.25+",
    "glusterfs": "deprecated in v1.25, non-functional in v1.26+",
    "ephemeral": "",
    "cephfs": "deprecated in v1.28, non-functional in v1.31+",
    "rbd": "deprecated in v1.28, non-functional in v1.31+",
}
_SPELT = {"storageos": "storageOS"}
_SECCOMP = 'non-functional in v1.27+; use the "seccompProfile" field instead'
_APPARMOR = 'deprecated since v1.30; use the "appArmorProfile" field instead'


_MOST: Final = 1000
"""An answer has room for far fewer; every two ports that are the same would give one more."""


def pod_warnings(pod: JSONObject) -> list[str]:
    return list(islice(pod_spec_warnings(pod.get("spec") or {}, pod.get("metadata") or {}, Path()), _MOST))


def pod_template_warnings(template: JSONObject, path: Path, _before: JSONObject | None = None) -> list[str]:
    """What the template was before may be handed over, as in Kubernetes, and as there all is said again."""
    metadata, spec = template.get("metadata") or {}, template.get("spec") or {}
    return list(islice(pod_spec_warnings(spec, metadata, path, in_template=True), _MOST))


def pod_spec_warnings(
    spec: JSONObject, metadata: JSONObject, path: Path, *, in_template: bool = False
) -> Iterator[str]:
    """`path` is where pod or template stand. A pod's own AppArmor annotations are spoken of when they are converted."""
    annotations, inner = metadata.get("annotations") or {}, path / "spec"
    yield from placement_warnings(spec, inner)
    for key, message in _ANNOTATIONS.items():
        if key in annotations:
            yield f"{(path / 'metadata' / 'annotations')[key]}: {message}"
    yield from _volume_warnings(spec.get("volumes") or (), inner / "volumes")
    yield from overlap_warnings(spec.get("volumes") or ())
    yield from _name_warnings(spec, inner)
    for name in ("memory", "ephemeral-storage"):
        yield from fraction_warnings(spec.get("overhead"), name, inner / "overhead")
    if SECCOMP_POD in annotations and (spec.get("securityContext") or {}).get("seccompProfile") is None:
        yield f"{(path / 'metadata' / 'annotations')[SECCOMP_POD]}: {_SECCOMP}"
    containers = placed_containers(spec, inner)
    for place, container in containers:
        yield from _profile_warnings(
            container, spec, annotations, path / "metadata" / "annotations", in_template=in_template
        )
        yield from _container_warnings(container, place)
    yield from port_warnings(containers)
    if spec.get("terminationGracePeriodSeconds", 0) < 0:
        place = inner / "terminationGracePeriodSeconds"
        yield f"{place}: must be >= 0; negative values are invalid and will be treated as 1"
    yield from pod_affinity_warnings(spec.get("affinity") or {}, inner / "affinity")
    yield from _address_warnings(spec, inner)


def _volume_warnings(volumes: Sequence[JSONObject], path: Path) -> Iterator[str]:
    for index, volume in enumerate(volumes):
        for kind, message in _VOLUMES.items():
            if volume.get(kind) is None:
                continue
            if kind == "ephemeral":
                template = volume[kind].get("volumeClaimTemplate") or {}
                place = path[index] / kind / "volumeClaimTemplate" / "spec"
                yield from claim_spec_warnings(template.get("spec") or {}, place)
            else:
                yield f"{path[index] / _SPELT.get(kind, kind)}: {message}"


def claim_spec_warnings(spec: JSONObject, path: Path) -> Iterator[str]:
    """Kubernetes: pkg/api/persistentvolumeclaim, GetWarningsForPersistentVolumeClaimSpec."""
    for part in ("requests", "limits"):
        amounts = (spec.get("resources") or {}).get(part)
        yield from fraction_warnings(amounts, "storage", path / "resources" / part)


def fraction_warnings(amounts: Mapping[str, str] | None, name: str, path: Path) -> Iterator[str]:
    """Half a byte is more likely a slip of the pen: `100m` instead of `100M`."""
    if amounts and name in amounts and parse(amounts[name]).milli_value() % 1000:
        yield f"{path[name]}: fractional byte value {go_quote(amounts[name])} is invalid, must be an integer"


def _name_warnings(spec: JSONObject, path: Path) -> Iterator[str]:
    for field, key in (("hostAliases", "ip"), ("imagePullSecrets", "name")):
        seen: set[str] = set()
        for index, item in enumerate(spec.get(field) or ()):
            value = item.get(key, "")
            if value in seen:
                yield f"{(path / field)[index] / key}: duplicate {key} {go_quote(value)}"
            seen.add(value)
    for index, secret in enumerate(spec.get("imagePullSecrets") or ()):
        if not secret.get("name"):
            yield f'{(path / "imagePullSecrets")[index] / "name"}: invalid empty name ""'


def _profile_warnings(
    container: JSONObject, spec: JSONObject, annotations: Mapping[str, str], path: Path, *, in_template: bool
) -> Iterator[str]:
    """Annotations that say what nobody reads any more."""
    context, name = container.get("securityContext") or {}, container.get("name", "")
    key = f"{SECCOMP_CONTAINER}{name}"
    if key in annotations and context.get("seccompProfile") is None:
        yield f"{path[key]}: {_SECCOMP}"
    key = f"{APPARMOR_CONTAINER}{name}"
    if in_template and key in annotations and context.get("appArmorProfile") is None:
        of_pod = (spec.get("securityContext") or {}).get("appArmorProfile")
        if of_pod is None or of_pod != _apparmor_profile(annotations[key]):
            yield f"{path[key]}: {_APPARMOR}"


def _apparmor_profile(annotation: str) -> JSONObject | None:
    """The field that says the same. Kubernetes: pkg/api/pod, ApparmorFieldForAnnotation."""
    if annotation == "unconfined":
        return {"type": "Unconfined"}
    if annotation == "runtime/default":
        return {"type": "RuntimeDefault"}
    name = annotation.removeprefix("localhost/")
    return {"type": "Localhost", "localhostProfile": name} if name and name != annotation else None


def _container_warnings(container: JSONObject, path: Path) -> Iterator[str]:
    resources = container.get("resources") or {}
    for name in ("memory", "ephemeral-storage"):
        for part in ("limits", "requests"):
            yield from fraction_warnings(resources.get(part), name, path / "resources" / part)
    seen: set[str] = set()
    for index, variable in enumerate(container.get("env") or ()):
        name = variable.get("name", "")
        if name in seen and _hides(variable, f"$({name})"):
            hidden = f"hides previous definition of {go_quote(name)}, which may be dropped when using apply"
            yield f"{(path / 'env')[index]}: {hidden}"
        seen.add(name)


def _hides(variable: JSONObject, reference: str) -> bool:
    """A second definition is in order only when it goes on from the first: `X=$(X):more`."""
    value = variable.get("value", "")
    return variable.get("valueFrom") is not None or value == reference or reference not in value


def _address_warnings(spec: JSONObject, path: Path) -> Iterator[str]:
    for index, server in enumerate((spec.get("dnsConfig") or {}).get("nameservers") or ()):
        yield from ip_warnings(server, (path / "dnsConfig" / "nameservers")[index])
    for index, alias in enumerate(spec.get("hostAliases") or ()):
        yield from ip_warnings(alias.get("ip", ""), (path / "hostAliases")[index] / "ip")
