"""What a plugin is told about a write."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from localplane.apimachinery.groups import GroupResource, GroupVersionKind
from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.registry.conversion import Converter
from localplane.apiserver.request import User


class Operation(StrEnum):
    """What is about to be done, as admission plugins say which they want to see."""

    CREATE = "CREATE"
    UPDATE = "UPDATE"
    DELETE = "DELETE"
    CONNECT = "CONNECT"


@dataclass(slots=True)
class Reinvocation:
    """Whether mutating plugins are asked again, because one of them changed what others had seen already: once, and
    all of them. `notes` are what plugins remember from the first round, by their names."""

    is_wanted: bool = False
    is_running: bool = False
    notes: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class Attributes:
    """`object` is None on delete, `old_object` None on create; both are in the hub version.

    `version` is that of the URL; `kind` is what is written, which for some subresources belongs to another group.
    `options` is the request's options object (CreateOptions, UpdateOptions, DeleteOptions). A mutating plugin changes
    `object`, in place or by putting another there. `warnings` reach the client as Warning headers. `converter` is the
    way from the hub version to others, for plugins that show objects to somebody else.
    """

    operation: Operation
    kind: GroupVersionKind
    resource: GroupResource
    subresource: str
    namespace: str
    name: str
    object: JSONObject | None
    old_object: JSONObject | None
    user: User
    version: str = ""
    dry_run: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    reinvocation: Reinvocation = field(default_factory=Reinvocation)
    converter: Converter | None = None
