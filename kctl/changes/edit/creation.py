"""`create --edit`: a file's objects, edited one by one before they are created.

Kubernetes: EditOptions.visitToCreate.
"""

from __future__ import annotations

from kctl.changes import dry_run
from kctl.changes.apply import last_applied
from kctl.changes.edit.loop import EditLoop, Results
from kctl.command_line.flags import FlagSet
from kctl.errors import KctlError
from kctl.objects import Info, Query, resolve
from kctl.printers import results as result_printers
from kctl.session.session import Session


async def edit_before_create(session: Session, flags: FlagSet) -> None:
    if not flags.texts("filename") and not flags.text("kustomize"):
        raise KctlError("must specify one of -f and -k")

    async def attempt(edited: list[Info], results: Results) -> None:
        del results
        for info in edited:
            await _create(session, flags, info)

    result = await resolve(session, Query.of(flags)._replace(flatten=True))
    for info in await result.infos():
        await EditLoop(session, flags, attempt).run([info])


async def _create(session: Session, flags: FlagSet, info: Info) -> None:
    obj = last_applied.written(info.object or {})
    created = await info.resource.create(
        obj, field_manager="kubectl-create", field_validation=dry_run.field_validation(flags)
    )
    result_printers.printer_for(flags, "created").print(created, session.write_object)
