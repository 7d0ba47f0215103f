"""`kctl set serviceaccount`. Kubernetes: kubectl/pkg/cmd/set/set_serviceaccount.go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kctl.command import Command
from kctl.errors import KctlError

from .flags import set_flags
from .patching import Changing, Object, check_common, find
from .pod_specs import pod_spec

if TYPE_CHECKING:
    from kctl.flags import Given
    from kctl.session import Session


async def run(session: Session, given: Given) -> None:
    from kctl.dry_running import dry_run
    from kctl.printers.typed import printer_for

    mode = dry_run(session)
    check_common(given, mode)
    printer = printer_for(given, "serviceaccount updated", dry_run=mode)
    if not given.arguments:
        raise KctlError("serviceaccount is required")
    name = given.arguments[-1]
    infos = await find(session, given, [] if given.is_on("local") else given.arguments[:-1])
    changing = Changing(session, given, printer, mode=mode, failure="failed to patch ServiceAccountName")

    def change(obj: Object) -> bool:
        pod_spec(obj)["serviceAccountName"] = name
        return True

    await changing.run(infos, change, even_if_same=True)


COMMAND = Command(
    "serviceaccount",
    "serviceaccount (-f FILENAME | TYPE NAME) SERVICE_ACCOUNT",
    "Update the service account of a resource",
    run=run,
    aliases=("sa",),
    flags=set_flags("serviceaccount", selector=False),
    description="""\
Update the service account of pod template resources.

Possible resources (case insensitive) can be: replicationcontroller (rc), deployment (deploy), daemonset (ds), job,
replicaset (rs), statefulset""",
    examples="""\
# Set deployment nginx-deployment's service account to serviceaccount1
kctl set serviceaccount deployment nginx-deployment serviceaccount1

# Print the result (in YAML format) of updated nginx deployment with the service account from local file
kctl set sa -f nginx-deployment.yaml serviceaccount1 --local --dry-run=client -o yaml""",
)
