"""From what people call an object to where it is: `deploy/web`, `crontabs.stable.example.com/mine`, or an object.

What is served is asked, not discovery: a cluster that lives in this process knows it without a request.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from localplane.apimachinery.groups import version_priority
from localplane.apiserver.endpoints.served import Served
from localplane.client import GroupVersionResource

Reference = str | Mapping[str, Any]
"""`TYPE/NAME` or `TYPE`, the type as kubectl takes it; or an object with apiVersion, kind and metadata."""


class UnknownKind(LookupError):
    """Nothing of this kind is served: the definition is missing, or the name is misspelled."""

    def __str__(self) -> str:
        return str(self.args[0])


@dataclass(frozen=True, slots=True)
class Place:
    """Where an object is, or with an empty name all of a kind. The namespace is empty for what has none, or when nobody
    has said it."""

    resource: GroupVersionResource
    kind: str
    namespaced: bool
    name: str = ""
    namespace: str = ""

    def within(self, namespace: str) -> str:
        """The namespace to ask in, where `namespace` counts if the reference says none."""
        return (self.namespace or namespace) if self.namespaced else ""

    def __str__(self) -> str:
        where = f"{self.namespace}/" if self.namespace else ""
        return f"{self.resource.resource}/{where}{self.name}" if self.name else self.resource.resource


def place_of(reference: Reference, served: Iterable[Served]) -> Place:
    """Raises UnknownKind, and ValueError for what is no reference."""
    if isinstance(reference, str):
        type_name, _, name = reference.partition("/")
        return _place(_by_name(type_name, served), name, "")
    api_version, kind = reference.get("apiVersion"), reference.get("kind")
    metadata = reference.get("metadata") or {}
    if not api_version or not kind or not isinstance(metadata, Mapping):
        raise ValueError(f"this names no object, because apiVersion, kind or metadata is missing: {reference!r}")
    found = next((each for each in served if each.api_version == api_version and each.kind == kind), None)
    if found is None:
        raise UnknownKind(f"nothing serves kind {kind} in {api_version}: is its definition applied?")
    return _place(found, str(metadata.get("name") or ""), str(metadata.get("namespace") or ""))


def _place(served: Served, name: str, namespace: str) -> Place:
    version = served.path_version
    resource = GroupVersionResource(version.group, version.version, served.declared.plural)
    return Place(resource, served.kind, served.namespaced, name, namespace)


def _by_name(text: str, served: Iterable[Served]) -> Served:
    """Plural, singular, kind or short name, with or without a version and a group: `deployments.v1.apps`. Of several
    versions it is the best, as kubectl takes it."""
    name, _, rest = text.lower().partition(".")
    version, _, group = rest.partition(".")
    best: Served | None = None
    for each in served:
        found = each.path_version
        if rest and rest != found.group and (version, group) != (found.version, found.group):
            continue
        if best is not None and (found.group != best.path_version.group or _priority(each) <= _priority(best)):
            continue
        if name in _names(each):
            best = each
    if best is None:
        raise UnknownKind(f'the cluster doesn\'t have a resource type "{text}"')
    return best


def _priority(served: Served) -> tuple[int, ...]:
    return version_priority(served.path_version.version)


def _names(served: Served) -> Iterator[str]:
    declared = served.declared
    yield declared.plural
    yield declared.singular or declared.kind.lower()
    yield declared.kind.lower()
    yield from declared.short_names
