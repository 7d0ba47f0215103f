"""`kctl create`: from files, and one command for each kind that is made so often that it has one.

Kubernetes: kubectl/pkg/cmd/create/create.go.
"""

from __future__ import annotations

from kctl.changes import dry_run
from kctl.changes.apply import last_applied
from kctl.changes.change_cause import RECORD, annotated, recorded
from kctl.changes.create.table import GENERATORS
from kctl.changes.edit import creation
from kctl.command_line import standard_flags
from kctl.command_line.command import Command
from kctl.command_line.flags import Flag, FlagSet, switch
from kctl.errors import KctlError, UsageError, raise_all, with_source
from kctl.objects import Info, Query, resolve
from kctl.printers import results
from kctl.printers.choice import Printer, output_flags
from kctl.session import raw
from kctl.session.session import Session
from localplane.apimachinery.errors import APIError


async def run(session: Session, flags: FlagSet) -> None:
    if flags.arguments:
        raise UsageError(
            f"Unexpected args: [{' '.join(flags.arguments)}]", hint="See 'kctl create -h' for help and examples"
        )
    strategy = dry_run.dry_run(session)
    validation = dry_run.field_validation(flags)
    has_source = bool(flags.texts("filename") or flags.text("kustomize"))
    if flags.is_on("edit") and not has_source:
        await resolve(session, Query.of(flags))  # says what is missing in edit's words
    printer = results.printer_for(flags, "created", dry_run=strategy)
    if not has_source:
        raise KctlError("must specify one of -f and -k")
    if flags.text("raw"):
        await _raw(session, flags)
    elif flags.is_on("edit"):
        await creation.edit_before_create(session, flags)
    else:
        await _Creating(session, flags, printer, strategy, validation).create_all()


async def _raw(session: Session, flags: FlagSet) -> None:
    if flags.is_on("edit"):
        raise KctlError("--raw and --edit are mutually exclusive")
    filenames = flags.texts("filename")
    raw.check_raw(flags, filenames)
    try:
        body = raw.body_of(filenames[0])
    except OSError as error:
        raise KctlError(f"open {filenames[0]}: {(error.strerror or str(error)).lower()}") from error
    await raw.raw_request(session, "POST", flags.text("raw"), body=body)


class _Creating:
    def __init__(self, session: Session, flags: FlagSet, printer: Printer, strategy: str, validation: str) -> None:
        self._session = session
        self._flags = flags
        self._printer = printer
        self._strategy = strategy
        self._validation = validation

    async def create_all(self) -> None:
        query = Query.of(self._flags)._replace(
            flatten=True, keep_going=True, needs_object=False, validates=self._validation != "Ignore"
        )
        result = await resolve(self._session, query)
        count = 0
        async for info in result.visit():
            try:
                await self._create(info)
            except APIError as error:
                result.errors.append(with_source(error, "creating", info.source))
                continue
            count += 1
        raise_all(result.errors)
        if not count:
            raise KctlError("no objects passed to create")

    async def _create(self, info: Info) -> None:
        obj = annotated(
            last_applied.create_or_update(info.object or {}, create=self._flags.is_on("save-config")),
            recorded(self._session),
        )
        if self._strategy != "client":
            metadata = {key: value for key, value in (obj.get("metadata") or {}).items() if key != "resourceVersion"}
            obj = await info.resource.create(
                {**obj, "metadata": metadata},
                dry_run=self._strategy == "server",
                field_manager=self._flags.text("field-manager"),
                field_validation=self._validation,
            )
        self._printer.print(obj, self._session.write_object)


COMMAND = Command(
    "create",
    "create -f FILENAME",
    "Make objects, from files or from what the flags say",
    run=run,
    flags=(
        *standard_flags.filename_flags("with the objects to make"),
        standard_flags.VALIDATE,
        switch("edit", "Open an editor on each object first."),
        switch("windows-line-endings", "With --edit, end the lines of the file as Windows does."),
        standard_flags.SAVE_CONFIG,
        standard_flags.DRY_RUN,
        standard_flags.SELECTOR,
        Flag("raw", usage="Send the file to this path of the server, as it is."),
        standard_flags.field_manager("kubectl-create"),
        *output_flags(),
        RECORD,
    ),
    commands=GENERATORS,
    description="""\
Make objects that files describe, in YAML or JSON; an object that is there already is an error. Or make one of a
kind that has a command of its own here, from what its flags say.""",
    examples="""\
# From a file, a directory, a pipe
kctl create -f pod.yaml
kctl create -f manifests/ -R
cat pod.json | kctl create -f -

# Look at it first, in an editor
kctl create -f pod.yaml --edit

# Ask the server whether it would take it
kctl create -f pod.yaml --dry-run=server -o yaml

# Without a file
kctl create deployment web --image=nginx --replicas=2""",
)
