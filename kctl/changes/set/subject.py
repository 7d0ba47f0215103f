"""`kctl set subject`. Kubernetes: kubectl/pkg/cmd/set/set_subject.go."""

from __future__ import annotations

from collections.abc import Sequence

from kctl.changes import dry_run
from kctl.changes.set.patches import Changing, check_common, find, set_flags
from kctl.command_line.command import Command
from kctl.command_line.flags import Flag, FlagSet
from kctl.errors import KctlError
from kctl.objects import Info
from kctl.printers import typed
from kctl.session.session import Session
from localplane.apimachinery.objects import JSONObject

_GROUP = "rbac.authorization.k8s.io"
_BINDINGS = ("RoleBinding", "ClusterRoleBinding")


async def run(session: Session, flags: FlagSet) -> None:
    mode = dry_run.dry_run(session)
    printer = typed.printer_for(flags, "subjects updated", dry_run=mode)
    infos = await find(session, flags, flags.arguments)
    check_common(flags, mode)
    _check(flags, infos)
    subjects = _subjects(session, flags)
    changing = Changing(session, flags, printer, mode=mode, failure="failed to patch subjects to rolebinding:")

    def change(obj: JSONObject) -> bool:
        if obj.get("kind") not in _BINDINGS or not str(obj.get("apiVersion")).startswith(f"{_GROUP}/"):
            raise KctlError("setting subjects is only supported for RoleBinding/ClusterRoleBinding")
        known = list(obj.get("subjects") or ())
        missing = [one for one in subjects if one not in known]
        if missing:
            obj["subjects"] = [*known, *missing]
        return bool(missing)

    await changing.run(infos, change)


def _check(flags: FlagSet, infos: Sequence[Info]) -> None:
    accounts = flags.texts("serviceaccount")
    if not flags.texts("user") and not flags.texts("group") and not accounts:
        raise KctlError("you must specify at least one value of user, group or serviceaccount")
    for account in accounts:
        parts = account.split(":")
        if len(parts) != 2 or not parts[1]:
            raise KctlError("serviceaccount must be <namespace>:<name>")
        if not parts[0] and any((info.object or {}).get("kind") == "ClusterRoleBinding" for info in infos):
            raise KctlError("serviceaccount must be <namespace>:<name>, namespace must be specified")


def _subjects(session: Session, flags: FlagSet) -> list[JSONObject]:
    found = [{"kind": "User", "apiGroup": _GROUP, "name": name} for name in sorted(set(flags.texts("user")))]
    found += [{"kind": "Group", "apiGroup": _GROUP, "name": name} for name in sorted(set(flags.texts("group")))]
    for account in sorted(set(flags.texts("serviceaccount"))):
        namespace, _, name = account.partition(":")
        found.append({"kind": "ServiceAccount", "name": name, "namespace": namespace or session.namespace})
    return found


COMMAND = Command(
    "subject",
    "subject (-f FILENAME | TYPE NAME) [--user=username] [--group=groupname] "
    "[--serviceaccount=namespace:serviceaccountname] [--dry-run=server|client|none]",
    "Add users, groups or service accounts to a binding",
    run=run,
    flags=set_flags(
        Flag("user", "array", (), "Add this user; may be repeated."),
        Flag("group", "array", (), "Add this group; may be repeated."),
        Flag("serviceaccount", "array", (), "Add this service account, namespace:name; may be repeated."),
        record=False,
    ),
    description="""\
Add users, groups and service accounts to a role binding or cluster role binding. Those that are there stay, and
those that are there already are not added again.""",
    examples="""\
# Two users and a group
kctl set subject rolebinding/viewers --user=ada --user=grace --group=auditors

# A service account
kctl set subject clusterrolebinding/backup --serviceaccount=tools:backup

# A file, without a server
kctl set subject -f viewers.yaml --group=auditors --local -o yaml""",
)
