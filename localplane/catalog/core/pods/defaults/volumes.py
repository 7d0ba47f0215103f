"""Volumes: each source has a few fields of its own that are never left open."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .containers import default_field_ref, pull_policy
from .resources import default_resources

_FILE_MODE = 0o644
_TOKEN_SECONDS = 3600

# Set when absent.
_SOURCES: dict[str, dict[str, Any]] = {
    "hostPath": {"type": ""},
    "secret": {"defaultMode": _FILE_MODE},
    "configMap": {"defaultMode": _FILE_MODE},
    "downwardAPI": {"defaultMode": _FILE_MODE},
    "projected": {"defaultMode": _FILE_MODE},
    "iscsi": {"iscsiInterface": "default"},
    "rbd": {"pool": "rbd", "user": "admin", "keyring": "/etc/ceph/keyring"},
    "azureDisk": {"cachingMode": "ReadWrite", "fsType": "ext4", "readOnly": False, "kind": "Shared"},
    "scaleIO": {"storageMode": "ThinProvisioned", "fsType": "xfs"},
}
# Of these, the ones in which an empty text is as good as none.
_EMPTY_IS_ABSENT = frozenset({"iscsi", "rbd", "scaleIO"})


def default_volume(volume: dict[str, Any]) -> None:
    """A volume that says only its name is an empty directory."""
    if not any(field != "name" for field in volume):
        volume["emptyDir"] = {}
    for name, source in volume.items():
        if name == "name":
            continue
        for field, value in _SOURCES.get(name, {}).items():
            if field not in source or (not source[field] and name in _EMPTY_IS_ABSENT):
                source[field] = value
        if name in _DEEPER:
            _DEEPER[name](source)


def _default_files(source: dict[str, Any]) -> None:
    for item in source.get("items") or ():
        default_field_ref(item.get("fieldRef"))


def _default_projected(source: dict[str, Any]) -> None:
    for part in source.get("sources") or ():
        _default_files(part.get("downwardAPI") or {})
        if (token := part.get("serviceAccountToken")) is not None:
            token.setdefault("expirationSeconds", _TOKEN_SECONDS)


def _default_ephemeral(source: dict[str, Any]) -> None:
    if (template := source.get("volumeClaimTemplate")) is not None:
        default_claim_spec(template.setdefault("spec", {}))


def default_claim_spec(spec: dict[str, Any]) -> None:
    """A PersistentVolumeClaim's spec, wherever it stands. Kubernetes: SetDefaults_PersistentVolumeClaimSpec."""
    spec.setdefault("volumeMode", "Filesystem")
    default_resources(spec.get("resources"))


def _default_image(source: dict[str, Any]) -> None:
    if not source.get("pullPolicy"):
        source["pullPolicy"] = pull_policy(source.get("reference") or "")


_DEEPER: dict[str, Callable[[dict[str, Any]], None]] = {
    "downwardAPI": _default_files,
    "projected": _default_projected,
    "ephemeral": _default_ephemeral,
    "image": _default_image,
}
