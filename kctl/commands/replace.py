"""`kctl replace`. Kubernetes: kubectl/pkg/cmd/replace/replace.go."""

from __future__ import annotations

import io
import sys

from kctl.changes import dry_run
from kctl.changes.apply import last_applied
from kctl.changes.deletion import (
    DELETION_FLAGS,
    DeleteOptions,
    Deleter,
    Deletion,
    poll_until_gone,
    propagation_policy,
    wait,
)
from kctl.command_line import standard_flags
from kctl.command_line.command import Command
from kctl.command_line.flags import Flag, FlagSet
from kctl.errors import KctlError, raise_all, with_source
from kctl.objects import Info, Query, resolve
from kctl.printers import results
from kctl.printers.choice import Printer, output_flags
from kctl.session import raw
from kctl.session.session import Session
from localplane.apimachinery.errors import APIError
from localplane.apimachinery.objects import JSONObject

_GONE_WITHIN = 300.0


async def run(session: Session, flags: FlagSet) -> None:
    validation = dry_run.field_validation(flags)
    strategy = dry_run.dry_run(session)
    printer = results.printer_for(flags, "replaced", dry_run=strategy)
    grace = flags.number("grace-period")
    deletion = Deletion(propagation_policy(session), 1 if grace == 0 else grace, flags.seconds("timeout"))
    _check(flags, deletion, strategy)
    if flags.text("raw"):
        await _raw(session, flags)
        return
    replacing = _Replacing(session, flags, printer, strategy, validation)
    if flags.is_on("force"):
        await replacing.by_force(deletion, waits=flags.is_on("wait") or grace == 0)
    else:
        await replacing.in_place()


def _check(flags: FlagSet, deletion: Deletion, strategy: str) -> None:
    if not flags.texts("filename") and not flags.text("kustomize"):
        raise KctlError("must specify one of -f and -k")
    force = flags.is_on("force")
    if deletion.grace_period >= 0 and not force:
        raise KctlError("--grace-period must have --force specified")
    if deletion.timeout and not force:
        raise KctlError("--timeout must have --force specified")
    if force and strategy != "none":
        raise KctlError("--dry-run can not be used when --force is set")


async def _raw(session: Session, flags: FlagSet) -> None:
    filenames = flags.texts("filename")
    raw.check_raw(flags, filenames)
    await raw.raw_request(session, "PUT", flags.text("raw"), body=raw.body_of(filenames[0]))


class _Replacing:
    def __init__(self, session: Session, flags: FlagSet, printer: Printer, strategy: str, validation: str) -> None:
        self._session = session
        self._flags = flags
        self._printer = printer
        self._strategy = strategy
        self._validation = validation

    def _query(self) -> Query:
        return Query.of(self._flags, ())._replace(flatten=True, keep_going=True, needs_object=False)

    async def in_place(self) -> None:
        result = await resolve(self._session, self._query()._replace(validates=self._validation != "Ignore"))
        async for info in result.visit():
            try:
                await self._replace(info)
            except (APIError, KctlError) as error:
                result.errors.append(with_source(error, "replacing", info.source))
        raise_all(result.errors)

    async def _replace(self, info: Info) -> None:
        obj = self._annotated(info)
        if self._strategy != "client":
            if not info.name:
                raise KctlError("resource name may not be empty")
            versioned = await self._versioned(info, obj)
            obj = await info.resource.update(
                versioned,
                written=last_applied.written(versioned),
                subresource=self._flags.text("subresource"),
                dry_run=self._strategy == "server",
                field_manager=self._flags.text("field-manager"),
                field_validation=self._validation,
            )
        self._printer.print(obj, self._session.write_object)

    async def _versioned(self, info: Info, obj: JSONObject) -> JSONObject:
        """An object that does not say which version it replaces replaces the one that is there."""
        if obj["metadata"].get("resourceVersion"):
            return obj
        try:
            live = await info.resource.get(info.name, subresource=self._flags.text("subresource"))
        except APIError:
            return obj
        version = (live.get("metadata") or {}).get("resourceVersion", "")
        return {**obj, "metadata": {**obj["metadata"], "resourceVersion": version}}

    def _annotated(self, info: Info) -> JSONObject:
        return last_applied.create_or_update(info.object or {}, create=self._flags.is_on("save-config"))

    async def by_force(self, deletion: Deletion, *, waits: bool) -> None:
        self._keep_stdin()
        query = self._query()
        named = self._flags.text("output") == "name"
        options = DeleteOptions(deletion, ignore_not_found=True, waits=waits, named=named)
        result = await resolve(self._session, query._replace(arguments=self._flags.arguments))
        await Deleter(self._session, options).delete(result)
        await self._wait(query, deletion.timeout or _GONE_WITHIN)
        await self._create_all(query._replace(validates=self._validation != "Ignore"))

    def _keep_stdin(self) -> None:
        """It is read twice."""
        if "-" in self._flags.texts("filename") and sys.stdin is not None:
            sys.stdin = io.TextIOWrapper(_Rewinding(sys.stdin.buffer.read(), from_terminal=sys.stdin.isatty()))

    async def _wait(self, query: Query, seconds: float) -> None:
        result = await resolve(self._session, query)
        async for info in result.visit():
            await poll_until_gone(info, seconds)

    async def _create_all(self, query: Query) -> None:
        count = 0
        result = await resolve(self._session, query)
        async for info in result.visit():
            obj = self._annotated(info)
            metadata = {key: value for key, value in obj["metadata"].items() if key != "resourceVersion"}
            try:
                created = await info.resource.create(
                    last_applied.written({**obj, "metadata": metadata}),
                    field_manager=self._flags.text("field-manager"),
                    field_validation=self._validation,
                )
            except APIError as error:
                result.errors.append(error)
                continue
            count += 1
            self._printer.print(created, self._session.write_object)
        raise_all(result.errors)
        if not count:
            raise KctlError("no objects passed to replace")


class _Rewinding(io.BytesIO):
    """Begins again once it has been read to its end. Whether it came from a terminal is asked for credentials."""

    def __init__(self, data: bytes, *, from_terminal: bool) -> None:
        super().__init__(data)
        self._from_terminal = from_terminal

    def isatty(self) -> bool:
        return self._from_terminal

    def read(self, size: int | None = -1) -> bytes:
        data = super().read(size)
        self.seek(0)
        return data


COMMAND = Command(
    "replace",
    "replace -f FILENAME",
    "Put an object in the place of another",
    run=run,
    flags=(
        *output_flags(),
        *standard_flags.filename_flags("with the whole objects."),
        *DELETION_FLAGS,
        wait(default=False),
        standard_flags.VALIDATE,
        standard_flags.SAVE_CONFIG,
        standard_flags.DRY_RUN,
        Flag("raw", usage="Send a PUT to this path of the server, with what is in -f."),
        standard_flags.field_manager("kubectl-replace"),
        standard_flags.subresource("Replace a part of the object alone, such as status or scale."),
    ),
    description="""\
The object becomes what the file says, no less and no more: what the file leaves out is gone. 'kctl get -o yaml' shows
the whole of it. A file with a resourceVersion replaces that version only.

With --force the object is deleted and made anew, which also changes what can't be changed.""",
    examples="""\
# As the file has it
kctl replace -f web.yaml

# Another image, by hand
kctl get deployment web -o yaml | sed 's/web:1.0/web:1.1/' | kctl replace -f -

# A service's address can't be changed: delete it and make another
kctl replace --force -f service.yaml

# Only the status
kctl replace --subresource=status -f widget.yaml""",
)
