"""Claims of persistent volumes as their specs ask for them: in a pod's ephemeral volumes, and in claims themselves."""

from __future__ import annotations

from collections.abc import Iterator

from localplane.apimachinery.fieldpath import FieldError, Path, forbidden, invalid, required
from localplane.apimachinery.names import dns1123_label, dns1123_subdomain
from localplane.apimachinery.objectmeta import validate_annotations, validate_labels
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.quantity import parse
from localplane.catalog.validation.selectors import selector_errors
from localplane.catalog.validation.values import one_of

from .names import invalid_each, missing_errors

ACCESS_MODES = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
_ALONE = "ReadWriteOncePod"
# Everything that metadata has beside labels and annotations, as Go's reflection calls it.
_REFUSED = {
    "name": "name",
    "generateName": "generateName",
    "namespace": "namespace",
    "selfLink": "selfLink",
    "uid": "uID",
    "resourceVersion": "resourceVersion",
    "generation": "generation",
    "creationTimestamp": "creationTimestamp",
    "deletionTimestamp": "deletionTimestamp",
    "deletionGracePeriodSeconds": "deletionGracePeriodSeconds",
    "ownerReferences": "ownerReferences",
    "finalizers": "finalizers",
    "managedFields": "managedFields",
}


def claim_template_errors(template: JSONObject, path: Path) -> Iterator[FieldError]:
    yield from template_metadata_errors(template.get("metadata") or {}, path / "metadata")
    yield from claim_spec_errors(template.get("spec") or {}, path / "spec")


def template_metadata_errors(metadata: JSONObject, path: Path) -> Iterator[FieldError]:
    """Metadata of an object that the server will name itself. Kubernetes: ValidateTemplateObjectMeta."""
    yield from validate_annotations(metadata.get("annotations"), path / "annotations")
    yield from validate_labels(metadata.get("labels"), path / "labels")
    for field, called in _REFUSED.items():
        if metadata.get(field):
            yield forbidden(path / called, "cannot be set")


def claim_spec_errors(spec: JSONObject, path: Path) -> Iterator[FieldError]:
    """Kubernetes: ValidatePersistentVolumeClaimSpec."""
    modes = spec.get("accessModes") or ()
    if not modes:
        yield required(path / "accessModes", "at least 1 access mode is required")
    yield from selector_errors(spec.get("selector"), path / "selector")
    for mode in modes:
        yield from one_of(mode, ACCESS_MODES, path / "accessModes")
    if _ALONE in modes and any(mode != _ALONE and mode in ACCESS_MODES for mode in modes):
        yield forbidden(path / "accessModes", "may not use ReadWriteOncePod with other access modes")
    yield from _storage_errors(spec, (path / "resources")["storage"])
    yield from _class_errors(spec, path, "storageClassName")
    if (mode := spec.get("volumeMode")) is not None:
        yield from one_of(mode, ("Block", "Filesystem"), path / "volumeMode")
    yield from _source_errors(spec, path)
    yield from _class_errors(spec, path, "volumeAttributesClassName")


def _storage_errors(spec: JSONObject, path: Path) -> Iterator[FieldError]:
    amount = ((spec.get("resources") or {}).get("requests") or {}).get("storage")
    if amount is None:
        yield required(path)
    elif parse(amount).sign <= 0:
        yield invalid(path, amount, "must be greater than zero")


def _class_errors(spec: JSONObject, path: Path, field: str) -> Iterator[FieldError]:
    if name := spec.get(field):
        yield from invalid_each(path / field, name, dns1123_subdomain(name))


def _source_errors(spec: JSONObject, path: Path) -> Iterator[FieldError]:
    source, reference = spec.get("dataSource"), spec.get("dataSourceRef")
    if source is not None:
        yield from _object_errors(source, path / "dataSource")
    if reference is not None:
        yield from _object_errors(reference, path / "dataSourceRef")
        if namespace := reference.get("namespace"):
            yield from invalid_each(path / "dataSourceRef" / "namespace", namespace, dns1123_label(namespace))
    if source is None or reference is None:
        return
    # The value is a path, of which JSON shows nothing.
    if reference.get("namespace"):
        yield invalid(path, {}, "may not be specified when dataSourceRef.namespace is specified")
    elif any(source.get(field) != reference.get(field) for field in ("apiGroup", "kind", "name")):
        yield invalid(path, {}, "must match dataSourceRef")


def _object_errors(reference: JSONObject, path: Path) -> Iterator[FieldError]:
    yield from missing_errors(reference, path, "name", "kind")
    group, kind = reference.get("apiGroup") or "", reference.get("kind", "")
    if not group and kind != "PersistentVolumeClaim":
        yield invalid(path, kind or "", "must be 'PersistentVolumeClaim' when referencing the default apiGroup")
    if group:
        yield from invalid_each(path / "apiGroup", group, dns1123_subdomain(group))
