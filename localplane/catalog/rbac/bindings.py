"""RoleBindings and ClusterRoleBindings: who has a role."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from localplane.apimachinery.fieldpath import FieldError, Path, declared, invalid, not_supported, required
from localplane.apimachinery.names import dns1123_subdomain, path_segment_name
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import age
from localplane.catalog.declarations import builtin
from localplane.catalog.strategy import Asked, BuiltinStrategy
from localplane.catalog.validation.metadata import immutable_errors
from localplane.catalog.validation.rules import Always, Each, Fields, Named, OneOf, Required, Struct

GROUP: Final = "rbac.authorization.k8s.io"


def _role_of(*kinds: str) -> Struct:
    """A reference to a role of one of these kinds."""
    return Struct(
        Fields(
            apiGroup=Always(OneOf(GROUP)),
            kind=Always(OneOf(*kinds)),
            name=Required(Named(path_segment_name), declared=True),
        )
    )


def _subject_errors(subject: JSONObject, path: Path) -> Iterator[FieldError]:
    name, group = subject.get("name", ""), subject.get("apiGroup", "")
    if not name:
        yield declared(required(path / "name"))
    match subject.get("kind", ""):
        case "ServiceAccount":
            if name:
                yield from (invalid(path / "name", name, problem) for problem in dns1123_subdomain(name))
            if group:
                yield not_supported(path / "apiGroup", group, [""])
        case "User" | "Group":
            if group != GROUP:
                yield not_supported(path / "apiGroup", group, [GROUP])
        case kind:
            yield not_supported(path / "kind", kind, ["ServiceAccount", "User", "Group"])


def _accounts_have_namespaces(subject: JSONObject, path: Path) -> Iterator[FieldError]:
    if subject.get("kind") == "ServiceAccount" and not subject.get("namespace"):
        yield required(path / "namespace")


class RoleBindingStrategy(BuiltinStrategy):
    allow_create_on_update = True
    allow_unconditional_update = True
    tracks_generation = False
    valid_name = staticmethod(path_segment_name)
    rules = Fields(roleRef=_role_of("Role", "ClusterRole"), subjects=Each(_subject_errors))
    on_update = (Asked.OBJECT, Asked.METADATA, Asked.CHANGES)

    def change_errors(self, obj: JSONObject, old: JSONObject) -> Iterator[FieldError]:
        return map(declared, immutable_errors(_reference(obj), _reference(old), Path("roleRef")))


class ClusterRoleBindingStrategy(RoleBindingStrategy):
    rules = Fields(
        roleRef=_role_of("ClusterRole"),
        subjects=Each(_subject_errors, _accounts_have_namespaces),
    )


def _reference(obj: JSONObject) -> JSONObject:
    """As Go prints its internal type."""
    role = obj.get("roleRef") or {}
    return {"APIGroup": role.get("apiGroup", ""), "Kind": role.get("kind", ""), "Name": role.get("name", "")}


def _default(obj: JSONObject) -> None:
    role = obj.setdefault("roleRef", {})
    if not role.get("apiGroup"):
        role["apiGroup"] = GROUP
    for subject in obj.get("subjects") or ():
        if not subject.get("apiGroup") and subject.get("kind") in ("User", "Group"):
            subject["apiGroup"] = GROUP


def _cells(obj: JSONObject) -> list[Any]:
    metadata, role = obj["metadata"], obj.get("roleRef") or {}
    return [
        metadata["name"],
        f"{role.get('kind', '')}/{role.get('name', '')}",
        age(metadata.get("creationTimestamp")),
        *_by_kind(obj.get("subjects") or ()),
    ]


def _by_kind(subjects: Sequence[JSONObject]) -> list[str]:
    """Users, groups and service accounts, each as one cell."""
    names: dict[str, list[str]] = {"User": [], "Group": [], "ServiceAccount": []}
    for subject in subjects:
        name = subject.get("name", "")
        if subject.get("kind") == "ServiceAccount" and subject.get("namespace"):
            name = f"{subject['namespace']}/{name}"
        if subject.get("kind") in names:
            names[subject["kind"]].append(name)
    return [", ".join(of_kind) for of_kind in names.values()]


ROLE_BINDINGS = builtin(
    "rbac.authorization.k8s.io/rolebindings",
    strategy=RoleBindingStrategy(),
    default=_default,
    cells=_cells,
)
CLUSTER_ROLE_BINDINGS = builtin(
    "rbac.authorization.k8s.io/clusterrolebindings",
    strategy=ClusterRoleBindingStrategy(),
    default=_default,
    cells=_cells,
)
