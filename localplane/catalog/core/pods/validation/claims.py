"""Claims of persistent volumes as their specs ask for them: in a pod's ephemeral volumes, and in claims themselves."""

from __future__ import annotations

from collections.abc import Iterator

from localplane.apimachinery.fieldpath import FieldError, Path, forbidden, invalid, required
from localplane.apimachinery.objectmeta import validate_annotations, validate_labels
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.quantity import parse
from localplane.catalog.validation.rules import DNS_LABEL, DNS_SUBDOMAIN, All, Fields, OneOf, Optional, Required, Struct
from localplane.catalog.validation.selectors import selector_errors

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


def template_metadata_errors(metadata: JSONObject, path: Path) -> Iterator[FieldError]:
    """Metadata of an object that the server will name itself. Kubernetes: ValidateTemplateObjectMeta."""
    yield from validate_annotations(metadata.get("annotations"), path / "annotations")
    yield from validate_labels(metadata.get("labels"), path / "labels")
    for field, called in _REFUSED.items():
        if metadata.get(field):
            yield forbidden(path / called, "cannot be set")


def _mode_errors(spec: JSONObject, path: Path) -> Iterator[FieldError]:
    modes = spec.get("accessModes") or ()
    for mode in modes:
        yield from _ACCESS_MODE(mode, path / "accessModes")
    if _ALONE in modes and any(mode != _ALONE and mode in ACCESS_MODES for mode in modes):
        yield forbidden(path / "accessModes", "may not use ReadWriteOncePod with other access modes")


def _storage_errors(spec: JSONObject, path: Path) -> Iterator[FieldError]:
    path = (path / "resources")["storage"]
    amount = ((spec.get("resources") or {}).get("requests") or {}).get("storage")
    if amount is None:
        yield required(path)
    elif parse(amount).sign <= 0:
        yield invalid(path, amount, "must be greater than zero")


def _object_errors(reference: JSONObject, path: Path) -> Iterator[FieldError]:
    yield from _NAMED(reference, path)
    group, kind = reference.get("apiGroup") or "", reference.get("kind", "")
    if not group and kind != "PersistentVolumeClaim":
        yield invalid(path, kind or "", "must be 'PersistentVolumeClaim' when referencing the default apiGroup")
    yield from _GROUPED(reference, path)


def _source_errors(spec: JSONObject, path: Path) -> Iterator[FieldError]:
    source, reference = spec.get("dataSource"), spec.get("dataSourceRef")
    if source is None or reference is None:
        return
    # The value is a path, of which JSON shows nothing.
    if reference.get("namespace"):
        yield invalid(path, {}, "may not be specified when dataSourceRef.namespace is specified")
    elif any(source.get(field) != reference.get(field) for field in ("apiGroup", "kind", "name")):
        yield invalid(path, {}, "must match dataSourceRef")


_NAMED, _GROUPED = Fields(name=Required(), kind=Required()), Fields(apiGroup=Optional(DNS_SUBDOMAIN))
_ACCESS_MODE = OneOf(*ACCESS_MODES)

CLAIM_SPEC = All(
    Fields(accessModes=Required(detail="at least 1 access mode is required"), selector=selector_errors),
    _mode_errors,
    _storage_errors,
    Fields(
        storageClassName=Optional(DNS_SUBDOMAIN),
        volumeMode=OneOf("Block", "Filesystem"),
        dataSource=_object_errors,
        dataSourceRef=All(_object_errors, Fields(namespace=Optional(DNS_LABEL))),
    ),
    _source_errors,
    Fields(volumeAttributesClassName=Optional(DNS_SUBDOMAIN)),
)
"""Kubernetes: ValidatePersistentVolumeClaimSpec."""

CLAIM_TEMPLATE = Fields(metadata=Struct(template_metadata_errors), spec=Struct(CLAIM_SPEC))
