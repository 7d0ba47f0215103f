"""`kctl edit`. Kubernetes: kubectl/pkg/cmd/edit/edit.go."""

from __future__ import annotations

from kctl.changes import dry_run
from kctl.changes.change_cause import RECORD
from kctl.changes.edit import loop, patches
from kctl.command_line import standard_flags
from kctl.command_line.command import Command
from kctl.command_line.flags import FlagSet, switch
from kctl.errors import KctlError, raise_all
from kctl.objects import Query, resolve
from kctl.printers.choice import output_flags
from kctl.session.session import Session


async def run(session: Session, flags: FlagSet) -> None:
    _ = session.namespace  # a context that is not there is told of in the words of who asks for a namespace
    query = Query.of(flags)._replace(types_alone=True, latest=True, flatten=True, keep_going=True)
    result = await resolve(session, query)
    dry_run.field_validation(flags)
    infos = await result.infos()
    raise_all(result.errors)
    if not infos:
        raise KctlError("edit cancelled, no objects found")
    await loop.EditLoop(session, flags, patches.EditPatching(session, flags, infos).attempt).run(infos)


COMMAND = Command(
    "edit",
    "edit (RESOURCE/NAME | -f FILENAME)",
    "Change an object in an editor",
    run=run,
    flags=(
        *standard_flags.filename_flags("that say which objects to edit."),
        *output_flags(),
        standard_flags.VALIDATE,
        switch("output-patch", "Show the patch that is sent."),
        switch("windows-line-endings", "Let the file have the line ends of Windows."),
        standard_flags.SAVE_CONFIG,
        RECORD,
        standard_flags.field_manager("kubectl-edit"),
        standard_flags.subresource("Edit a part of the object alone, such as status."),
    ),
    description="""\
Gets the objects, opens them in the editor that KUBE_EDITOR or EDITOR names (else vi), and sends what you changed. One
object or several; as YAML, or with -o json as JSON.

What the server refuses is opened again with its reasons above it. Close the editor without a change, or empty the file,
and nothing happens. If a change can't be sent, because somebody else was faster for example, the file is kept and you
are told where.""",
    examples="""\
# A deployment
kctl edit deployment/web

# All services of the namespace in one file, with another editor
KUBE_EDITOR="code --wait" kctl edit services

# And show me what was sent
kctl edit configmap settings --output-patch

# Its status, which nobody but a controller sets otherwise
kctl edit widget one --subresource=status""",
)
