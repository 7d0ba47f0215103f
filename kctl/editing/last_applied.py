"""`apply edit-last-applied`: the annotation, edited as the object that it is.

Kubernetes: EditOptions.visitToApplyEditPatch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kctl.apply import last_applied
from kctl.errors import KctlError, raise_all
from kctl.printers import results as result_printers
from localplane.client.resources import PatchType

from .loop import LAST_APPLIED_HEADER, EditLoop, Results

if TYPE_CHECKING:
    from kctl.flags import Given
    from kctl.resolve import Info
    from kctl.session import Session


async def edit_last_applied(session: Session, given: Given) -> None:
    from kctl.resolve import Query, resolve

    query = Query.of(given)._replace(types_alone=True, latest=True, flatten=True, keep_going=True)
    found = await resolve(session, query)
    infos = [_remembered(session, info) for info in await found.infos() if last_applied.original(info.object or {})]
    raise_all(found.errors)
    if not infos:
        raise KctlError(
            "no last-applied-configuration annotation found on resources, to create the annotation, use command "
            "`kctl apply set-last-applied --create-annotation`"
        )
    before = {_place(info): info.object for info in infos}

    async def attempt(edited: list[Info], results: Results) -> None:
        del results
        for info in edited:
            if _place(info) not in before:
                raise KctlError(f"no original object found for {info.shown}")
            done = "skipped" if info.object == before[_place(info)] else "edited"
            if done == "edited":
                await _annotate(given, info)
            result_printers.printer_for(given, done).print(info.object or {}, session.write)

    await EditLoop(session, given, attempt, header=LAST_APPLIED_HEADER).run(infos)


def _remembered(session: Session, info: Info) -> Info:
    """What the annotation says, in the place of the object that has it."""
    import orjson

    from kctl.resolve import Info as NewInfo

    obj = orjson.loads(last_applied.original(info.object or {}) or "{}")
    return NewInfo(session, info.mapping, namespace=info.namespace, name=info.name, obj=obj, source=info.source)


async def _annotate(given: Given, info: Info) -> None:
    from kctl.dry_running import field_validation

    patch = {"metadata": {"annotations": {last_applied.ANNOTATION: last_applied.encoded(info.object or {})}}}
    await info.resource.patch(
        info.name,
        patch,
        PatchType.MERGE,
        field_manager=given.text("field-manager"),
        field_validation=field_validation(given),
    )


def _place(info: Info) -> tuple[str, str, str]:
    return str(info.rest_mapping.resource), info.namespace, info.name
