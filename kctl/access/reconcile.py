"""`kctl auth reconcile`. Kubernetes: kubectl/pkg/cmd/auth/reconcile.go, component-helpers/auth/rbac/reconciliation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from kctl import standard_flags
from kctl.command import Command
from kctl.errors import KctlError
from kctl.flags import switch
from kctl.printers.choosing import output_flags

from .rules import Rule, shown, uncovered

if TYPE_CHECKING:
    from kctl.flags import Given
    from kctl.resolve import Info
    from kctl.session import Session

Object = dict[str, Any]

_GROUP = "rbac.authorization.k8s.io"
_KINDS = {
    "Role": "roles",
    "ClusterRole": "clusterroles",
    "RoleBinding": "rolebindings",
    "ClusterRoleBinding": "clusterrolebindings",
}
_AUTOUPDATE = f"{_GROUP.replace('.k8s', '.kubernetes')}/autoupdate"


class _Plan(NamedTuple):
    """`operation` is nothing, create, update or recreate."""

    operation: str
    object: Object
    protected: bool = False
    missing: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()


async def run(session: Session, given: Given) -> None:
    from kctl.dry_running import dry_run
    from kctl.printers.typed import printer_for
    from kctl.resolve import Query, resolve

    if not given.texts("filename") and not given.text("kustomize"):
        raise KctlError("must specify one of -f and -k")
    if given.arguments:
        raise KctlError("no arguments are allowed")
    mode = dry_run(session)
    if mode == "server":
        raise KctlError("--dry-run=server for command reconcile is not supported yet")
    printer = printer_for(given, "reconciled", dry_run=mode)
    found = await resolve(session, Query.of(given)._replace(keep_going=True, flatten=True, local=True))

    async def reconcile(info: Info) -> None:
        obj = info.object or {}
        group, _, version = str(obj.get("apiVersion", "")).rpartition("/")
        kind = str(obj.get("kind", ""))
        if group != _GROUP or kind not in _KINDS:
            return
        if version != "v1":
            raise KctlError(f"only rbac.authorization.k8s.io/v1 is supported: not *{version}.{kind}")
        plan = await _reconciled(session, given, obj, confirm=mode != "client")
        printer.print(plan.object, session.write)
        _report(session, given, plan, rules=not kind.endswith("Binding"))

    await found.each(reconcile)


async def _reconciled(session: Session, given: Given, wanted: Object, *, confirm: bool) -> _Plan:
    from localplane.apimachinery.errors import NotFound
    from localplane.client.names import GroupVersionResource

    kind, name = str(wanted["kind"]), str(wanted["metadata"]["name"])
    namespace = "" if kind.startswith("Cluster") else wanted["metadata"].get("namespace") or session.namespace
    client = session.client.resource(GroupVersionResource(_GROUP, "v1", _KINDS[kind]), namespace)
    try:
        existing = await client.get(name)
    except NotFound:
        plan = _created(wanted, kind)
    else:
        plan = (_binding_plan if kind.endswith("Binding") else _role_plan)(given, existing, wanted)
    if plan.protected or not confirm or not plan.operation:
        return plan
    match plan.operation:
        case "create":
            return plan._replace(object=await client.create(plan.object))
        case "update":
            return plan._replace(object=await client.update(plan.object))
    await client.delete(name, uid=str(existing["metadata"].get("uid", "")))
    return plan._replace(object=await client.create(plan.object))


def _created(wanted: Object, kind: str) -> _Plan:
    if kind.endswith("Binding"):
        return _Plan("create", wanted, missing=tuple(_shown_subject(one) for one in wanted.get("subjects") or ()))
    return _Plan("create", wanted, missing=tuple(shown(rule) for rule in wanted.get("rules") or ()))


def _merged(existing: Object, wanted: Object) -> tuple[Object, bool]:
    """The existing object with the labels and annotations that are wanted, and whether that changes anything."""
    metadata = dict(existing["metadata"])
    for field in ("annotations", "labels"):
        merged = {**(metadata.get(field) or {}), **(wanted["metadata"].get(field) or {})}
        if merged:
            metadata[field] = merged
    return {**existing, "metadata": metadata}, metadata != existing["metadata"]


def _is_protected(existing: Object) -> bool:
    return (existing["metadata"].get("annotations") or {}).get(_AUTOUPDATE) == "false"


def _role_plan(given: Given, existing: Object, wanted: Object) -> _Plan:
    obj, changed = _merged(existing, wanted)
    own: list[Rule] = existing.get("rules") or []
    rules: list[Rule] = wanted.get("rules") or []
    missing, extra = uncovered(own, rules), uncovered(rules, own)
    remove = given.is_on("remove-extra-permissions")
    if remove and (missing or extra):
        obj["rules"], changed = rules, True
    elif missing and not remove:
        obj["rules"], changed = [*own, *missing], True
    return _Plan(
        "update" if changed else "",
        obj,
        protected=_is_protected(existing),
        missing=tuple(map(shown, missing)),
        extra=tuple(map(shown, extra)),
    )


def _binding_plan(given: Given, existing: Object, wanted: Object) -> _Plan:
    protected = _is_protected(existing)
    if existing.get("roleRef") != wanted.get("roleRef"):
        return _Plan("recreate", wanted, protected=protected)
    obj, changed = _merged(existing, wanted)
    own, subjects = existing.get("subjects") or [], wanted.get("subjects") or []
    missing = [one for one in subjects if one not in own]
    extra = [one for one in own if one not in subjects]
    remove = given.is_on("remove-extra-subjects")
    if remove and (missing or extra):
        obj["subjects"], changed = subjects, True
    elif missing and not remove:
        obj["subjects"], changed = [*own, *missing], True
    return _Plan(
        "update" if changed else "",
        obj,
        protected=protected,
        missing=tuple(map(_shown_subject, missing)),
        extra=tuple(map(_shown_subject, extra)),
    )


def _shown_subject(subject: Object) -> str:
    """Go's %+v."""
    fields = (("Kind", "kind"), ("APIGroup", "apiGroup"), ("Name", "name"), ("Namespace", "namespace"))
    return "{" + " ".join(f"{title}:{subject.get(field, '')}" for title, field in fields) + "}"


def _report(session: Session, given: Given, plan: _Plan, *, rules: bool) -> None:
    if not plan.operation:
        return
    caveat = f", but object opted out ({_AUTOUPDATE}: false)" if plan.protected else ""
    session.say(f"\treconciliation required {plan.operation}{caveat}\n")
    what = "rules" if rules else "subjects"
    remove = given.is_on("remove-extra-permissions" if rules else "remove-extra-subjects")
    for title, lines in (
        (f"missing {what} added", plan.missing),
        (f"extra {what} removed", plan.extra if remove else ()),
    ):
        if lines:
            session.say(f"\t{title}:\n" + "".join(f"\t\t{line}\n" for line in lines))


COMMAND = Command(
    "reconcile",
    "reconcile -f FILENAME",
    "Reconciles rules for RBAC role, role binding, cluster role, and cluster role binding objects",
    run=run,
    flags=(
        *output_flags(),
        switch("remove-extra-permissions", "If true, removes extra permissions added to roles"),
        switch("remove-extra-subjects", "If true, removes extra subjects added to rolebindings"),
        standard_flags.DRY_RUN,
        *standard_flags.filename_flags("identifying the resource to reconcile."),
    ),
    description="""\
Reconciles rules for RBAC role, role binding, cluster role, and cluster role binding objects.

Missing objects are created, and the containing namespace is created for namespaced objects, if required. Existing
roles are updated to include the permissions in the input objects, and remove extra permissions if
--remove-extra-permissions is specified. Existing bindings are updated to include the subjects in the input objects,
and remove extra subjects if --remove-extra-subjects is specified.""",
    examples="# Reconcile RBAC resources from a file\nkctl auth reconcile -f my-rbac-rules.yaml",
)
