"""AppArmor profiles in annotations, as they were before there was a field for them.

Kubernetes: pkg/registry/core/pod, applyAppArmorVersionSkew.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from localplane.apimachinery.names import size

from .validation.annotations import APPARMOR_CONTAINER

_LOCALHOST = "localhost/"
_LONGEST_PATH = 4095
_BY_WORD = {"unconfined": {"type": "Unconfined"}, "runtime/default": {"type": "RuntimeDefault"}}


def profiles_from_annotations(pod: dict[str, Any]) -> Iterator[str]:
    """Fill in the fields that only annotations tell, and give the warnings about it. Windows has no AppArmor."""
    spec, annotations = pod.get("spec") or {}, (pod.get("metadata") or {}).get("annotations") or {}
    if (spec.get("os") or {}).get("name") == "windows":
        return
    of_pod = (spec.get("securityContext") or {}).get("appArmorProfile")
    for kind in ("initContainers", "containers", "ephemeralContainers"):
        for container in spec.get(kind) or ():
            key = f"{APPARMOR_CONTAINER}{container.get('name', '')}"
            context = container.get("securityContext") or {}
            if key not in annotations or context.get("appArmorProfile") is not None:
                continue
            profile = _profile(annotations[key])
            if profile is not None and profile != of_pod:
                container["securityContext"] = context | {"appArmorProfile": profile}
            if profile is None or profile != of_pod:
                yield f'metadata.annotations[{key}]: deprecated since v1.30; use the "appArmorProfile" field instead'


def _profile(annotation: str) -> dict[str, str] | None:
    """The field that says what an annotation says; None if the field may not say it."""
    if annotation in _BY_WORD:
        return dict(_BY_WORD[annotation])
    name = annotation.removeprefix(_LOCALHOST)
    if name == annotation or not name or name != name.strip() or size(name) > _LONGEST_PATH:
        return None
    return {"type": "Localhost", "localhostProfile": name}
