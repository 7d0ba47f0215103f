"""`kctl create rolebinding|clusterrolebinding`. Kubernetes: create_rolebinding.go, create_clusterrolebinding.go.

`kctl create role|clusterrole`. Kubernetes: kubectl/pkg/cmd/create/create_role.go, create_clusterrole.go.
"""

from __future__ import annotations

from typing import NamedTuple

from kctl.changes.create.generator import GENERATOR_FLAGS, make, metadata, the_name
from kctl.command_line.command import Command
from kctl.command_line.flags import Flag, FlagSet
from kctl.errors import KctlError
from kctl.session.session import Session
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.objects import JSONObject
from localplane.client.errors import NoMatch
from localplane.client.rest.names import GroupVersionResource

_GROUP = "rbac.authorization.k8s.io"


def _binding(kind: str, described: JSONObject, role_kind: str, role: str, flags: FlagSet) -> JSONObject:
    obj: JSONObject = {"kind": kind, "apiVersion": f"{_GROUP}/v1", "metadata": described}
    if subjects := _subjects(flags):
        obj["subjects"] = subjects
    obj["roleRef"] = {"apiGroup": _GROUP, "kind": role_kind, "name": role}
    return obj


def _subjects(flags: FlagSet) -> list[JSONObject]:
    subjects = [{"kind": "User", "apiGroup": _GROUP, "name": name} for name in flags.texts("user")]
    subjects += [{"kind": "Group", "apiGroup": _GROUP, "name": name} for name in flags.texts("group")]
    for account in flags.texts("serviceaccount"):
        namespace, _, name = account.partition(":")
        if not namespace or not name or ":" in name:
            raise KctlError("serviceaccount must be <namespace>:<name>")
        subjects.append({"kind": "ServiceAccount", "name": name, "namespace": namespace})
    return subjects


async def role_binding(session: Session, flags: FlagSet) -> None:
    name = the_name(session, flags)
    role, cluster_role = flags.text("role"), flags.text("clusterrole")
    if bool(role) == bool(cluster_role):
        raise KctlError("exactly one of clusterrole or role must be specified")
    kind = "Role" if role else "ClusterRole"
    obj = _binding("RoleBinding", metadata(session, name), kind, role or cluster_role, flags)
    await make(session, flags, obj, "rolebindings", failure="failed to create rolebinding:")


async def cluster_role_binding(session: Session, flags: FlagSet) -> None:
    name = the_name(session, flags, "clusterrole")
    obj = _binding("ClusterRoleBinding", {"name": name}, "ClusterRole", flags.text("clusterrole"), flags)
    await make(session, flags, obj, "clusterrolebindings", failure="failed to create clusterrolebinding:")


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


_API = {"apiVersion": "rbac.authorization.k8s.io/v1"}
_RBAC = "rbac.authorization.k8s.io"
_ROLES = ((_RBAC, "roles"), (_RBAC, "clusterroles"))
_VERBS = (
    *("*", "get", "delete", "list", "create", "update", "patch", "watch", "proxy", "deletecollection"),
    *("use", "bind", "escalate", "impersonate"),
)
_URL_VERBS = ("*", "get", "post", "put", "delete", "patch", "head", "options")
_SPECIAL_VERBS = {
    "use": (("policy", "podsecuritypolicies"), ("extensions", "podsecuritypolicies")),
    "bind": _ROLES,
    "escalate": _ROLES,
    "impersonate": (
        ("", "users"),
        ("", "serviceaccounts"),
        ("", "groups"),
        ("authentication.k8s.io", "userextras"),
    ),
}
"""Verbs that only mean something on certain resources."""


class _Target(NamedTuple):
    resource: str
    group: str
    subresource: str

    @classmethod
    def read(cls, text: str) -> _Target:
        kind, _, subresource = text.partition("/")
        resource, _, group = kind.partition(".")
        return cls(resource, group, subresource)

    @property
    def asked_for(self) -> GroupVersionResource:
        return GroupVersionResource(self.group, "", self.resource)


class _Wanted(NamedTuple):
    verbs: list[str]
    targets: list[_Target]
    names: list[str]
    urls: list[str]


def _wanted(flags: FlagSet) -> _Wanted:
    verbs = list(dict.fromkeys(flags.texts("verb")))
    targets = []
    for text in flags.texts("resource"):
        target = _Target.read(text)
        if text == "*":
            targets = [target]
            break
        targets.append(target)
    urls = flags.texts("non-resource-url") if flags.known("non-resource-url") else []
    return _Wanted(
        ["*"] if "*" in verbs else verbs,
        targets,
        list(dict.fromkeys(flags.texts("resource-name"))),
        list(dict.fromkeys(urls)),
    )


def _warn_of_verbs(session: Session, verbs: list[str]) -> None:
    for verb in verbs:
        if verb not in _VERBS:
            session.say(f"Warning: '{verb}' is not a standard resource verb\n")


async def _check_resources(session: Session, wanted: _Wanted) -> None:
    for target in wanted.targets:
        if not target.resource:
            raise KctlError("resource must be specified if apiGroup/subresource specified")
        if target.resource == "*":
            return
        found, problem = await _look_up(session, target)
        for verb in wanted.verbs:
            allowed = _SPECIAL_VERBS.get(verb)
            if allowed is None:
                continue
            if (found.group, found.resource) not in allowed:
                raise KctlError(f"can not perform '{verb}' on '{found.resource}' in group '{found.group}'")
            problem = None
        if problem is not None:
            raise problem


async def _look_up(session: Session, target: _Target) -> tuple[GroupVersionResource, KctlError | None]:
    """The resource that is meant; if the server has none, what was typed and what is wrong with it."""
    for fresh in (False, True):
        if fresh:
            await session.discovery.discover(fresh=True)
        try:
            return (await session.discovery.mapper()).resource_for(target.asked_for), None
        except NoMatch:
            continue
    where = f" in group {go_quote(target.group)}" if target.group else ""
    message = f"the server doesn't have a resource type {go_quote(target.resource)}{where}"
    return target.asked_for, KctlError(message, verbatim=True)


async def _rules(session: Session, wanted: _Wanted) -> list[JSONObject]:
    """A rule for each group, and one for the URLs."""
    by_group: dict[str, list[str]] = {}
    for target in wanted.targets:
        found, _ = await _look_up(session, target)
        name = f"{found.resource}/{target.subresource}" if target.subresource else found.resource
        resources = by_group.setdefault(found.group, [])
        if name not in resources:
            resources.append(name)
    rules: list[JSONObject] = []
    for group in sorted(by_group):
        rule: JSONObject = {"verbs": wanted.verbs, "apiGroups": [group], "resources": by_group[group]}
        rules.append(rule | {"resourceNames": wanted.names} if wanted.names else rule)
    if wanted.urls:
        rules.append({"verbs": wanted.verbs, "nonResourceURLs": wanted.urls})
    return rules


async def role(session: Session, flags: FlagSet) -> None:
    name = the_name(session, flags)
    wanted = _wanted(flags)
    if not wanted.verbs:
        raise KctlError("at least one verb must be specified")
    _warn_of_verbs(session, wanted.verbs)
    if not wanted.targets:
        raise KctlError("at least one resource must be specified")
    await _check_resources(session, wanted)
    obj = {"kind": "Role", **_API, "metadata": metadata(session, name), "rules": await _rules(session, wanted)}
    await make(session, flags, obj, "roles")


async def cluster_role(session: Session, flags: FlagSet) -> None:
    name = the_name(session, flags)
    wanted = _wanted(flags)
    obj: JSONObject = {"kind": "ClusterRole", **_API, "metadata": {"name": name}}
    if labels := dict(sorted(flags.pairs("aggregation-rule").items())):
        if any(wanted):
            raise KctlError(
                "aggregation rule must be specified without nonResourceURLs, verbs, resources or resourceNames"
            )
        selectors = [{"matchLabels": labels}]
        obj |= {"rules": None, "aggregationRule": {"clusterRoleSelectors": selectors}}
    else:
        await _check_cluster_role(session, wanted)
        obj["rules"] = await _rules(session, wanted)
    await make(session, flags, obj, "clusterroles")


async def _check_cluster_role(session: Session, wanted: _Wanted) -> None:
    if not wanted.verbs:
        raise KctlError("at least one verb must be specified")
    if not wanted.targets and not wanted.urls:
        raise KctlError("one of resource or nonResourceURL must be specified")
    if wanted.targets:
        _warn_of_verbs(session, wanted.verbs)
        await _check_resources(session, wanted)
    if wanted.urls:
        for verb in wanted.verbs:
            if verb not in _URL_VERBS:
                raise KctlError(f"invalid verb: '{verb}' for nonResourceURL")
        for url in wanted.urls:
            if url == "*":
                continue
            if not url.startswith("/"):
                raise KctlError("nonResourceURL should start with /")
            if "*" in url[:-1]:
                raise KctlError("nonResourceURL only supports wildcard matches when '*' is at the end")


_RULE_FLAGS = (
    Flag("verb", "slice", (), "What may be done: get,list,watch; * for everything."),
    Flag("resource", "slice", (), "To what: pods, deployments.apps, pods/log; * for everything."),
    Flag("resource-name", "array", (), "Only to objects of this name; may be repeated."),
)
ROLE = Command(
    "role",
    "role NAME --verb=verb --resource=resource.group/subresource [--resource-name=resourcename] "
    "[--dry-run=server|client|none]",
    "Make a role: what may be done in one namespace",
    run=role,
    flags=(*GENERATOR_FLAGS, *_RULE_FLAGS),
    description="""\
Make a role: verbs that may be used on types in one namespace. The server is asked which types there are, so that short
names and single nouns will do. Who has the role is said by a role binding.""",
    examples="""\
# Read pods and their logs
kctl create role pod-reader --verb=get,list,watch --resource=pods,pods/log

# Scale one deployment
kctl create role scaler --verb=update,patch --resource=deployments.apps/scale --resource-name=web""",
)
CLUSTER_ROLE = Command(
    "clusterrole",
    "clusterrole NAME --verb=verb --resource=resource.group [--resource-name=resourcename] "
    "[--dry-run=server|client|none]",
    "Make a cluster role: what may be done anywhere",
    run=cluster_role,
    flags=(
        *GENERATOR_FLAGS,
        *_RULE_FLAGS,
        Flag("non-resource-url", "slice", (), "A path of the server that is no object: /metrics, /healthz/*."),
        Flag("aggregation-rule", "pairs", {}, "Consist of all cluster roles with these labels, key=value,key=value."),
    ),
    description="""\
Make a cluster role: verbs that may be used on types, and on paths of the server. Or one that consists of others,
which are found by their labels and need nothing else.""",
    examples="""\
# Read nodes
kctl create clusterrole node-reader --verb=get,list,watch --resource=nodes

# Scrape metrics
kctl create clusterrole scraper --verb=get --non-resource-url=/metrics

# All that is labelled for monitoring
kctl create clusterrole monitoring --aggregation-rule=example.com/aggregate-to-monitoring=true""",
)
