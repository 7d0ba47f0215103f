"""RoleBindings and ClusterRoleBindings: who has a role."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from localplane.apimachinery.fieldpath import FieldError, Path, collected, declared, invalid, not_supported, required
from localplane.apimachinery.names import dns1123_subdomain, path_segment_name
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import age
from localplane.apiserver.registry.strategy import Strategy
from localplane.apiserver.request import Request
from localplane.catalog.declaring import builtin
from localplane.catalog.validation.metadata import immutable_errors, metadata_errors, metadata_update_errors

GROUP: Final = "rbac.authorization.k8s.io"
_ROLE: Final = Path("roleRef")
_SUBJECTS: Final = Path("subjects")


class BindingStrategy(Strategy):
    """`kinds` are those of roles that may be bound."""

    validates_schema = False
    allow_create_on_update = True
    allow_unconditional_update = True
    tracks_generation = False

    def __init__(self, *kinds: str, namespaced: bool) -> None:
        self._kinds = kinds
        self._namespaced = namespaced

    def validate(self, request: Request, obj: JSONObject) -> Sequence[FieldError]:
        errors = metadata_errors(obj, namespaced=self._namespaced, name=path_segment_name)
        errors += _role_errors(obj.get("roleRef") or {}, self._kinds)
        for index, subject in enumerate(obj.get("subjects") or ()):
            errors += _subject_errors(subject, _SUBJECTS[index], namespaced=self._namespaced)
        return errors

    def validate_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[FieldError]:
        return collected(
            self.validate(request, obj),
            metadata_update_errors(obj, old),
            map(declared, immutable_errors(_reference(obj), _reference(old), _ROLE)),
        )


def _reference(obj: JSONObject) -> JSONObject:
    """As Go prints its internal type."""
    role = obj.get("roleRef") or {}
    return {"APIGroup": role.get("apiGroup", ""), "Kind": role.get("kind", ""), "Name": role.get("name", "")}


def _role_errors(role: JSONObject, kinds: Sequence[str]) -> Iterator[FieldError]:
    if role.get("apiGroup") != GROUP:
        yield not_supported(_ROLE / "apiGroup", role.get("apiGroup", ""), [GROUP])
    if role.get("kind") not in kinds:
        yield not_supported(_ROLE / "kind", role.get("kind", ""), kinds)
    name = role.get("name", "")
    if not name:
        yield declared(required(_ROLE / "name"))
    else:
        yield from (invalid(_ROLE / "name", name, problem) for problem in path_segment_name(name))


def _subject_errors(subject: JSONObject, path: Path, *, namespaced: bool) -> Iterator[FieldError]:
    name, group = subject.get("name", ""), subject.get("apiGroup", "")
    if not name:
        yield declared(required(path / "name"))
    match subject.get("kind", ""):
        case "ServiceAccount":
            if name:
                yield from (invalid(path / "name", name, problem) for problem in dns1123_subdomain(name))
            if group:
                yield not_supported(path / "apiGroup", group, [""])
            if not namespaced and not subject.get("namespace"):
                yield required(path / "namespace")
        case "User" | "Group":
            if group != GROUP:
                yield not_supported(path / "apiGroup", group, [GROUP])
        case kind:
            yield not_supported(path / "kind", kind, ["ServiceAccount", "User", "Group"])


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
    found: dict[str, list[str]] = {"User": [], "Group": [], "ServiceAccount": []}
    for subject in subjects:
        name = subject.get("name", "")
        if subject.get("kind") == "ServiceAccount" and subject.get("namespace"):
            name = f"{subject['namespace']}/{name}"
        if subject.get("kind") in found:
            found[subject["kind"]].append(name)
    return [", ".join(names) for names in found.values()]


ROLE_BINDINGS = builtin(
    "rbac.authorization.k8s.io/rolebindings",
    strategy=BindingStrategy("Role", "ClusterRole", namespaced=True),
    default=_default,
    cells=_cells,
)
CLUSTER_ROLE_BINDINGS = builtin(
    "rbac.authorization.k8s.io/clusterrolebindings",
    strategy=BindingStrategy("ClusterRole", namespaced=False),
    default=_default,
    cells=_cells,
)
