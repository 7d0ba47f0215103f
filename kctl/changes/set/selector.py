"""`kctl set selector`. Kubernetes: kubectl/pkg/cmd/set/set_selector.go."""

from __future__ import annotations

from kctl.changes import dry_run
from kctl.changes.change_cause import recorded
from kctl.changes.launch import names
from kctl.changes.set.patches import LOCAL, plan, require_struct, send_patch, set_flags
from kctl.command_line.command import Command
from kctl.command_line.flags import Flag, FlagSet
from kctl.errors import KctlError, SeveralErrors, raise_all
from kctl.objects import Info, Query, resolve
from kctl.printers import typed
from kctl.session.session import Session
from localplane.apimachinery.errors import APIError
from localplane.apimachinery.objects import JSONObject


async def run(session: Session, flags: FlagSet) -> None:
    mode = dry_run.dry_run(session)
    selector = names.label_selector(flags.arguments[-1]) if flags.arguments else None
    printer = typed.printer_for(flags, "selector updated", dry_run=mode)
    if selector is None:
        raise KctlError("one selector is required")
    local = flags.is_on("local")
    if local and flags.arguments[:-1]:
        raise KctlError(LOCAL)
    query = Query.of(flags, flags.arguments[:-1])._replace(
        types_alone=flags.is_on("all"), latest=not local, local=local, flatten=True, keep_going=True, label_selector=""
    )
    result = await resolve(session, query)
    annotations = recorded(session)

    async def act(info: Info) -> None:
        require_struct(info)
        version = flags.text("resource-version")
        if version:
            (info.object or {}).get("metadata", {}).pop("resourceVersion", None)
        patch = plan(info, lambda one: _change(one, selector, version), annotations) or {}
        obj = info.object or {}
        if not local and mode != "client":
            obj = await send_patch(flags, info, patch, dry_run=mode == "server")
        printer.print(obj, session.write_object)

    errors: list[Exception] = []
    async for info in result.visit():
        try:
            await act(info)
        except (KctlError, APIError) as error:
            errors.append(error)
    errors += result.errors
    if len(errors) > 1:
        raise SeveralErrors(errors)  # also those that say the same
    result.raise_errors()
    raise_all(errors)


def _change(obj: JSONObject, selector: JSONObject, version: str) -> bool:
    if version:
        obj.setdefault("metadata", {})["resourceVersion"] = version
    if (obj.get("apiVersion"), obj.get("kind")) != ("v1", "Service"):
        raise KctlError("setting a selector is only supported for Services")
    if expressions := selector.get("matchExpressions"):
        listed = " ".join(
            f"{{{one['key']} {one['operator']} [{' '.join(one.get('values') or ())}]}}" for one in expressions
        )
        raise KctlError(f"match expression [{listed}] not supported on this object")
    labels = selector.get("matchLabels") or {}
    spec = obj.setdefault("spec", {})
    if labels:
        spec["selector"] = dict(labels)
    else:
        spec.pop("selector", None)
    return True


COMMAND = Command(
    "selector",
    "selector (-f FILENAME | TYPE NAME) EXPRESSIONS [--resource-version=version]",
    "Set the selector of a service",
    run=run,
    flags=tuple(
        flag._replace(default=True) if flag.name == "recursive" else flag
        for flag in set_flags(
            Flag("resource-version", usage="Only if the object still has this version."),
            selector=False,
        )
        if flag.name != "kustomize"
    ),
    description="""\
Set which pods a service sends its traffic to. The new selector takes the place of the old one; it may only say that
labels have values (app=web,tier=front), as that is all a service understands.""",
    examples="""\
# Send the traffic to the green pods
kctl set selector service/web app=web,colour=green

# Only if nobody has changed the service meanwhile
kctl set selector service/web app=web --resource-version=4711

# Of a manifest, without a server
kctl set selector -f service.yaml --local app=shop -o yaml""",
)
