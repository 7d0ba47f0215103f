"""`apply edit-last-applied`: the annotation, edited as the object that it is.

Kubernetes: EditOptions.visitToApplyEditPatch.
"""

from __future__ import annotations

from kctl import program
from kctl.changes import dry_run
from kctl.changes.apply import last_applied
from kctl.changes.edit.loop import LAST_APPLIED_HEADER, EditLoop, Results
from kctl.changes.edit.patches import matching
from kctl.command_line.flags import FlagSet
from kctl.errors import KctlError, raise_all
from kctl.objects import Info, Query, decoding, manifests, resolve
from kctl.printers import results as result_printers
from kctl.session.session import Session
from localplane.apimachinery import serializers
from localplane.apimachinery.golang.text import go_json
from localplane.client.rest.resources import PatchType

_SOURCE = "edited-file"


async def edit_last_applied(session: Session, flags: FlagSet) -> None:
    query = Query.of(flags)._replace(types_alone=True, latest=True, flatten=True, keep_going=True)
    result = await resolve(session, query)
    dry_run.field_validation(flags)
    texts = [last_applied.original(info.object or {}) for info in await result.infos()]
    raise_all(result.errors)
    infos = [await _remembered(session, text) for text in texts if text]
    if not infos:
        raise KctlError(
            "no last-applied-configuration annotation found on resources, to create the annotation, use command "
            f"`{program.name()} apply set-last-applied --create-annotation`"
        )
    before = [info.object or {} for info in infos]

    async def attempt(edited: list[Info], results: Results) -> None:
        del results
        for info in edited:
            obj = info.object or {}
            is_same = last_applied.encoded(obj) == last_applied.encoded(matching(before, obj))
            if not is_same:
                await _annotate(flags, info)
            done = "skipped" if is_same else "edited"
            result_printers.printer_for(flags, done).print(obj, session.write_object)

    await EditLoop(session, flags, attempt, header=LAST_APPLIED_HEADER).run(infos)


async def _remembered(session: Session, text: str) -> Info:
    """What the annotation says, as an object. Raises KctlError."""
    try:
        value = serializers.parse_yaml(text).value
    except serializers.SerializationError as error:
        raise KctlError(f"error parsing {_SOURCE}: error converting YAML to JSON: {error}") from error
    return await manifests.place(session, Query(default_namespace=False), decoding.decoded(value, _SOURCE), _SOURCE)


async def _annotate(flags: FlagSet, info: Info) -> None:
    patch = {"metadata": {"annotations": {last_applied.ANNOTATION: last_applied.encoded(info.object or {})}}}
    await info.resource.patch(
        info.name,
        go_json(patch).encode(),
        PatchType.MERGE,
        field_manager=flags.text("field-manager"),
        field_validation=dry_run.field_validation(flags),
    )
