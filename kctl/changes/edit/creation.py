"""`create --edit`: a file's objects, edited one by one before they are created.

Kubernetes: EditOptions.visitToCreate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kctl.changes.edit.loop import EditLoop
from kctl.errors import KctlError
from kctl.printers import results as result_printers

if TYPE_CHECKING:
    from kctl.changes.edit.loop import Results
    from kctl.command_line.flags import Given
    from kctl.objects import Info
    from kctl.session.session import Session


async def edit_before_create(session: Session, given: Given) -> None:
    from kctl.objects import Query, resolve

    if not given.texts("filename") and not given.text("kustomize"):
        raise KctlError("must specify one of -f and -k")

    async def attempt(edited: list[Info], results: Results) -> None:
        del results
        for info in edited:
            await _create(session, given, info)

    found = await resolve(session, Query.of(given)._replace(flatten=True))
    for info in await found.infos():
        await EditLoop(session, given, attempt).run([info])


async def _create(session: Session, given: Given, info: Info) -> None:
    from kctl.changes.apply.last_applied import written
    from kctl.changes.dry_run import field_validation

    obj = written(info.object or {})
    created = await info.resource.create(obj, field_manager="kctl-create", field_validation=field_validation(given))
    result_printers.printer_for(given, "created").print(created, session.write_object)
