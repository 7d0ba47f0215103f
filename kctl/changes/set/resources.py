"""`kctl set resources`. Kubernetes: kubectl/pkg/cmd/set/set_resources.go."""

from __future__ import annotations

from kctl.changes import dry_run
from kctl.changes.set.patches import Changing, check_common, find, pod_spec, selected, set_flags
from kctl.command_line.command import Command
from kctl.command_line.flags import Flag, FlagSet
from kctl.errors import KctlError
from kctl.printers import typed
from kctl.session.session import Session
from localplane.apimachinery import quantity
from localplane.apimachinery.objects import JSONObject


async def run(session: Session, flags: FlagSet) -> None:
    mode = dry_run.dry_run(session)
    printer = typed.printer_for(flags, "resource requirements updated", dry_run=mode)
    infos = await find(session, flags, flags.arguments)
    check_common(flags, mode)
    if not flags.text("limits") and not flags.text("requests"):
        raise KctlError("you must specify an update to requests or limits (in the form of --requests/--limits)")
    wanted = {name: _amounts(flags.text(name)) for name in ("limits", "requests") if flags.text(name)}
    failure = "failed to patch resources update to pod template"
    changing = Changing(session, flags, printer, mode=mode, failure=failure)

    def change(obj: JSONObject) -> bool:
        containers = selected(pod_spec(obj), flags.text("containers"))
        for container in containers:
            resources = container.setdefault("resources", {})
            for name, amounts in wanted.items():
                resources[name] = dict(sorted({**(resources.get(name) or {}), **amounts}.items()))
        if not containers:
            changing.errors.append(KctlError(f"error: unable to find container named {flags.text('containers')}"))
        return bool(containers)

    await changing.run(infos, change)


def _amounts(text: str) -> dict[str, str]:
    found = {}
    for statement in text.split(","):
        parts = statement.split("=")
        if len(parts) != 2:
            raise KctlError(f"invalid argument syntax {statement}, expected <resource>=<value>")
        try:
            found[parts[0]] = quantity.canonical(parts[1])
        except quantity.InvalidQuantity as error:
            raise KctlError(str(error)) from error
    return found


COMMAND = Command(
    "resources",
    "resources (-f FILENAME | TYPE NAME)  ([--limits=LIMITS & --requests=REQUESTS]",
    "Set what containers may use and what they ask for",
    run=run,
    flags=set_flags(
        Flag("containers", "text", "*", "Only containers of this name; * stands for any part of it.", "c"),
        Flag("limits", usage="The most a container may use: cpu=500m,memory=256Mi."),
        Flag("requests", usage="What a container asks the scheduler for: cpu=100m,memory=128Mi."),
    ),
    description="""\
Set the limits and requests of containers, in pods and in what makes pods. What is not named stays as it is, and 0
takes a limit away. A limit without a request is a request, too.""",
    examples="""\
# Limits and requests of all containers
kctl set resources deployment/web --limits=cpu=500m,memory=256Mi --requests=cpu=100m,memory=128Mi

# Of one container
kctl set resources deployment/web -c nginx --limits=memory=512Mi

# No limits any more
kctl set resources deployment/web --limits=cpu=0,memory=0

# A file, without a server
kctl set resources -f web.yaml --requests=cpu=50m --local -o yaml""",
)
