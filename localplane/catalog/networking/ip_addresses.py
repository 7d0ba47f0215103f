"""IPAddresses: who has which address. Their names are the addresses; those of Services are made with the Service.

Kubernetes: pkg/registry/networking/ipaddress and pkg/apis/networking/validation, ValidateIPAddress.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, invalid, required
from localplane.apimachinery.groups import GroupResource
from localplane.apimachinery.names import path_segment_name
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import age
from localplane.catalog.declarations import builtin
from localplane.catalog.strategy import Asked, BuiltinStrategy
from localplane.catalog.validation.addresses import ip_errors
from localplane.catalog.validation.metadata import IMMUTABLE
from localplane.catalog.validation.rules import (
    DNS_SUBDOMAIN,
    All,
    Always,
    Fields,
    Named,
    Needs,
    Optional,
    Present,
    Struct,
)

_PARENT = Path("spec") / "parentRef"


def address_name(name: str, /, *, prefix: bool = False) -> list[str]:  # noqa: ARG001 - part of what a NameValidator is
    return [error.detail for error in ip_errors(name, Path())]


_OBJECT_NAME = Always(Named(path_segment_name))
_PARENT_RULES = All(
    Fields(group=Optional(DNS_SUBDOMAIN), resource=_OBJECT_NAME, name=_OBJECT_NAME, namespace=_OBJECT_NAME),
    Needs("resource", "name"),
)


class IPAddressStrategy(BuiltinStrategy):
    allow_unconditional_update = True
    tracks_generation = False
    valid_name = staticmethod(address_name)
    rules = Fields(spec=Struct(Fields(parentRef=Present(_PARENT_RULES))))
    on_update = (Asked.OBJECT, Asked.METADATA, Asked.CHANGES)

    def errors(self, obj: JSONObject, old: JSONObject | None) -> Iterable[FieldError]:
        """Of a changed parent it is not told what it lacks: it may not be there at all."""
        errors = super().errors(obj, old)
        if old is None or _parent_of(obj) == _parent_of(old):
            return errors
        return (error for error in errors if error.detail)

    def change_errors(self, obj: JSONObject, old: JSONObject) -> Iterator[FieldError]:
        if _parent_of(obj) == _parent_of(old):
            return
        if _parent_of(obj) is None:
            yield required(_PARENT)
        yield invalid(_PARENT, None, IMMUTABLE)


def _parent_of(obj: JSONObject) -> JSONObject | None:
    parent: JSONObject | None = (obj.get("spec") or {}).get("parentRef")
    return parent


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
