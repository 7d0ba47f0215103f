"""The objects of a build, in the order in which they were read. Kubernetes: api/resmap, resWrangler."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from kctl.kustomize.errors import KustomizeError
from kctl.kustomize.nodes import conversion
from kctl.kustomize.nodes.node import Map, Seq, is_missing, text_of
from localplane.apimachinery.golang.text import go_json, go_quote
from localplane.apimachinery.objects import sorted_keys

from . import data_maps
from .ids import ResId
from .resource import BEHAVIOR, ORIGIN, Resource
from .selector import Selector

Matches = Callable[[ResId], bool]


class ResMap:
    def __init__(self, resources: Iterable[Resource] = ()) -> None:
        self._resources: list[Resource] = []
        self.extend(resources)

    def __iter__(self) -> Iterator[Resource]:
        return iter(tuple(self._resources))

    def __len__(self) -> int:
        return len(self._resources)

    def append(self, resource: Resource) -> None:
        """Raises KustomizeError if it is there already."""
        current = resource.current_id
        if self.current(current):
            raise KustomizeError(f"may not add resource with an already registered id: {current}")
        self._resources.append(resource)

    def extend(self, resources: Iterable[Resource]) -> None:
        for resource in resources:
            self.append(resource)

    def replace_all(self, resources: Iterable[Resource], *, check: bool = True) -> None:
        kept = list(resources)
        self._resources = []
        if check:
            self.extend(kept)
        else:
            self._resources = kept

    def drop_empty(self) -> None:
        self._resources = [resource for resource in self._resources if resource.node]

    def current(self, wanted: ResId) -> list[Resource]:
        """Those that are called so now."""
        return [one for one in self._resources if one.name == wanted.name and wanted.equals(one.current_id)]

    def matching(self, matches: Matches) -> list[Resource]:
        """Those that were ever called so."""
        return [one for one in self._resources if one.node and any(map(matches, one.every_id()))]

    def by_any_id(self, wanted: ResId) -> Resource:
        """Raises KustomizeError unless it is exactly one."""
        found = self.matching(wanted.equals)
        if len(found) != 1:
            problem = "multiple matches" if found else "no matches"
            raise KustomizeError(f"{problem} for Id {wanted}; failed to find unique target for patch {wanted}")
        return found[0]

    def select(self, selector: Selector) -> list[Resource]:
        """Raises KustomizeError for a selector that can't be read."""
        return [one for one in self._resources if selector.selects(one)]

    def absorb(self, other: ResMap) -> None:
        """Take what generators made: as it is, or in the place of what is there, or merged with it."""
        for resource in other:
            self._absorb(resource)

    def _absorb(self, resource: Resource) -> None:
        current = resource.current_id
        behavior = resource.annotation(BEHAVIOR) or ""
        found = self.matching(current.equals)
        if not found:
            if behavior in ("merge", "replace"):
                raise KustomizeError(f"id {current.go_syntax} does not exist; cannot merge or replace")
            self.append(resource)
            return
        if len(found) > 1:
            shown = " ".join(as_json(one) for one in found)
            raise KustomizeError(f"found multiple objects [{shown}] that could accept merge of {current}")
        old = found[0]
        if behavior not in ("merge", "replace"):
            raise KustomizeError(
                f"id {current.go_syntax} exists; can not use behavior: '{behavior or 'unspecified'}', "
                "behavior must be merge or replace"
            )
        origin = old.annotation(ORIGIN) if behavior == "merge" else None
        resource.take_metadata_of(old)
        if behavior == "merge":
            data_maps.merge_data(resource, old)
            if origin is not None:
                resource.set_annotations({**resource.annotations(), ORIGIN: origin})
        self._replace(resource, old)

    def _replace(self, resource: Resource, old: Resource) -> None:
        current = resource.current_id
        found = self.current(current)
        if len(found) != 1:
            problem = f"in Replace: id matched {len(found)} resources"
            raise KustomizeError(problem if found else f"cannot find resource with id {current} to replace")
        if found[0] is not old:
            raise KustomizeError("unexpected target index in replacement")
        self._resources[self._resources.index(old)] = resource


def reach_of(referrer: Resource) -> Callable[[Resource], bool]:
    """What an object can refer to: what has no namespace, or its own; or that of an account that a RoleBinding names.

    Raises KustomizeError for a binding that names an account without saying where it is.
    """
    ours = referrer.current_id
    if ours.cluster_scoped:
        return lambda _: True
    namespaces = _account_namespaces(referrer)

    def reaches(other: Resource) -> bool:
        theirs = other.current_id
        return (
            theirs.cluster_scoped
            or theirs.effective_namespace == ours.effective_namespace
            or other.namespace in namespaces
        )

    return reaches


def _account_namespaces(referrer: Resource) -> set[str]:
    subjects = referrer.node.get("subjects") if referrer.kind == "RoleBinding" else None
    namespaces: set[str] = set()
    for subject in subjects if isinstance(subjects, Seq) else ():
        if isinstance(subject, Map) and "namespace" in subject and text_of(subject.get("kind")) == "ServiceAccount":
            if is_missing(subject["namespace"]):
                named = go_quote(str(referrer.current_id))
                raise KustomizeError(f"Invalid Input: namespace is blank for resource {named}\n")
            namespaces.add(text_of(subject["namespace"]))
    return namespaces


def as_json(resource: Resource) -> str:
    """One line, as kustomize shows an object in its messages."""
    return go_json(sorted_keys(conversion.json_value(resource.node)))
