"""`kctl create`: from files, and one command for each kind that is made so often that it has one.

Kubernetes: kubectl/pkg/cmd/create/create.go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kctl import standard_flags
from kctl.command import Command
from kctl.errors import KctlError, UsageError, raise_all
from kctl.flags import Flag, switch
from kctl.generators.commands import GENERATORS
from kctl.printers.choosing import output_flags

if TYPE_CHECKING:
    from kctl.flags import Given
    from kctl.printers.choosing import Printer
    from kctl.resolve import Info
    from kctl.session import Session


async def run(session: Session, given: Given) -> None:
    from kctl.dry_running import dry_run, field_validation
    from kctl.printers import results

    if given.arguments:
        raise UsageError(
            f"Unexpected args: [{' '.join(given.arguments)}]", hint="See 'kctl create -h' for help and examples"
        )
    strategy = dry_run(session)
    validation = field_validation(given)
    if given.is_on("edit"):
        from kctl.editing.creating import edit_before_create

        await edit_before_create(session, given)
        return
    printer = results.printer_for(given, "created", dry_run=strategy)
    if not given.texts("filename") and not given.text("kustomize"):
        raise KctlError("must specify one of -f and -k")
    if given.text("raw"):
        await _raw(session, given)
        return
    await _Creating(session, given, printer, strategy, validation).create_all()


async def _raw(session: Session, given: Given) -> None:
    from kctl.raw import body_of, check_raw, raw_request

    if given.is_on("edit"):
        raise KctlError("--raw and --edit are mutually exclusive")
    filenames = given.texts("filename")
    check_raw(given, filenames)
    await raw_request(session, "POST", given.text("raw"), body=body_of(filenames[0]))


class _Creating:
    def __init__(self, session: Session, given: Given, printer: Printer, strategy: str, validation: str) -> None:
        self._session = session
        self._given = given
        self._printer = printer
        self._strategy = strategy
        self._validation = validation

    async def create_all(self) -> None:
        from kctl.reporting import with_source
        from kctl.resolve import Query, resolve
        from localplane.apimachinery.errors import APIError

        query = Query.of(self._given)._replace(
            flatten=True, keep_going=True, needs_object=False, validates=self._validation != "Ignore"
        )
        found = await resolve(self._session, query)
        count = 0
        async for info in found.visit():
            try:
                await self._create(info)
            except APIError as error:
                found.errors.append(with_source(error, "creating", info.source))
                continue
            count += 1
        raise_all(found.errors)
        if not count:
            raise KctlError("no objects passed to create")

    async def _create(self, info: Info) -> None:
        from kctl.apply.last_applied import create_or_update

        obj = create_or_update(info.object or {}, create=self._given.is_on("save-config"))
        if self._strategy != "client":
            metadata = {key: value for key, value in (obj.get("metadata") or {}).items() if key != "resourceVersion"}
            obj = await info.resource.create(
                {**obj, "metadata": metadata},
                dry_run=self._strategy == "server",
                field_manager=self._given.text("field-manager"),
                field_validation=self._validation,
            )
        self._printer.print(obj, self._session.write)


COMMAND = Command(
    "create",
    "create -f FILENAME",
    "Create a resource from a file or from stdin",
    run=run,
    flags=(
        *standard_flags.filename_flags("to use to create the resource"),
        standard_flags.VALIDATE,
        switch("edit", "Edit the API resource before creating"),
        switch(
            "windows-line-endings",
            "Only relevant if --edit=true. Defaults to the line ending native to your platform.",
        ),
        standard_flags.SAVE_CONFIG,
        standard_flags.DRY_RUN,
        standard_flags.SELECTOR,
        Flag("raw", usage="Raw URI to POST to the server.  Uses the transport specified by the kubeconfig file."),
        standard_flags.field_manager("kctl-create"),
        *output_flags(),
    ),
    commands=GENERATORS,
    description="""\
Create a resource from a file or from stdin.

JSON and YAML formats are accepted.""",
    examples="""\
# Create a pod using the data in pod.json
kctl create -f ./pod.json

# Create a pod based on the JSON passed into stdin
cat pod.json | kctl create -f -

# Edit the data in registry.yaml in JSON then create the resource using the edited data
kctl create -f registry.yaml --edit -o json""",
)
