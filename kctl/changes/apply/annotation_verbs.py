"""`apply view-last-applied` and `set-last-applied`.

Kubernetes: apply_view_last_applied.go, apply_set_last_applied.go.
"""

from __future__ import annotations

from kctl.changes import dry_run
from kctl.changes.apply import last_applied
from kctl.changes.apply.client_side import described
from kctl.command_line.flags import FlagSet
from kctl.errors import KctlError, UsageError, with_source
from kctl.objects import Info, Query, resolve
from kctl.printers import results
from kctl.printers.objects import go_indented
from kctl.session.session import Session
from localplane.apimachinery import serializers
from localplane.apimachinery.errors import APIError, NotFound
from localplane.apimachinery.golang.text import go_json, go_quote
from localplane.client.rest import resources


async def view_last_applied(session: Session, flags: FlagSet) -> None:
    if flags.is_on("all") and flags.text("selector").strip():
        said = go_quote(flags.text("selector"))
        raise KctlError(f"found non-empty label selector {said} with previously set 'all' parameter. ")
    query = Query.of(flags)._replace(
        select_all=flags.is_on("all"), latest=True, flatten=True, types_alone=session.namespace_is_explicit
    )
    result = await resolve(session, query)
    texts = []
    async for info in result.visit():
        text = last_applied.original(info.object or {})
        if text is None:
            missing = f"no last-applied-configuration annotation found on resource: {info.name}\n"
            if not info.source:
                continue  # kubectl's message has nowhere to go
            raise with_source(KctlError("<nil>"), missing, info.source)
        texts.append(text)
    for text in texts:
        session.write(_shown(text, flags.text("output")))


def _shown(text: str, output: str) -> str:
    import orjson

    match output:
        case "json":
            return go_indented(orjson.loads(text), indent=2, sort=False) + "\n"
        case "yaml":
            return serializers.to_yaml(orjson.loads(text)).decode()
    raise UsageError(
        f"Unexpected -o output mode: {output}, the flag 'output' must be one of yaml|json",
        hint="See 'kctl apply view-last-applied -h' for help and examples",
    )


async def set_last_applied(session: Session, flags: FlagSet) -> None:
    strategy = dry_run.dry_run(session)
    printer = results.printer_for(flags, "configured", dry_run=strategy)
    result = await resolve(session, Query.of(flags, ())._replace(flatten=True))
    waiting: list[tuple[Info, str]] = []
    async for info in result.visit():
        text = last_applied.encoded(info.object or {})
        if await _differs(session, flags, info, text):
            waiting.append((info, text))
    for info, text in waiting:
        obj = info.object or {}
        if strategy != "client":
            patch = {"metadata": {"annotations": {last_applied.ANNOTATION: text}}}
            obj = await info.resource.patch(
                info.name, go_json(patch).encode(), resources.PatchType.MERGE, dry_run=strategy == "server"
            )
        printer.print(obj, session.write_object)


async def _differs(session: Session, flags: FlagSet, info: Info, text: str) -> bool:
    """Whether the live object remembers something else. `info` has the live object then."""
    try:
        live = await info.get()
    except NotFound:
        raise
    except APIError as error:
        doing = f"retrieving current configuration of:\n{described(info)}\nfrom server for:"
        raise with_source(error, doing, info.source) from error
    before = last_applied.original(live)
    if before is None and not flags.is_on("create-annotation"):
        raise KctlError(
            f"no last-applied-configuration annotation found on resource: {info.name}, to create the annotation, run "
            "the command with --create-annotation"
        )
    if before == text:
        session.write(f"set-last-applied {info.name}: no changes required.\n")
        return False
    return True
