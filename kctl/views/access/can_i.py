"""`kctl auth can-i`. Kubernetes: kubectl/pkg/cmd/auth/cani.go."""

from __future__ import annotations

from kctl import program
from kctl.command_line.command import Command
from kctl.command_line.flags import Flag, FlagSet, switch
from kctl.errors import KctlError
from kctl.session.session import Session
from kctl.views.access import rules as access_rules
from localplane.apimachinery.objects import JSONObject
from localplane.client.errors import NoMatch
from localplane.client.rest.names import GroupVersionResource

_VERBS = (
    *("get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"),
    *("use", "bind", "impersonate", "*", "approve", "sign", "escalate", "attest"),
)
_URL_VERBS = ("get", "put", "post", "head", "options", "delete", "patch", "*")
_NONSTANDARD = ("users", "groups")
_ACCESS = GroupVersionResource("authorization.k8s.io", "v1", "selfsubjectaccessreviews")
_RULES = GroupVersionResource("authorization.k8s.io", "v1", "selfsubjectrulesreviews")


async def run(session: Session, flags: FlagSet) -> int | None:
    if flags.is_on("list"):
        await _list(session, flags)
        return None
    attributes = await _attributes(session, flags)
    if flags.is_on("no-headers"):
        raise KctlError("--no-headers cannot be set without --list specified")
    review = {"kind": "SelfSubjectAccessReview", "apiVersion": "authorization.k8s.io/v1", "spec": attributes}
    answer = await session.client.resource(_ACCESS).create(review)
    status = answer.get("status") or {}
    allowed = bool(status.get("allowed"))
    if not flags.is_on("quiet"):
        reasons = (
            ""
            if allowed
            else "".join(f" - {status[name]}" for name in ("reason", "evaluationError") if status.get(name))
        )
        session.write(f"{'yes' if allowed else 'no'}{reasons}\n")
    return 0 if allowed else 1


async def _attributes(session: Session, flags: FlagSet) -> JSONObject:
    if len(flags.arguments) != 2:
        raise KctlError(
            "you must specify two arguments: verb resource or verb resource/resourceName.\n"
            f"See '{program.name()} auth can-i -h' for help and examples."
        )
    verb, what = flags.arguments
    if what.startswith("/"):
        if flags.text("subresource"):
            raise KctlError("--subresource can not be used with NonResourceURL")
        if verb not in _URL_VERBS:
            session.warn(f"verb '{verb}' is not a known verb\n")
        return {"nonResourceAttributes": {"path": what, "verb": verb}}
    resource, _, name = what.partition("/")
    found = await _resource(session, resource)
    namespace = "" if flags.is_on("all-namespaces") else session.namespace
    if namespace:
        await _warn_of_scope(session, found)
        if verb not in _VERBS:
            session.warn(f"verb '{verb}' is not a known verb\n")
    attributes = {
        "namespace": namespace,
        "verb": verb,
        "group": found.group,
        "resource": found.resource,
        "subresource": flags.text("subresource"),
        "name": name,
    }
    return {"resourceAttributes": {key: value for key, value in attributes.items() if value}}


async def _resource(session: Session, argument: str) -> GroupVersionResource:
    """What was typed, if the server knows nothing of the kind."""
    if argument == "*":
        return GroupVersionResource("", "", argument)
    lower = argument.lower()
    resource, _, group = lower.partition(".")
    version, dot, rest = group.partition(".")
    asked = [GroupVersionResource(rest, version, resource)] if dot else []
    asked.append(GroupVersionResource(group, "", resource))
    for fresh in (False, True):
        if fresh:
            await session.discovery.discover(fresh=True)
        mapper = await session.discovery.mapper()
        for one in asked:
            try:
                return mapper.resource_for(one)
            except NoMatch:
                continue
    if lower not in _NONSTANDARD:
        where = f" in group '{group}'" if group else ""
        session.warn(f"the server doesn't have a resource type '{resource}'{where}\n")
    return GroupVersionResource("", "", argument)


async def _warn_of_scope(session: Session, resource: GroupVersionResource) -> None:
    for one in (await session.discovery.discover()).resources():
        if one.resource == resource and not one.namespaced:
            where = f" in group '{resource.group}'" if resource.group else ""
            session.warn(f"resource '{resource.resource}' is not namespace scoped{where}\n")


async def _list(session: Session, flags: FlagSet) -> None:
    if flags.arguments:
        raise KctlError("list option must be specified with no arguments")
    if flags.is_on("quiet") or flags.is_on("all-namespaces") or flags.text("subresource"):
        raise KctlError("list option can't be specified with neither quiet, all-namespaces nor subresource options")
    review = {
        "kind": "SelfSubjectRulesReview",
        "apiVersion": "authorization.k8s.io/v1",
        "spec": {"namespace": session.namespace},
    }
    status = (await session.client.resource(_RULES).create(review)).get("status") or {}
    if status.get("incomplete"):
        session.warn(f"the list may be incomplete: {status.get('evaluationError', '')}")
    every = [*(status.get("resourceRules") or ()), *(status.get("nonResourceRules") or ())]
    rules = sorted(
        access_rules.compact([one for rule in every for one in access_rules.broken_down(rule)]), key=access_rules.order
    )
    out = session.columns()
    if not flags.is_on("no-headers"):
        out.write("Resources\tNon-Resource URLs\tResource Names\tVerbs\n")
    for rule in rules:
        lists = (access_rules.listed(rule.get(field)) for field in ("nonResourceURLs", "resourceNames", "verbs"))
        out.write("\t".join((access_rules.resource_and_group(rule), *lists)) + "\n")
    out.flush()


COMMAND = Command(
    "can-i",
    "can-i VERB [TYPE | TYPE/NAME | NONRESOURCEURL]",
    "Ask whether you may do something",
    run=run,
    flags=(
        switch("all-namespaces", "Ask about all namespaces.", short="A"),
        switch("quiet", "Print nothing; the exit code tells.", short="q"),
        Flag("subresource", usage="Ask about a subresource, such as log or scale."),
        switch("list", "List all that is allowed in the namespace."),
        switch("no-headers", "With --list: leave out the table's first line."),
    ),
    description="""\
Ask the server whether you may do something: yes or no, and exit code 0 or 1. With --as it answers for somebody else.

VERB is what the API calls it: get, list, watch, create, update, patch, delete and so on; '*' is all of them. What it is
about is a type, one object of a type, or a path of the server such as /metrics.""",
    examples="""\
# May I create pods here?
kctl auth can-i create pods

# And delete this one deployment in another namespace?
kctl auth can-i delete deployments/web -n production

# May I read logs?
kctl auth can-i get pods --subresource=log

# May a service account list secrets everywhere?
kctl auth can-i list secrets -A --as=system:serviceaccount:shop:robot

# In a script
if kctl auth can-i -q update nodes; then echo administrator; fi

# Everything that I may
kctl auth can-i --list""",
)
