"""IPAddresses: who has which address. Their names are the addresses; those of Services are made with the Service.

Kubernetes: pkg/registry/networking/ipaddress and pkg/apis/networking/validation, ValidateIPAddress.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, collected, invalid, required
from localplane.apimachinery.groups import GroupResource
from localplane.apimachinery.names import dns1123_subdomain, path_segment_name
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import age
from localplane.apiserver.registry.strategy import Strategy
from localplane.apiserver.request import Request
from localplane.catalog.declaring import builtin
from localplane.catalog.validation.addresses import ip_errors
from localplane.catalog.validation.metadata import IMMUTABLE, metadata_errors, metadata_update_errors

_PARENT = Path("spec") / "parentRef"


def address_name(name: str, /, *, prefix: bool = False) -> list[str]:  # noqa: ARG001 - part of what a NameValidator is
    return [error.detail for error in ip_errors(name, Path())]


class IPAddressStrategy(Strategy):
    allow_unconditional_update = True
    tracks_generation = False
    validates_schema = False

    def validate(self, request: Request, obj: JSONObject) -> Sequence[FieldError]:
        return collected(metadata_errors(obj, namespaced=False, name=address_name), _parent_errors(obj))

    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        """A changed parent is told alone: what is wrong with the new one no longer matters."""
        changed = _parent_of(obj) != _parent_of(old)
        errors = _parent_errors(obj)
        return collected(
            metadata_errors(obj, namespaced=False, name=address_name),
            (error for error in errors if not changed or error.detail),
            metadata_update_errors(obj, old),
            ([required(_PARENT)] if changed and _parent_of(obj) is None else []),
            ([invalid(_PARENT, None, IMMUTABLE)] if changed else []),
        )


def _parent_of(obj: JSONObject) -> JSONObject | None:
    parent: JSONObject | None = (obj.get("spec") or {}).get("parentRef")
    return parent


def _parent_errors(obj: JSONObject) -> Iterator[FieldError]:
    parent = _parent_of(obj)
    if parent is None:
        yield required(_PARENT)
        return
    group = parent.get("group") or ""
    for problem in dns1123_subdomain(group) if group else ():
        yield invalid(_PARENT / "group", group, problem)
    for field in ("resource", "name", "namespace"):
        value = parent.get(field) or ""
        for problem in path_segment_name(value):
            yield invalid(_PARENT / field, value, problem)
    for field in ("resource", "name"):
        if not parent.get(field):
            yield required(_PARENT / field)


def ip_address_cells(obj: JSONObject) -> list[Any]:
    """One cell more than there are columns, as Kubernetes has it."""
    metadata = obj.get("metadata") or {}
    return [metadata.get("name", ""), _parent(_parent_of(obj)), age(metadata.get("creationTimestamp"))]


def _parent(parent: JSONObject | None) -> str:
    if parent is None:
        return "<none>"
    resource = str(GroupResource(parent.get("group") or "", parent.get("resource") or "")).lower()
    namespace = parent.get("namespace")
    return "/".join([resource, *([namespace] if namespace else []), parent.get("name") or ""])


IP_ADDRESSES = builtin("networking.k8s.io/ipaddresses", strategy=IPAddressStrategy(), cells=ip_address_cells)
