"""`kctl create rolebinding|clusterrolebinding`. Kubernetes: create_rolebinding.go, create_clusterrolebinding.go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kctl.command import Command
from kctl.errors import KctlError
from kctl.flags import Flag
from localplane.apimachinery.objects import JSONObject

from .making import GENERATOR_FLAGS, make, metadata, the_name

if TYPE_CHECKING:
    from kctl.flags import Given
    from kctl.session import Session

_GROUP = "rbac.authorization.k8s.io"


def _binding(kind: str, described: JSONObject, role_kind: str, role: str, given: Given) -> JSONObject:
    obj: JSONObject = {"kind": kind, "apiVersion": f"{_GROUP}/v1", "metadata": described}
    if subjects := _subjects(given):
        obj["subjects"] = subjects
    obj["roleRef"] = {"apiGroup": _GROUP, "kind": role_kind, "name": role}
    return obj


def _subjects(given: Given) -> list[JSONObject]:
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


_SUBJECT_FLAGS = (
    Flag("user", "array", (), "A user who gets the role; may be repeated."),
    Flag("group", "array", (), "A group that gets the role; may be repeated."),
    Flag("serviceaccount", "array", (), "A service account that gets the role, namespace:name; may be repeated."),
)
ROLE_BINDING = Command(
    "rolebinding",
    "rolebinding NAME --clusterrole=NAME|--role=NAME [--user=username] [--group=groupname] "
    "[--serviceaccount=namespace:serviceaccountname] [--dry-run=server|client|none]",
    "Give a role to somebody, in one namespace",
    run=role_binding,
    flags=(
        *GENERATOR_FLAGS,
        Flag("clusterrole", usage="The cluster role to give."),
        Flag("role", usage="The role to give."),
        *_SUBJECT_FLAGS,
    ),
    description="""\
Give a role, or what a cluster role says about namespaced objects, to users, groups and service accounts: in one
namespace.""",
    examples="""\
# Let two people and a group view what is in this namespace
kctl create rolebinding viewers --clusterrole=view --user=ada --user=grace --group=auditors

# A role of this namespace for a service account
kctl create rolebinding deployer --role=deployer --serviceaccount=ci:runner""",
)
CLUSTER_ROLE_BINDING = Command(
    "clusterrolebinding",
    "clusterrolebinding NAME --clusterrole=NAME [--user=username] [--group=groupname] "
    "[--serviceaccount=namespace:serviceaccountname] [--dry-run=server|client|none]",
    "Give a cluster role to somebody, everywhere",
    run=cluster_role_binding,
    flags=(
        *GENERATOR_FLAGS,
        Flag("clusterrole", usage="The cluster role to give. Required."),
        *_SUBJECT_FLAGS,
    ),
    description="Give a cluster role to users, groups and service accounts, in all namespaces and beyond.",
    examples="""\
# Administrators of everything
kctl create clusterrolebinding admins --clusterrole=cluster-admin --group=operators

# A service account that reads metrics
kctl create clusterrolebinding scraper --clusterrole=view --serviceaccount=monitoring:prometheus""",
)
