"""Subresources that change one part of a pod's spec: ephemeral containers, and the sizes of all others.

Kubernetes: pkg/registry/core/pod (podEphemeralContainersStrategy, podResizeStrategy).
"""

from __future__ import annotations

from collections.abc import Sequence

from localplane.apimachinery.fieldpath import FieldError, Path, collected, forbidden
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import copied
from localplane.apiserver.registry.definition import Definition
from localplane.apiserver.registry.store import SubresourceStore
from localplane.apiserver.request import Request
from localplane.catalog.core.pods.defaults import default_pod_level_resources
from localplane.catalog.core.pods.disabled_fields import drop_disabled_fields
from localplane.catalog.core.pods.semantics import equal
from localplane.catalog.core.pods.strategy import PodStrategy
from localplane.catalog.core.pods.validation.annotations import MIRROR, annotation_update_errors
from localplane.catalog.core.pods.validation.pods import pod_errors
from localplane.catalog.internal_form import diff
from localplane.catalog.validation.metadata import metadata_update_errors

from .resize import resize_errors

_EPHEMERAL = "ephemeralContainers"
_KEPT_METADATA = ("deletionTimestamp", "labels", "annotations", "finalizers", "ownerReferences", "managedFields")


def ephemeral_containers(definition: Definition) -> SubresourceStore:
    return SubresourceStore(definition.with_strategy(EphemeralContainersStrategy()))


def resize(definition: Definition) -> SubresourceStore:
    return SubresourceStore(definition.with_strategy(ResizeStrategy()))


class EphemeralContainersStrategy(PodStrategy):
    """Ephemeral containers may be added, and stay then as they are."""

    def prepare_for_update(self, request: Request, obj: JSONObject, old: JSONObject) -> None:
        wanted = (obj.get("spec") or {}).get(_EPHEMERAL)
        obj["spec"] = copied(old["spec"])
        obj["spec"].pop(_EPHEMERAL, None)
        if wanted:
            obj["spec"][_EPHEMERAL] = wanted
        _keep_metadata(obj["metadata"], old["metadata"])
        drop_disabled_fields(obj["spec"], obj["metadata"])

    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        if MIRROR in (old["metadata"].get("annotations") or {}):
            return [forbidden("", "static pods do not support ephemeral containers")]
        return collected(
            metadata_update_errors(obj, old),
            pod_errors(obj),
            annotation_update_errors(obj, old),
            _ephemeral_errors(obj["spec"].get(_EPHEMERAL) or (), old["spec"].get(_EPHEMERAL) or ()),
        )


class ResizeStrategy(PodStrategy):
    """Only what containers ask for may change, and how they take it."""

    def prepare_for_update(self, request: Request, obj: JSONObject, old: JSONObject) -> None:
        new, before = obj.setdefault("spec", {}), old["spec"]
        kinds = ("containers", "initContainers")
        if all(len(new.get(kind) or ()) == len(before.get(kind) or ()) for kind in kinds):
            spec = copied(before)
            spec |= {kind: _resized(new[kind], spec[kind]) for kind in kinds if kind in spec}
            spec.pop("resources", None)
            resources = new.get("resources", before.get("resources"))
            obj["spec"] = spec | ({} if resources is None else {"resources": copied(resources)})
            _keep_metadata(obj["metadata"], old["metadata"])
        default_pod_level_resources(obj["spec"])
        drop_disabled_fields(obj["spec"], obj["metadata"])

    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        return resize_errors(obj, old)


def _keep_metadata(metadata: JSONObject, old: JSONObject) -> None:
    """Kubernetes: apimachinery/pkg/apis/meta/v1, ResetObjectMetaForStatus."""
    for name in _KEPT_METADATA:
        metadata.pop(name, None)
        if name in old:
            metadata[name] = copied(old[name])


def _resized(new: list[JSONObject], old: list[JSONObject]) -> list[JSONObject]:
    """The containers as they were, with what they ask for now. Others than those are left to validation."""
    if any(each.get("name") != its.get("name") for each, its in zip(new, old, strict=True)):
        return new
    for each, its in zip(new, old, strict=True):
        for name in ("resources", "resizePolicy"):
            its.pop(name, None)
            if name in each:
                its[name] = each[name]
    return old


def _ephemeral_errors(new: Sequence[JSONObject], old: Sequence[JSONObject]) -> list[FieldError]:
    path, by_name = Path("spec") / _EPHEMERAL, {each.get("name", ""): each for each in new}
    errors = []
    for before in old:
        quoted = go_quote(before.get("name", ""))
        after = by_name.get(before.get("name", ""))
        if after is None:
            errors.append(forbidden(path, f"existing ephemeral containers {quoted} may not be removed\n"))
        elif not equal(after, before):
            changes = diff(before, after, "core.EphemeralContainer")
            errors.append(forbidden(path, f"existing ephemeral containers {quoted} may not be changed\n{changes}"))
    return errors
