"""What may change of a volume. Kubernetes: pkg/apis/core/validation, ValidatePersistentVolumeUpdate."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, forbidden, invalid
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import copied, same
from localplane.catalog.internal_form import diff, internal_form
from localplane.catalog.validation.metadata import IMMUTABLE, immutable_errors

from .sources import SOURCES
from .validation import SPEC

# Labels of nodes that have lost their beta, which a volume's affinity may follow.
_RENAMED = {
    "failure-domain.beta.kubernetes.io/zone": "topology.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
    "beta.kubernetes.io/os": "kubernetes.io/os",
    "beta.kubernetes.io/arch": "kubernetes.io/arch",
    "beta.kubernetes.io/instance-type": "node.kubernetes.io/instance-type",
}


def persistent_volume_change_errors(volume: JSONObject, old: JSONObject) -> Iterator[FieldError]:
    spec, before = volume.get("spec") or {}, old.get("spec") or {}
    yield from _source_change_errors(_source(spec), _source(before))
    yield from immutable_errors(spec.get("volumeMode"), before.get("volumeMode"), Path("volumeMode"))
    if (affinity := before.get("nodeAffinity")) is not None:
        yield from _affinity_change_errors(spec.get("nodeAffinity"), affinity)
    field = "volumeAttributesClassName"
    if before.get(field) is not None and spec.get(field) is None:
        yield forbidden(SPEC / field, "update from non-nil value to nil is forbidden")


def _source(spec: JSONObject) -> dict[str, Any]:
    return {kind: spec[kind] for kind in SOURCES if spec.get(kind) is not None}


def _source_change_errors(source: dict[str, Any], before: dict[str, Any]) -> Iterator[FieldError]:
    """It stays, but for the secret to expand it by, which may be told later."""
    csi, old_csi = source.get("csi"), before.get("csi")
    if csi is not None and old_csi is not None and "controllerExpandSecretRef" not in old_csi:
        source = source | {"csi": {name: csi[name] for name in csi if name != "controllerExpandSecretRef"}}
    if not same(source, before):
        changed = diff(before, source, "core.PersistentVolumeSource")
        told = f"spec.persistentvolumesource is immutable after creation\n{changed}"
        yield forbidden(SPEC / "persistentvolumesource", told)


def _affinity_change_errors(affinity: JSONObject | None, before: JSONObject) -> Iterator[FieldError]:
    if not same(affinity, _renamed(before, affinity)):
        shown = internal_form(affinity, "*core.VolumeNodeAffinity")
        yield invalid(Path("nodeAffinity"), shown, f"{IMMUTABLE}, except for updating from beta label to GA")


def _renamed(before: JSONObject, affinity: JSONObject | None) -> JSONObject:
    """The old affinity, with labels renamed where the new one has renamed them."""
    renamed: dict[str, Any] = copied(before)
    for new_term, old_term in zip(_terms(affinity or {}), _terms(renamed), strict=False):
        for part in ("matchExpressions", "matchFields"):
            for new, old in zip(new_term.get(part) or (), old_term.get(part) or (), strict=False):
                if _RENAMED.get(old.get("key", "")) == new.get("key"):
                    old["key"] = new["key"]
    return renamed


def _terms(affinity: JSONObject) -> list[dict[str, Any]]:
    return (affinity.get("required") or {}).get("nodeSelectorTerms") or []
