"""`kctl apply`. Kubernetes: kubectl/pkg/cmd/apply/apply.go."""

from __future__ import annotations

from kctl.changes.apply import annotation_verbs, rerun
from kctl.changes.apply.application import Applying
from kctl.changes.apply.options import PRUNE_ALLOWLIST, SERVER_SIDE_FLAGS, field_manager_flag, read_options
from kctl.changes.change_cause import RECORD
from kctl.changes.deletion import DELETION_FLAGS, wait
from kctl.changes.edit import last_applied
from kctl.command_line import standard_flags
from kctl.command_line.command import Command
from kctl.command_line.flags import Flag, FlagSet, switch
from kctl.errors import UsageError
from kctl.printers.choice import output_flags
from kctl.session.session import Session


async def run(session: Session, flags: FlagSet) -> int | None:
    if flags.arguments:
        raise UsageError(
            f"Unexpected args: [{' '.join(flags.arguments)}]", hint="See 'kctl apply -h' for help and examples"
        )
    options = read_options(session)
    if flags.is_on("watch"):
        return await rerun.apply_and_watch(session, flags, options)
    await Applying(session, flags, options).run()
    return None


async def _view(session: Session, flags: FlagSet) -> None:
    await annotation_verbs.view_last_applied(session, flags)


async def _set(session: Session, flags: FlagSet) -> None:
    await annotation_verbs.set_last_applied(session, flags)


async def _edit(session: Session, flags: FlagSet) -> None:
    await last_applied.edit_last_applied(session, flags)


_EDIT_FLAGS = (
    *standard_flags.filename_flags("that say whose annotation to edit."),
    *output_flags(),
    field_manager_flag(),
    RECORD,
    standard_flags.VALIDATE,
    switch("windows-line-endings", "Let the file have the line ends of Windows."),
)

_EDIT = Command(
    "edit-last-applied",
    "edit-last-applied (RESOURCE/NAME | -f FILENAME)",
    "Edit what apply remembers of an object",
    run=_edit,
    flags=_EDIT_FLAGS,
    description="""\
Opens what an object's annotation says it was last made from, as 'kctl edit' opens objects, and writes it back. The
object itself stays as it is; the next 'apply' takes out what the annotation has and the file has not.""",
    examples="""\
# What will the next apply think it has made?
kctl apply edit-last-applied deployment/web

# The same as JSON, for the object that a file names, with an editor of your choice
KUBE_EDITOR=nano kctl apply edit-last-applied -f web.yaml -o json""",
)

_SET = Command(
    "set-last-applied",
    "set-last-applied -f FILENAME",
    "Make apply remember that an object is what a file says",
    run=_set,
    flags=(
        *output_flags(),
        standard_flags.DRY_RUN,
        switch("create-annotation", "Also for objects that apply does not know yet."),
        Flag("filename", "slice", (), "Files, directories or URLs to remember.", "f"),
    ),
    description="""\
Only the annotation changes, nothing else of the object. It helps when an object was changed by other means and the file
has been brought up to date with it.""",
    examples="""\
# The objects are already what these files say
kctl apply set-last-applied -f app/

# An object made with 'kctl create' is going to be applied from now on
kctl apply set-last-applied -f web.yaml --create-annotation""",
)

_VIEW = Command(
    "view-last-applied",
    "view-last-applied (TYPE [NAME | -l label] | TYPE/NAME | -f FILENAME)",
    "Show what an object was last applied from",
    run=_view,
    flags=(
        Flag("output", "text", "yaml", "Output format, one of: json, yaml.", "o"),
        switch("all", "All objects of these types in the namespace."),
        *standard_flags.filename_flags("that say whose annotation to show."),
        standard_flags.SELECTOR,
    ),
    description="What the annotation of 'apply' says, as YAML or JSON.",
    examples="""\
# What did we apply?
kctl apply view-last-applied deployment/web

# Of everything that belongs to the shop, as JSON
kctl apply view-last-applied deployments,services -l app=shop -o json""",
)

COMMAND = Command(
    "apply",
    "apply (-f FILENAME | -k DIRECTORY)",
    "Make objects be what files say",
    run=run,
    flags=(
        *standard_flags.filename_flags("that say what should be there."),
        *DELETION_FLAGS,
        wait(default=False),
        *output_flags(),
        standard_flags.VALIDATE,
        standard_flags.DRY_RUN,
        *SERVER_SIDE_FLAGS,
        field_manager_flag(),
        standard_flags.SELECTOR,
        switch("prune", "Delete what was applied before and is in no file any more. Needs -l, --all or --applyset."),
        PRUNE_ALLOWLIST,
        switch("all", "With --prune: whatever its labels are."),
        Flag(
            "applyset",
            usage="With --prune: the object that remembers what belongs together, as [RESOURCE][.GROUP]/NAME; a name "
            "alone is a secret's.",
        ),
        switch("overwrite", "What others changed becomes what the file says; else that is refused.", default=True),
        switch(
            "openapi-patch",
            "Learn from the server's OpenAPI documents how lists merge; without it, only what kctl knows is used.",
            default=True,
        ),
        RECORD,
        standard_flags.subresource("Apply a part of the object alone, such as status. Needs --server-side."),
        switch("watch", "Apply again whenever one of the files changes, and show what changed. Ends with Ctrl-C."),
    ),
    commands=(_EDIT, _SET, _VIEW),
    description="""\
Creates what is not there, and changes what is: fields that a file sets, and those that it set the last time and does
not any more. What others have added stays. An annotation of the object remembers what was applied; with --server-side
the server keeps books instead, field by field.

YAML and JSON are read, several objects in a file, whole directories, and stdin. A definition of a kind may come with
objects of that kind, and a namespace with what is in it, in any order.

--prune deletes. See with --dry-run=server first what it would take away.""",
    examples="""\
# All that is in a directory, and in those below it
kctl apply -R -f app/

# What another program writes
make-manifests | kctl apply -f -

# What would change, and would the server take it?
kctl diff -f app/; kctl apply -f app/ --dry-run=server

# Again and again while you work on the files
kctl apply -f app/ --watch

# Let the server merge; take over fields that a controller holds
kctl apply --server-side --force-conflicts -f web.yaml

# The shop is what these files say, and config maps that they no longer have go away
kctl apply -f shop/ -l app=shop --prune --prune-allowlist=core/v1/ConfigMap""",
)
