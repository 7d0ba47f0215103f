"""What is installed, in words that discovery and OpenAPI both understand. Frozen: a change makes a new description."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from localplane.apimachinery.groups import GroupVersion, GroupVersionKind
from localplane.apimachinery.schema import Schema

_MEDIA_TYPES = ("application/json", "application/yaml")


@dataclass(frozen=True, slots=True, kw_only=True)
class InstalledSubresource:
    """One word below an object's path.

    `answers` is the kind it speaks in when that belongs to another group or version (a Scale); its `schema` then is
    that kind's. Without a schema it has the parent's. `connects` marks a stream or a proxy, which has no kind worth
    documenting, and `answers_text` one that is read as plain text (a log). `query_parameters` are those of its own, by
    name, with their OpenAPI types.
    """

    name: str
    kind: str
    verbs: Sequence[str]
    answers: GroupVersionKind | None = None
    schema: Callable[[], Schema] | None = None
    patch_types: Sequence[str] = ()
    connects: bool = False
    answers_text: bool = False
    query_parameters: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class InstalledResource:
    """One resource in one version. Names and verbs appear as they are given.

    `answers` is as for a subresource. `schema` is called when a document is built, never before. Clients may keep an
    OpenAPI document for as long as its hash stays the same: whoever can change the schema while the rest of this
    description stays as it is changes `schema_identity` with it.
    """

    name: str
    singular: str
    namespaced: bool
    kind: str
    verbs: Sequence[str]
    schema: Callable[[], Schema]
    schema_identity: str = ""
    list_kind: str = ""
    answers: GroupVersionKind | None = None
    short_names: Sequence[str] = ()
    categories: Sequence[str] = ()
    subresources: Sequence[InstalledSubresource] = ()
    storage_version_hash: str = ""
    media_types: Sequence[str] = _MEDIA_TYPES
    patch_types: Sequence[str] = ("application/json-patch+json", "application/merge-patch+json")
    returns_deleted_object: bool = False
    selectable_fields: Sequence[str] = ()

    @property
    def kind_of_list(self) -> str:
        return self.list_kind or f"{self.kind}List"


@dataclass(frozen=True, slots=True, kw_only=True)
class InstalledVersion:
    """One version of a group. Of two, the one with the higher `priority` comes first, and then the better name.

    `custom` versions come from definitions: they are answered without a router in between, so by any method, and
    their documents have no deprecated watch paths. With `full_kinds` the aggregated document names group and version of
    each kind, too, where others leave out what is the version's own. `stale` ones belong to another server that can't
    be asked now.
    """

    version: str
    resources: Sequence[InstalledResource] = ()
    priority: int = 15
    custom: bool = False
    full_kinds: bool = False
    stale: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class InstalledGroup:
    """One group; the empty name is the core group. No `preferred_version` means the first in order."""

    name: str
    versions: Sequence[InstalledVersion]
    preferred_version: str = ""
    priority: int = 1000

    def group_version(self, version: str) -> GroupVersion:
        return GroupVersion(self.name, version)


def storage_version_hash(group: str, version: str, kind: str) -> str:
    """Equal hashes, equal storage: migrators compare it between resources and over time."""
    return b64encode(hashlib.sha256(f"{group}/{version}/{kind}".encode()).digest()[:8]).decode()
