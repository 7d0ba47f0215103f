"""`kctl set selector`. Kubernetes: kubectl/pkg/cmd/set/set_selector.go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kctl.command import Command
from kctl.errors import KctlError
from kctl.flags import Flag

from .flags import set_flags
from .patching import Object, patch_of, send_patch

if TYPE_CHECKING:
    from kctl.flags import Given
    from kctl.resolve import Info
    from kctl.session import Session


async def run(session: Session, given: Given) -> None:
    from kctl.dry_running import dry_run
    from kctl.launching.selectors import label_selector
    from kctl.printers.typed import printer_for
    from kctl.resolve import Query, resolve

    mode = dry_run(session)
    selector = label_selector(given.arguments[-1]) if given.arguments else None
    printer = printer_for(given, "selector updated", dry_run=mode)
    if selector is None:
        raise KctlError("one selector is required")
    local = given.is_on("local")
    query = Query.of(given, given.arguments[:-1])._replace(
        select_all=given.is_on("all"), latest=not local, local=local, flatten=True, label_selector=""
    )
    found = await resolve(session, query)

    async def act(info: Info) -> None:
        obj = info.object or {}
        version = given.text("resource-version")
        if version:
            obj.get("metadata", {}).pop("resourceVersion", None)
        patch = patch_of(obj, lambda one: _change(one, selector, version)) or {}
        if not local and mode != "client":
            obj = await send_patch(given, info, patch, dry_run=mode == "server")
        printer.print(obj, session.write)

    await found.each(act)


def _change(obj: Object, selector: Object, version: str) -> bool:
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
    "Set the selector on a resource",
    run=run,
    flags=set_flags(
        "selector",
        Flag(
            "resource-version",
            usage="If non-empty, the selectors update will only succeed if this is the current resource-version for "
            "the object. Only valid when specifying a single resource.",
        ),
        selector=False,
    ),
    description="""\
Set the selector on a resource. Note that the new selector will overwrite the old selector if the resource had one
prior to the invocation of 'set selector'.

If --resource-version is specified, then updates will use this resource version, otherwise the existing resource-version
will be used. Note: currently selectors can only be set on Service objects.""",
    examples="""\
# Set the labels and selector before creating a deployment/service pair
kctl create service clusterip my-svc --clusterip="None" -o yaml --dry-run=client | \
kctl set selector --local -f - 'environment=qa' -o yaml | kctl create -f -""",
)
