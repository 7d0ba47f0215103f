"""`kctl edit`. Kubernetes: kubectl/pkg/cmd/edit/edit.go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kctl import standard_flags
from kctl.command import Command
from kctl.errors import KctlError, raise_all
from kctl.flags import switch
from kctl.printers.choosing import output_flags

if TYPE_CHECKING:
    from kctl.flags import Given
    from kctl.session import Session


async def run(session: Session, given: Given) -> None:
    from kctl.dry_running import field_validation
    from kctl.editing.loop import EditLoop
    from kctl.editing.patching import EditPatching
    from kctl.resolve import Query, resolve

    query = Query.of(given)._replace(types_alone=True, latest=True, flatten=True, keep_going=True)
    found = await resolve(session, query)
    field_validation(given)
    infos = await found.infos()
    raise_all(found.errors)
    if not infos:
        raise KctlError("edit cancelled, no objects found")
    await EditLoop(session, given, EditPatching(session, given, infos).attempt).run(infos)


COMMAND = Command(
    "edit",
    "edit (RESOURCE/NAME | -f FILENAME)",
    "Edit a resource on the server",
    run=run,
    flags=(
        *standard_flags.filename_flags("to use to edit the resource"),
        *output_flags(),
        standard_flags.VALIDATE,
        switch("output-patch", "Output the patch if the resource is edited."),
        switch("windows-line-endings", "Defaults to the line ending native to your platform."),
        standard_flags.SAVE_CONFIG,
        standard_flags.field_manager("kctl-edit"),
        standard_flags.subresource("If specified, edit will operate on the subresource of the requested object."),
    ),
    description="""\
Edit a resource from the default editor.

The edit command allows you to directly edit any API resource you can retrieve via the command-line tools. It will open
the editor defined by your KUBE_EDITOR, or EDITOR environment variables, or fall back to 'vi'. When attempting to open
the editor, it will first attempt to use the shell that has been defined in the 'SHELL' environment variable. If this is
not defined, the default shell will be used, which is '/bin/bash'.

You can edit multiple objects, although changes are applied one at a time. The command accepts file names as well as
command-line arguments, although the files you point to must be previously saved versions of resources.

The default format is YAML. To edit in JSON, specify "-o json".

In the event an error occurs while updating, a temporary file will be created on disk that contains your unapplied
changes. The most common error when updating a resource is another editor changing the resource on the server. When this
occurs, you will have to apply your changes to the newer version of the resource, or update your temporary saved copy to
include the latest resource version.""",
    examples="""\
# Edit the service named 'registry'
kctl edit svc/registry

# Use an alternative editor
KUBE_EDITOR="nano" kctl edit svc/registry

# Edit the job 'myjob' in JSON using the v1 API format
kctl edit job.v1.batch/myjob -o json

# Edit the deployment 'mydeployment' in YAML and save the modified config in its annotation
kctl edit deployment/mydeployment -o yaml --save-config

# Edit the 'status' subresource for the 'mydeployment' deployment
kctl edit deployment mydeployment --subresource='status'""",
)
