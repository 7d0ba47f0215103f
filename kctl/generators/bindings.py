"""`kctl create rolebinding|clusterrolebinding`. Kubernetes: create_rolebinding.go, create_clusterrolebinding.go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kctl.command import Command
from kctl.errors import KctlError
from kctl.flags import Flag

from .making import GENERATOR_FLAGS, Object, make, metadata, the_name

if TYPE_CHECKING:
    from kctl.flags import Given
    from kctl.session import Session

_GROUP = "rbac.authorization.k8s.io"


def _binding(kind: str, described: Object, role_kind: str, role: str, given: Given) -> Object:
    obj: Object = {"kind": kind, "apiVersion": f"{_GROUP}/v1", "metadata": described}
    if subjects := _subjects(given):
        obj["subjects"] = subjects
    obj["roleRef"] = {"apiGroup": _GROUP, "kind": role_kind, "name": role}
    return obj


def _subjects(given: Given) -> list[Object]:
    subjects = [{"kind": "User", "apiGroup": _GROUP, "name": name} for name in given.texts("user")]
    subjects += [{"kind": "Group", "apiGroup": _GROUP, "name": name} for name in given.texts("group")]
    for account in given.texts("serviceaccount"):
        namespace, _, name = account.partition(":")
        if not namespace or not name or ":" in name:
            raise KctlError("serviceaccount must be <namespace>:<name>")
        subjects.append({"kind": "ServiceAccount", "name": name, "namespace": namespace})
    return subjects


async def role_binding(session: Session, given: Given) -> None:
    name = the_name(session, given)
    role, cluster_role = given.text("role"), given.text("clusterrole")
    if bool(role) == bool(cluster_role):
        raise KctlError("exactly one of clusterrole or role must be specified")
    kind = "Role" if role else "ClusterRole"
    obj = _binding("RoleBinding", metadata(session, name), kind, role or cluster_role, given)
    await make(session, given, obj, "rolebindings", failure="failed to create rolebinding:")


async def cluster_role_binding(session: Session, given: Given) -> None:
    name = the_name(session, given, "clusterrole")
    obj = _binding("ClusterRoleBinding", {"name": name}, "ClusterRole", given.text("clusterrole"), given)
    await make(session, given, obj, "clusterrolebindings", failure="failed to create clusterrolebinding:")


def _subject_flags(role: str) -> tuple[Flag, ...]:
    return (
        Flag(
            "user",
            "array",
            (),
            f"Usernames to bind to the {role}. The flag can be repeated to add multiple users.",
        ),
        Flag(
            "group",
            "array",
            (),
            f"Groups to bind to the {role}. The flag can be repeated to add multiple groups.",
        ),
        Flag(
            "serviceaccount",
            "array",
            (),
            f"Service accounts to bind to the {role}, in the format <namespace>:<name>. The flag can be "
            "repeated to add "
            "multiple service accounts.",
        ),
    )


ROLE_BINDING = Command(
    "rolebinding",
    "rolebinding NAME --clusterrole=NAME|--role=NAME [--user=username] [--group=groupname] "
    "[--serviceaccount=namespace:serviceaccountname] [--dry-run=server|client|none]",
    "Create a role binding for a particular role or cluster role",
    run=role_binding,
    flags=(
        *GENERATOR_FLAGS,
        Flag("clusterrole", usage="ClusterRole this RoleBinding should reference"),
        Flag("role", usage="Role this RoleBinding should reference"),
        *_subject_flags("role"),
    ),
    examples="""\
# Create a role binding for user1, user2, and group1 using the admin cluster role
kctl create rolebinding admin --clusterrole=admin --user=user1 --user=user2 --group=group1

# Create a role binding for service account monitoring:sa-dev using the admin role
kctl create rolebinding admin-binding --role=admin --serviceaccount=monitoring:sa-dev""",
)
CLUSTER_ROLE_BINDING = Command(
    "clusterrolebinding",
    "clusterrolebinding NAME --clusterrole=NAME [--user=username] [--group=groupname] "
    "[--serviceaccount=namespace:serviceaccountname] [--dry-run=server|client|none]",
    "Create a cluster role binding for a particular cluster role",
    run=cluster_role_binding,
    flags=(
        *GENERATOR_FLAGS,
        Flag("clusterrole", usage="ClusterRole this ClusterRoleBinding should reference"),
        *_subject_flags("clusterrole"),
    ),
    examples="""\
# Create a cluster role binding for user1, user2, and group1 using the cluster-admin cluster role
kctl create clusterrolebinding cluster-admin --clusterrole=cluster-admin --user=user1 --user=user2 --group=group1""",
)
