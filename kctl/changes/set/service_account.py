"""`kctl set serviceaccount`. Kubernetes: kubectl/pkg/cmd/set/set_serviceaccount.go."""

from __future__ import annotations

from kctl.changes import dry_run
from kctl.changes.set.patches import Changing, check_common, find, pod_spec, set_flags
from kctl.command_line.command import Command
from kctl.command_line.flags import FlagSet
from kctl.errors import KctlError
from kctl.printers import typed
from kctl.session.session import Session
from localplane.apimachinery.objects import JSONObject


async def run(session: Session, flags: FlagSet) -> None:
    mode = dry_run.dry_run(session)
    check_common(flags, mode)
    printer = typed.printer_for(flags, "serviceaccount updated", dry_run=mode)
    if not flags.arguments:
        raise KctlError("serviceaccount is required")
    name = flags.arguments[-1]
    infos = await find(session, flags, flags.arguments[:-1], refuses=False)
    changing = Changing(session, flags, printer, mode=mode, failure="failed to patch ServiceAccountName")

    def change(obj: JSONObject) -> bool:
        pod_spec(obj)["serviceAccountName"] = name
        return True

    await changing.run(infos, change, even_if_same=True)


COMMAND = Command(
    "serviceaccount",
    "serviceaccount (-f FILENAME | TYPE NAME) SERVICE_ACCOUNT",
    "Set the service account of pods",
    run=run,
    aliases=("sa",),
    flags=set_flags(selector=False),
    description="""\
Set which service account pods run as, in what makes them: deployments, daemon sets, stateful sets, replica sets,
replication controllers, jobs and cron jobs.""",
    examples="""\
# Let a deployment's pods run as `reader`
kctl set serviceaccount deployment/web reader

# All deployments of the namespace
kctl set sa deployments --all reader

# A file, without a server
kctl set sa -f web.yaml reader --local -o yaml""",
)
