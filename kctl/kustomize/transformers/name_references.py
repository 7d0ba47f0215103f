"""Fields that name other objects get the names that these have now.

Kubernetes: api/internal/accumulator, nameReferenceTransformer; api/filters/nameref.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from kctl.kustomize.errors import KustomizeError
from kctl.kustomize.fields import configuration
from kctl.kustomize.fields.field_specs import FieldSpec, Setter
from kctl.kustomize.nodes.conversion import to_yaml
from kctl.kustomize.nodes.fields import get_field, set_field, set_scalar
from kctl.kustomize.nodes.node import Map, Node, Scalar, is_missing, raw_text
from kctl.kustomize.resources.ids import Gvk, ResId
from kctl.kustomize.resources.resmap import ResMap, reach_of
from kctl.kustomize.resources.resource import REFERRED_BY, Resource


class _Named(NamedTuple):
    """An object, and what it was called before: these names are final by now."""

    resource: Resource
    previous: list[ResId]


class _Known(NamedTuple):
    """All objects, and those that were called something before, by what they were called."""

    everyone: Sequence[Resource]
    by_name: Mapping[str, Sequence[_Named]]


def fix_references(resources: ResMap, references: configuration.References) -> None:
    """Raises KustomizeError if it is not clear which object is meant."""
    by_name: dict[str, list[_Named]] = {}
    for resource in resources:
        named = _Named(resource, resource.previous_ids())
        for name in {one.name for one in named.previous}:
            by_name.setdefault(name, []).append(named)
    known = _Known(list(resources), by_name)
    for referrer, gvk in [(resource, resource.original_id.gvk) for resource in resources]:
        reaches = reach_of(referrer)
        for target, specs in references:
            for spec in specs:
                if gvk.selected_by(spec.gvk):
                    _Reference(referrer, spec, target, known, reaches).fix()


class _Reference:
    """One field of one object, which may name an object of one kind."""

    def __init__(
        self, referrer: Resource, spec: FieldSpec, target: Gvk, known: _Known, reaches: Callable[[Resource], bool]
    ) -> None:
        self._referrer = referrer
        self._spec = FieldSpec(referrer.gvk, spec.path, spec.create)
        self._target = target
        self._known = known
        self._reaches = reaches

    def fix(self) -> None:
        try:
            Setter(self._set).apply(self._referrer.node, self._spec)
        except KustomizeError as error:
            where = f"updating name reference in '{self._spec.path}' field of '{self._referrer.current_id}'"
            raise error.within(where) from error

    def _set(self, node: Node) -> None:
        if is_missing(node):
            return
        if isinstance(node, Scalar):
            self._set_name(node)
        elif isinstance(node, Map):
            self._set_name_and_namespace(node)
        else:
            for item in node:
                if isinstance(item, Scalar) and not is_missing(item):
                    self._set_name(item)
                elif isinstance(item, Map):
                    self._set_name_and_namespace(item)
                elif not is_missing(item):
                    raise KustomizeError("a sequence is expected to be either a string or a map of string")

    def _set_name(self, node: Scalar) -> None:
        found = self._referral(node.text, None, lambda one: one.name)
        if found is None:
            return
        found.append_to(REFERRED_BY, str(self._referrer.current_id))
        if found.name != node.text:
            set_scalar(node, found.name)

    def _set_name_and_namespace(self, node: Map) -> None:
        name = get_field(node, "name")
        if name is None:
            raise KustomizeError("path config error; no 'name' field in node")
        found = self._referral(raw_text(name), node.get("namespace"), lambda one: (one.name, one.namespace))
        if found is None:
            return
        found.append_to(REFERRED_BY, str(self._referrer.current_id))
        if found.name == raw_text(name) and not found.namespace:
            return
        set_field(node, "name", Scalar(found.name))
        if found.namespace:
            set_field(node, "namespace", Scalar(found.namespace))

    def _in_namespace(self, named: Sequence[_Named], namespace: Node | None) -> Sequence[_Named]:
        """Those that were in the namespace at first; if nothing was, those that are there now."""
        if namespace is None:
            return named
        wanted = raw_text(namespace)
        if self._was_used(wanted):
            return [one for one in named if one.resource.original_id.effective_namespace == wanted]
        return [one for one in named if one.resource.current_id.effective_namespace == wanted]

    def _was_used(self, namespace: str) -> bool:
        return any(
            one.original_id.effective_namespace == namespace and self._reaches(one) for one in self._known.everyone
        )

    def _referral(self, name: str, namespace: Node | None, identity: Callable[[Resource], object]) -> Resource | None:
        named = [one for one in self._known.by_name.get(name, ()) if self._reaches(one.resource)]
        found = [one.resource for one in self._in_namespace(named, namespace) if self._is_meant(one)]
        if len(found) > 1:
            found = [one for one in found if one.context_equals(self._referrer, allow_empty=True)]
        if len(found) > 1:
            found = [one for one in found if one.context_equals(self._referrer, allow_empty=False)]
        if not found:
            return None
        if len(found) == 1 or len({identity(one) for one in found}) == 1:
            return found[0]
        ids = ", ".join(str(one.current_id) for one in found)
        raise KustomizeError(f"found multiple possible referrals: {ids}\n{self._details(found)}")

    def _is_meant(self, named: _Named) -> bool:
        resource, previous = named
        if not any(one.gvk.selected_by(self._target) for one in previous):
            return False
        role = self._role()
        if role is not None and not any(one.gvk.selected_by(role) for one in previous):
            return False
        ours, theirs = self._referrer.current_id, resource.current_id
        return (
            ours.cluster_scoped
            or theirs.cluster_scoped
            or resource.kind == "ServiceAccount"
            or ours.effective_namespace == theirs.effective_namespace
        )

    def _role(self) -> Gvk | None:
        """Which kind of role a binding says that it is for."""
        if not self._spec.path.endswith("roleRef/name"):
            return None
        reference = self._referrer.node.get("roleRef")
        if not isinstance(reference, Map) or "apiGroup" not in reference or "kind" not in reference:
            return None
        return Gvk(raw_text(reference["apiGroup"]), "", raw_text(reference["kind"]))

    def _details(self, found: Sequence[Resource]) -> str:
        said = f"\n**** Too many possible referral targets to referrer:\n{to_yaml(self._referrer.node)}\n"
        for index, one in enumerate(found):
            said += f"--- possible referral {index}:\n{to_yaml(one.node)}\n"
        return said
