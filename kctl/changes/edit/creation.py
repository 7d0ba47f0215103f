"""`create --edit`: a file's objects, edited one by one before they are created.

Kubernetes: EditOptions.visitToCreate.
"""

from __future__ import annotations

from kctl.changes import dry_run
from kctl.changes.apply import last_applied
from kctl.changes.edit.loop import EditLoop, Results
from kctl.command_line.flags import Given
from kctl.errors import KctlError
from kctl.objects import Info, Query, resolve
from kctl.printers import results as result_printers
from kctl.session.session import Session


async def edit_before_create(session: Session, given: Given) -> None:
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
    obj = last_applied.written(info.object or {})
    created = await info.resource.create(
        obj, field_manager="kctl-create", field_validation=dry_run.field_validation(given)
    )
    result_printers.printer_for(given, "created").print(created, session.write_object)
