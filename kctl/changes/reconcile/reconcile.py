"""`kctl auth reconcile`. Kubernetes: kubectl/pkg/cmd/auth/reconcile.go, component-helpers/auth/rbac/reconciliation."""

from __future__ import annotations

from contextlib import suppress

from kctl.changes import dry_run
from kctl.changes.reconcile import plans
from kctl.changes.reconcile.plans import Plan
from kctl.command_line import standard_flags
from kctl.command_line.command import Command
from kctl.command_line.flags import FlagSet, switch
from kctl.errors import KctlError
from kctl.objects import Info, Query, resolve
from kctl.printers import typed
from kctl.printers.choice import output_flags
from kctl.session.session import Session
from localplane.apimachinery.errors import AlreadyExists, Conflict, Forbidden, NotFound
from localplane.apimachinery.golang.text import go_quote, json_type
from localplane.apimachinery.objects import JSONObject
from localplane.client.rest import resources
from localplane.client.rest.names import GroupVersionResource

_GROUP = "rbac.authorization.k8s.io"
_KINDS = {
    "Role": "roles",
    "ClusterRole": "clusterroles",
    "RoleBinding": "rolebindings",
    "ClusterRoleBinding": "clusterrolebindings",
}
_ATTEMPTS = 3
_RULE_FIELDS = ("verbs", "apiGroups", "resources", "resourceNames", "nonResourceURLs")


async def run(session: Session, flags: FlagSet) -> None:
    if not flags.texts("filename") and not flags.text("kustomize"):
        raise KctlError("must specify one of -f and -k")
    if flags.arguments:
        raise KctlError("no arguments are allowed")
    mode = _mode(session)
    result = await resolve(session, Query.of(flags)._replace(keep_going=True, flatten=True, local=True, typed=True))
    printer = typed.printer_for(flags, "reconciled", dry_run=mode)

    async def reconcile(info: Info) -> None:
        obj = _checked(info)
        group, _, version = str(obj.get("apiVersion", "")).rpartition("/")
        kind = str(obj.get("kind", ""))
        if group != _GROUP or kind not in _KINDS:
            return
        if version != "v1":
            raise KctlError(f"only rbac.authorization.k8s.io/v1 is supported: not *{version}.{kind}")
        plan = await _reconciled(session, flags, obj, confirm=mode != "client")
        printer.print(plan.object, session.write_object)
        session.flush()
        _report(session, flags, plan, rules=not kind.endswith("Binding"))

    await result.each(reconcile)


def _mode(session: Session) -> str:
    try:
        mode = dry_run.dry_run(session)
    except KctlError as error:
        raise KctlError(f"error accessing --dry-run flag for command reconcile: {error}") from error
    if mode == "server":
        raise KctlError("--dry-run=server for command reconcile is not supported yet")
    return mode


def _checked(info: Info) -> JSONObject:
    """Raises KctlError for rules that kubectl's decoder would not accept, in its words."""
    obj = info.object or {}
    rules = (obj.get("rules") or ()) if str(obj.get("apiVersion", "")).startswith(_GROUP) else ()
    for rule in rules:
        for field in _RULE_FIELDS:
            for value in rule.get(field) or ():
                if not isinstance(value, str):
                    place = f"Go struct field PolicyRule.rules.{field} of type string"
                    problem = f"json: cannot unmarshal {json_type(value)} into {place}"
                    raise KctlError(f"unable to decode {go_quote(info.source)}: {problem}")
    return obj


async def _reconciled(session: Session, flags: FlagSet, wanted: JSONObject, *, confirm: bool) -> Plan:
    """Tried again if somebody else changes the object at the same time."""
    kind = str(wanted["kind"])
    namespace = "" if kind.startswith("Cluster") else str(wanted["metadata"].get("namespace") or "")
    client = session.client.resource(GroupVersionResource(_GROUP, "v1", _KINDS[kind]), namespace)
    for attempt in range(_ATTEMPTS):
        plan, existing = await _planned(client, flags, wanted)
        if plan.protected or not confirm or not plan.operation:
            return plan
        try:
            if plan.operation == "create" and not kind.startswith("Cluster"):
                await _ensure_namespace(session, namespace)
            return plan._replace(object=await _sent(client, plan, existing))
        except (AlreadyExists, Conflict, NotFound):
            if attempt == _ATTEMPTS - 1:
                raise
    raise KctlError("exceeded maximum attempts")


async def _planned(client: resources.ResourceClient, flags: FlagSet, wanted: JSONObject) -> tuple[Plan, JSONObject]:
    """And what is there now."""
    try:
        existing = await client.get(wanted["metadata"]["name"])
    except NotFound:
        return plans.creation(wanted), {}
    if str(wanted["kind"]).endswith("Binding"):
        return plans.binding(existing, wanted, remove=flags.is_on("remove-extra-subjects")), existing
    return plans.role(existing, wanted, remove=flags.is_on("remove-extra-permissions")), existing


async def _sent(client: resources.ResourceClient, plan: Plan, existing: JSONObject) -> JSONObject:
    if plan.operation == "update":
        return await client.update(plan.object)
    if plan.operation == "recreate":
        with suppress(NotFound):
            await client.delete(existing["metadata"]["name"], uid=str(existing["metadata"].get("uid", "")))
    return await client.create(plan.object)


async def _ensure_namespace(session: Session, namespace: str) -> None:
    """As far as we may. Kubernetes: tryEnsureNamespace."""
    if not namespace:
        raise KctlError("resource name may not be empty")
    namespaces = session.client.resource(GroupVersionResource("", "v1", "namespaces"))
    try:
        await namespaces.get(namespace)
    except (NotFound, Forbidden):
        with suppress(AlreadyExists, Forbidden):
            await namespaces.create({"kind": "Namespace", "apiVersion": "v1", "metadata": {"name": namespace}})


def _report(session: Session, flags: FlagSet, plan: Plan, *, rules: bool) -> None:
    if not plan.operation:
        return
    caveat = f", but object opted out ({plans.AUTOUPDATE}: false)" if plan.protected else ""
    session.say(f"\treconciliation required {plan.operation}{caveat}\n")
    what = "rules" if rules else "subjects"
    remove = flags.is_on("remove-extra-permissions" if rules else "remove-extra-subjects")
    for title, lines in (
        (f"missing {what} added", plan.missing),
        (f"extra {what} removed", plan.extra if remove else ()),
    ):
        if lines:
            session.say(f"\t{title}:\n" + "".join(f"\t\t{line}\n" for line in lines))


COMMAND = Command(
    "reconcile",
    "reconcile -f FILENAME",
    "Give roles and bindings what files say",
    run=run,
    flags=(
        *output_flags(),
        switch("remove-extra-permissions", "Take away permissions of roles that the files don't give."),
        switch("remove-extra-subjects", "Take away subjects of bindings that the files don't name."),
        standard_flags.DRY_RUN,
        *standard_flags.filename_flags("that have the roles and bindings."),
    ),
    description="""\
Bring roles, cluster roles and their bindings up to what files say. Rules are compared by what they allow and not by how
they are written, so this suits them better than 'kctl apply'.

What is not there is made, its namespace included. Roles get the permissions that they lack, bindings the subjects;
nothing is taken away without one of the --remove flags. A binding that is for another role is made anew.""",
    examples="""\
# What would be added?
kctl auth reconcile -f rbac.yaml --dry-run=client

# Add it
kctl auth reconcile -f rbac.yaml

# Exactly what the files say, and nothing else
kctl auth reconcile -f rbac/ -R --remove-extra-permissions --remove-extra-subjects""",
)
