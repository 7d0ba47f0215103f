"""Fields of the pod spec that exist in the schema and are switched off by default: a server takes and forgets them.

Kinds that carry a pod spec call this when they prepare an object for creation or update.
Kubernetes: pkg/api/pod, DropDisabledPodFields, with the feature gates as they are in the release.
"""

from __future__ import annotations

from typing import Any

# The old way to say initContainers, before Kubernetes 1.8.
_ANNOTATIONS = tuple(
    f"pod.{stage}.kubernetes.io/{what}"
    for stage in ("alpha", "beta")
    for what in ("init-containers", "init-container-statuses")
)
_FILES = ("secret", "configMap", "downwardAPI", "projected")


def drop_disabled_fields(spec: dict[str, Any], metadata: dict[str, Any] | None = None) -> None:
    """`metadata` is the pod's or the template's."""
    spec.pop("schedulingGroup", None)
    spec.pop("evictionResponders", None)
    for kind in ("containers", "initContainers", "ephemeralContainers"):
        for container in spec.get(kind) or ():
            _drop_from_container(container)
    for volume in spec.get("volumes") or ():
        _drop_from_volume(volume)
    annotations = (metadata or {}).get("annotations")
    if annotations and metadata is not None:
        for key in _ANNOTATIONS:
            annotations.pop(key, None)
        if not annotations:
            del metadata["annotations"]


def _drop_from_container(container: dict[str, Any]) -> None:
    for mount in container.get("volumeMounts") or ():
        mount.pop("bindMountOptions", None)
    lifecycle = container.get("lifecycle") or {}
    if lifecycle.pop("stopSignal", None) is not None and not lifecycle:
        del container["lifecycle"]
    for name in ("livenessProbe", "readinessProbe", "startupProbe"):
        probe = container.get(name) or {}
        (probe.get("grpc") or {}).pop("mode", None)
        (probe.get("httpGet") or {}).pop("protocol", None)
    for name in ("postStart", "preStop"):
        ((lifecycle.get(name) or {}).get("httpGet") or {}).pop("protocol", None)


def _drop_from_volume(volume: dict[str, Any]) -> None:
    (volume.get("emptyDir") or {}).pop("mode", None)
    for name in _FILES:
        source = volume.get(name) or {}
        source.pop("defaultUser", None)
        for item in source.get("items") or ():
            item.pop("user", None)
        for part in source.get("sources") or ():
            for projection in part.values():
                projection.pop("user", None)
                for item in projection.get("items") or ():
                    item.pop("user", None)
