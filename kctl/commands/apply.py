"""`kctl apply`. Kubernetes: kubectl/pkg/cmd/apply/apply.go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kctl import standard_flags
from kctl.apply.flags import SERVER_SIDE_FLAGS, field_manager
from kctl.command import Command
from kctl.deleting.flags import DELETION_FLAGS, wait
from kctl.errors import UsageError
from kctl.flags import Flag, switch
from kctl.printers.choosing import output_flags

if TYPE_CHECKING:
    from kctl.flags import Given
    from kctl.session import Session


async def run(session: Session, given: Given) -> int | None:
    from kctl.apply.applying import Applying
    from kctl.apply.options import read_options

    if given.arguments:
        raise UsageError(
            f"Unexpected args: [{' '.join(given.arguments)}]", hint="See 'kctl apply -h' for help and examples"
        )
    options = read_options(session)
    if given.is_on("watch"):
        from kctl.apply.rerunning import apply_and_watch

        return await apply_and_watch(session, given, options)
    await Applying(session, given, options).run()
    return None


async def _view(session: Session, given: Given) -> None:
    from kctl.apply.annotation_verbs import view_last_applied

    await view_last_applied(session, given)


async def _set(session: Session, given: Given) -> None:
    from kctl.apply.annotation_verbs import set_last_applied

    await set_last_applied(session, given)


async def _edit(session: Session, given: Given) -> None:
    from kctl.editing.last_applied import edit_last_applied

    await edit_last_applied(session, given)


_EDIT_FLAGS = (
    *standard_flags.filename_flags("to use to edit the resource"),
    *output_flags(),
    standard_flags.field_manager("kctl-client-side-apply"),
    standard_flags.VALIDATE,
    switch("windows-line-endings", "Defaults to the line ending native to your platform."),
)

COMMAND = Command(
    "apply",
    "apply (-f FILENAME | -k DIRECTORY)",
    "Apply a configuration to a resource by file name or stdin",
    run=run,
    flags=(
        *standard_flags.filename_flags("that contains the configuration to apply"),
        *DELETION_FLAGS,
        wait(default=False),
        *output_flags(),
        standard_flags.VALIDATE,
        standard_flags.DRY_RUN,
        *SERVER_SIDE_FLAGS,
        field_manager(),
        standard_flags.SELECTOR,
        switch(
            "prune",
            "Automatically delete resource objects, that do not appear in the configs and are created by "
            "either apply or create --save-config. Should be used with either -l or --all.",
        ),
        Flag("prune-allowlist", "array", (), "Overwrite the default allowlist with <group/version/kind> for --prune"),
        switch("all", "Select all resources in the namespace of the specified resource types."),
        Flag(
            "applyset",
            usage="[alpha] The name of the ApplySet that tracks which resources are being managed, for "
            "the purposes of determining what to prune. Live resources that are part of the ApplySet but have been "
            "removed from the provided configs will be deleted. Format: [RESOURCE][.GROUP]/NAME. A Secret will be "
            "used if no resource or group is specified.",
        ),
        switch(
            "overwrite",
            "Automatically resolve conflicts between the modified and live configuration by using "
            "values from the modified configuration",
            default=True,
        ),
        standard_flags.subresource(
            "If specified, apply will operate on the subresource of the requested object.  Only "
            "allowed when using --server-side."
        ),
        switch("watch", "Apply again whenever one of the files changes, and show what changed. Ends with Ctrl-C."),
    ),
    commands=(
        Command(
            "edit-last-applied",
            "edit-last-applied (RESOURCE/NAME | -f FILENAME)",
            "Edit latest last-applied-configuration annotations of a resource/object",
            run=_edit,
            flags=_EDIT_FLAGS,
            examples="""\
# Edit the last-applied-configuration annotations by type/name in YAML
kctl apply edit-last-applied deployment/nginx

# Edit the last-applied-configuration annotations by file in JSON
kctl apply edit-last-applied -f deploy.yaml -o json""",
        ),
        Command(
            "set-last-applied",
            "set-last-applied -f FILENAME",
            "Set the last-applied-configuration annotation on a live object to match the contents of a file",
            run=_set,
            flags=(
                *output_flags(),
                standard_flags.DRY_RUN,
                switch(
                    "create-annotation",
                    "Will create 'last-applied-configuration' annotations if current objects doesn't have one",
                ),
                Flag(
                    "filename",
                    "slice",
                    (),
                    "Filename, directory, or URL to files that contains the last-applied-configuration annotations",
                    "f",
                ),
            ),
            examples="""\
# Set the last-applied-configuration of a resource to match the contents of a file
kctl apply set-last-applied -f deploy.yaml

# Set it for every file of a directory
kctl apply set-last-applied -f path/

# Set it, and create the annotation if it does not already exist
kctl apply set-last-applied -f deploy.yaml --create-annotation=true""",
        ),
        Command(
            "view-last-applied",
            "view-last-applied (TYPE [NAME | -l label] | TYPE/NAME | -f FILENAME)",
            "View the latest last-applied-configuration annotations of a resource/object",
            run=_view,
            flags=(
                Flag("output", "text", "yaml", "Output format. Must be one of (yaml, json)", "o"),
                switch("all", "Select all resources in the namespace of the specified resource types"),
                *standard_flags.filename_flags("that contains the last-applied-configuration annotations"),
                standard_flags.SELECTOR,
            ),
            examples="""\
# View the last-applied-configuration annotations by type/name in YAML
kctl apply view-last-applied deployment/nginx

# View the last-applied-configuration annotations by file in JSON
kctl apply view-last-applied -f deploy.yaml -o json""",
        ),
    ),
    description="""\
Apply a configuration to a resource by file name or stdin. The resource name must be specified. This resource will be
created if it doesn't exist yet. To use 'apply', always create the resource initially with either 'apply' or 'create
--save-config'.

JSON and YAML formats are accepted. A definition of a kind and objects of that kind may come together: the objects wait
until the kind is there.

The --prune functionality is not yet complete. Do not use it unless you are aware of what the current state is.""",
    examples="""\
# Apply the configuration in pod.json to a pod
kctl apply -f ./pod.json

# Apply the JSON passed into stdin to a pod
cat pod.json | kctl apply -f -

# Apply the configuration from all files that end with '.json'
kctl apply -f '*.json'

# Apply a directory, and again whenever a file in it changes
kctl apply -f app/ --watch

# Apply the configuration in manifest.yaml that matches label app=nginx and delete all other resources that are not in
# the file and match label app=nginx
kctl apply --prune -f manifest.yaml -l app=nginx

# Apply the configuration in manifest.yaml and delete all the other config maps that are not in the file
kctl apply --prune -f manifest.yaml --all --prune-allowlist=core/v1/ConfigMap""",
)
