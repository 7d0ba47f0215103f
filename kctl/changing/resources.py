"""`kctl set resources`. Kubernetes: kubectl/pkg/cmd/set/set_resources.go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kctl.command import Command
from kctl.errors import KctlError
from kctl.flags import Flag

from .containers import selected
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
    printer = printer_for(given, "resource requirements updated", dry_run=mode)
    infos = await find(session, given, given.arguments)
    check_common(given, mode)
    if not given.text("limits") and not given.text("requests"):
        raise KctlError("you must specify an update to requests or limits (in the form of --requests/--limits)")
    wanted = {name: _amounts(given.text(name)) for name in ("limits", "requests") if given.text(name)}
    failure = "failed to patch resources update to pod template"
    changing = Changing(session, given, printer, mode=mode, failure=failure)

    def change(obj: Object) -> bool:
        containers = selected(pod_spec(obj), given.text("containers"))
        for container in containers:
            resources = container.setdefault("resources", {})
            for name, amounts in wanted.items():
                resources[name] = dict(sorted({**(resources.get(name) or {}), **amounts}.items()))
        if not containers:
            changing.errors.append(KctlError(f"error: unable to find container named {given.text('containers')}"))
        return bool(containers)

    await changing.run(infos, change)


def _amounts(text: str) -> dict[str, str]:
    from localplane.apimachinery.quantity import InvalidQuantity, canonical

    found = {}
    for statement in text.split(","):
        parts = statement.split("=")
        if len(parts) != 2:
            raise KctlError(f"invalid argument syntax {statement}, expected <resource>=<value>")
        try:
            found[parts[0]] = canonical(parts[1])
        except InvalidQuantity as error:
            raise KctlError(str(error)) from error
    return found


_AMOUNTS = (
    "For example, 'cpu=100m,memory=256Mi'. Note that server side components may assign requests depending on "
    "the server configuration, such as limit ranges."
)
COMMAND = Command(
    "resources",
    "resources (-f FILENAME | TYPE NAME)  ([--limits=LIMITS & --requests=REQUESTS]",
    "Update resource requests/limits on objects with pod templates",
    run=run,
    flags=set_flags(
        "resources",
        Flag(
            "containers",
            "text",
            "*",
            "The names of containers in the selected pod templates to change, all containers are selected by default - "
            "may use wildcards",
            "c",
        ),
        Flag("limits", usage=f"The resource requirement limits for this container. {_AMOUNTS}"),
        Flag("requests", usage=f"The resource requirement requests for this container. {_AMOUNTS}"),
    ),
    description="""\
Specify compute resource requirements (CPU, memory) for any resource that defines a pod template. If a pod is
successfully scheduled, it is guaranteed the amount of resource requested, but may burst up to its specified limits.

For each compute resource, if a limit is specified and a request is omitted, the request will default to the limit.""",
    examples="""\
# Set a deployments nginx container cpu limits to "200m" and memory to "512Mi"
kctl set resources deployment nginx -c=nginx --limits=cpu=200m,memory=512Mi

# Set the resource request and limits for all containers in nginx
kctl set resources deployment nginx --limits=cpu=200m,memory=512Mi --requests=cpu=100m,memory=256Mi

# Remove the resource requests for resources on containers in nginx
kctl set resources deployment nginx --limits=cpu=0,memory=0 --requests=cpu=0,memory=0""",
)
