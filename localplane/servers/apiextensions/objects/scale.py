"""Scale: the number of replicas of a custom resource, wherever its definition says that it is.

Kubernetes: pkg/registry/customresource/etcd.go, ScaleREST.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from localplane.apimachinery.errors import BadRequest, InternalError
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.groups import GroupVersion
from localplane.apimachinery.managedfields.scale import ReplicasPaths
from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.resource import Subresource
from localplane.catalog import schemas
from localplane.catalog.scale import SCALE_COLUMNS, ReplicaCounts, ScaleStore, UnreadableReplicas

from .nested import WrongKind, elements, nested_integer, nested_text, set_nested


def scale_subresource(declared: Mapping[str, str], paths: ReplicasPaths) -> Subresource:
    """`paths` lead to the replicas in each version of the resource."""
    return Subresource(
        lambda definition: ScaleStore(definition, ReplicasAtPaths(declared, paths)),
        kind="Scale",
        group_version=GroupVersion("autoscaling", "v1"),
        schema=schemas.schema("autoscaling/v1.Scale"),
        columns=SCALE_COLUMNS,
    )


def replicas_path(subresources: Mapping[str, Any] | None) -> tuple[str, ...] | None:
    scale = (subresources or {}).get("scale")
    return tuple(f"f:{name}" for name in elements(scale["specReplicasPath"])) if scale else None


class ReplicasAtPaths:
    """Where `declared`, what a definition says of its scale, has them: there may be anything."""

    def __init__(self, declared: Mapping[str, str], paths: ReplicasPaths) -> None:
        self.paths = paths
        self._spec_path = declared["specReplicasPath"]
        self._status_path = declared["statusReplicasPath"]
        self._selector_path = declared.get("labelSelectorPath")

    def counts(self, obj: JSONObject) -> ReplicaCounts:
        try:
            return ReplicaCounts(
                nested_integer(obj, self._spec_path),
                nested_integer(obj, self._status_path) or 0,
                nested_text(obj, self._selector_path) if self._selector_path else "",
            )
        except WrongKind as error:
            raise UnreadableReplicas(str(error)) from error

    def check_readable(self, counts: ReplicaCounts) -> None:
        if counts.wanted is None:
            raise InternalError.of(f"the spec replicas field {go_quote(self._spec_path)} does not exist")

    def check_scale(self, scale: JSONObject, parent: JSONObject) -> None:
        """The strategy judges the number, in the object."""
        if (scale.get("spec") or {}).get("replicas") is None and self.counts(parent).wanted is None:
            raise BadRequest(f"the spec replicas field {go_quote(self._spec_path)} cannot be empty")

    def set(self, obj: JSONObject, wanted: int) -> None:
        try:
            set_nested(obj, self._spec_path, wanted)
        except WrongKind as error:
            raise UnreadableReplicas(str(error)) from error
