"""The namespace of all objects, and of what they refer to. Kubernetes: NamespaceTransformer, api/filters/namespace."""

from __future__ import annotations

from collections.abc import Sequence

from kctl.kustomize.errors import KustomizeError, WrongKind
from kctl.kustomize.fields.field_specs import FieldSpec, Setter
from kctl.kustomize.nodes.fields import get_field, require, set_scalar
from kctl.kustomize.nodes.node import STR, Map, Node, Scalar, Seq, is_missing, text_of
from kctl.kustomize.resources.ids import Gvk
from kctl.kustomize.resources.resmap import ResMap, as_json
from kctl.kustomize.resources.resource import HELM_GENERATED, Resource

_BINDINGS = ("RoleBinding", "ClusterRoleBinding")
_MODES = {"": "defaultOnly", "defaultOnly": "defaultOnly", "none": "none", "allServiceAccounts": "allServiceAccounts"}
_OWN = FieldSpec(Gvk(), "metadata/namespace", create=True)


class NamespaceTransformer:
    """`subjects` says which subjects of role bindings are moved too; `unset_only` leaves what has a namespace."""

    def __init__(
        self, namespace: str, specs: Sequence[FieldSpec], *, subjects: str = "", unset_only: bool = False
    ) -> None:
        if subjects not in _MODES:
            raise KustomizeError(
                f'invalid value "{subjects}" for setRoleBindingSubjects: '
                'must be one of "defaultOnly", "none" or "allServiceAccounts"'
            )
        self._namespace = namespace
        self._specs = specs
        self._subjects = _MODES[subjects]
        self._unset_only = unset_only

    def transform(self, resources: ResMap) -> None:
        for resource in resources if self._namespace else ():
            if not resource.node or resource.annotation(HELM_GENERATED) == "true":
                continue
            resource.remember_id()
            self.set_namespace(resource)
            same = resources.current(resource.current_id)
            if len(same) != 1:
                shown = " ".join(map(as_json, same))
                raise KustomizeError(f"namespace transformation produces ID conflict: [{shown}]")

    def set_namespace(self, resource: Resource) -> None:
        """One object. Raises KustomizeError."""
        if not resource.current_id.cluster_scoped:
            Setter(self._set, Scalar).apply(resource.node, _OWN)
        binding = resource.kind in _BINDINGS
        if binding:
            self._place_subjects(resource)
        setter = Setter(self._set, Scalar, STR)
        try:
            for spec in self._specs:
                if spec.path == "metadata/namespace":
                    continue
                if spec.path == "metadata/name" and resource.api_version != "v1":
                    continue
                if binding and spec.gvk.kind in _BINDINGS and spec.path == "subjects/namespace":
                    continue
                setter.apply(resource.node, spec)
        except WrongKind as error:
            said = (
                "namespace transformation failed" if error.scalar else "namespace field specs must target scalar nodes"
            )
            raise error.within(said) from error
        except KustomizeError as error:
            raise error.within("namespace transformation failed") from error

    def _set(self, node: Node) -> None:
        if self._unset_only and text_of(node):
            return
        set_scalar(node, self._namespace, STR)

    def _place_subjects(self, resource: Resource) -> None:
        subjects = resource.node.get("subjects")
        if self._subjects == "none" or is_missing(subjects):
            return
        try:
            require(subjects, Seq)
            assert isinstance(subjects, Seq)
            for subject in subjects:
                key, wanted = ("name", "default") if self._subjects == "defaultOnly" else ("kind", "ServiceAccount")
                if text_of(get_field(subject, key)) == wanted and isinstance(subject, Map):
                    self._set(subject.setdefault("namespace", Scalar("")))
        except KustomizeError as error:
            raise error.within("setting namespace on (cluster)role binding subjects") from error
