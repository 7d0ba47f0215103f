"""`kctl rollout history`. Kubernetes: kubectl/pkg/cmd/rollout/rollout_history.go."""

from __future__ import annotations

from kctl.changes.rollout.revisions import FLAGS, History, find, history, require_resource
from kctl.command_line.command import Command
from kctl.command_line.flags import Flag, FlagSet
from kctl.errors import KctlError
from kctl.objects import Info
from kctl.printers import typed
from kctl.printers.choice import output_flags
from kctl.session.session import Session
from kctl.views.describe import page as describe_page
from kctl.views.describe import pods
from localplane.apimachinery.objects import JSONObject


async def run(session: Session, flags: FlagSet) -> None:
    require_resource(flags)
    revision = flags.number("revision")
    if revision < 0:
        raise KctlError(f"revision must be a positive integer: {revision}")
    result = await find(session, flags)
    printer = typed.printer_for(flags, "") if flags.changed("output") else None

    async def show(info: Info) -> None:
        past = await history(info)
        if printer is not None:
            for obj in _chosen(past, revision):
                printer.print(obj, session.write_object)
            return
        title = f"with revision #{revision}" if revision > 0 else ""
        shown = f"{title}\n{_text(past, revision)}"
        typed.printer_for(flags, shown).print(info.object or {}, session.write_object)

    await result.each(show)


def _chosen(past: History, revision: int) -> list[JSONObject]:
    if not revision:
        return [past.objects[number] for number in sorted(past.objects)]
    if revision not in past.objects:
        raise KctlError("unable to find the specified revision")
    return [past.objects[revision]]


def _text(past: History, revision: int) -> str:
    if not past.templates:
        return "No rollout history found."
    page = describe_page.Page()
    if not revision:
        page.line("REVISION\tCHANGE-CAUSE")
        for number in sorted(past.causes):
            page.line(f"{number}\t{past.causes[number] or '<none>'}")
        return page.text
    if revision not in past.templates:
        raise KctlError("unable to find the specified revision")
    pods.pod_template(page, past.templates[revision])
    return page.plain


COMMAND = Command(
    "history",
    "history (TYPE NAME | TYPE/NAME) [flags]",
    "List the revisions of a workload",
    run=run,
    flags=(
        *output_flags(),
        Flag("revision", "int", 0, "Show this revision's pod template."),
        *FLAGS,
    ),
    description="""\
List the revisions of deployments, daemon sets and stateful sets, each with the kubernetes.io/change-cause that was
noted for it. These are the revisions that 'kctl rollout undo' can go back to.""",
    examples="""\
# The revisions of a deployment
kctl rollout history deployment/web

# What revision 3 ran
kctl rollout history daemonset/agent --revision=3

# A revision as YAML
kctl rollout history statefulset/db --revision=2 -o yaml

# Of everything with a label
kctl rollout history deployments -l team=shop""",
)
