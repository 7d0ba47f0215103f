"""`kctl annotate`. Kubernetes: kubectl/pkg/cmd/annotate/annotate.go."""

from __future__ import annotations

from kctl.changes import dry_run, metadata
from kctl.changes.change_cause import CHANGE_CAUSE, recorded
from kctl.changes.metadata import Changes, changed_metadata, parse, split
from kctl.command_line.command import Command
from kctl.command_line.flags import FlagSet
from kctl.errors import KctlError
from kctl.objects import Info, Result, resolve
from kctl.printers import results
from kctl.printers.choice import Printer
from kctl.session.session import Session


async def run(session: Session, flags: FlagSet) -> None:
    strategy = dry_run.dry_run(session)
    words = split(flags.arguments, "annotation")
    changes = parse(words.pairs)
    if flags.is_on("list") and flags.text("output"):
        raise KctlError("--list and --output may not be specified together")
    metadata.check(flags, words.resources, dry_run=strategy, example="rsrc")
    if not changes.new and not changes.removed and not flags.is_on("list"):
        raise KctlError("at least one annotation update is required")
    if both := [name for name in changes.removed if name in changes.new]:
        raise KctlError(
            f"can not both modify and remove the following annotation(s) in the same command: {', '.join(both)}"
        )
    printer = results.printer_for(flags, "annotated", dry_run=strategy)
    result = await resolve(session, metadata.query(flags, words.resources))
    annotating = _Annotating(session, printer, changes, strategy, result)
    await metadata.change_all(flags, result, annotating.annotate)


class _Annotating:
    def __init__(self, session: Session, printer: Printer, changes: Changes, strategy: str, result: Result) -> None:
        self._session = session
        self._flags = session.flags
        self._printer = printer
        self._changes = changes
        self._strategy = strategy
        self._found = result

    async def annotate(self, info: Info) -> None:
        flags = self._flags
        before = info.object or {}
        annotations: dict[str, str] = dict((before.get("metadata") or {}).get("annotations") or {})
        is_sent = self._strategy != "client" and not flags.is_on("local") and not flags.is_on("list")
        if is_sent:
            annotations |= recorded(self._session)
        self._refuse_overwrites(annotations)
        after = {**annotations, **self._changes.new}
        for name in self._changes.removed:
            after.pop(name, None)
        version = flags.text("resource-version")
        obj = changed_metadata(before, version, annotations=after)
        if is_sent:
            dry_run = self._strategy == "server"
            obj = await metadata.send(self._session, info, before, obj, dry_run=dry_run)
        if flags.is_on("list"):
            metadata.list_entries(self._session, info, self._found, "annotations", after)
            return
        self._printer.print(obj, self._session.write_object)

    def _refuse_overwrites(self, annotations: dict[str, str]) -> None:
        if self._flags.is_on("overwrite"):
            return
        taken = [
            f"'{name}' already has a value ({annotations[name]})"
            for name, value in self._changes.new.items()
            if name != CHANGE_CAUSE and annotations.get(name, value) != value
        ]
        if taken:
            raise KctlError(f"--overwrite is false but found the following declared annotation(s): {'; '.join(taken)}")


COMMAND = Command(
    "annotate",
    "annotate [--overwrite] (-f FILENAME | TYPE NAME) KEY_1=VAL_1 ... KEY_N=VAL_N [--resource-version=version]",
    "Add, change and remove annotations",
    run=run,
    flags=metadata.flags("annotations", "annotate", recursive=True),
    description="""\
Add, change and remove annotations: KEY=VALUE sets one, KEY- takes it away.

Annotations are notes for people and programs. Nothing selects by them, so values may be long: sentences, JSON. One that
has another value already is only changed with --overwrite, except kubernetes.io/change-cause, which 'rollout history'
shows.""",
    examples="""\
# Leave a note
kctl annotate pods web-1 note='do not restart before Friday'

# Change it, and take another away
kctl annotate pods web-1 note='restarted' owner- --overwrite

# Why the newest revision of a deployment is what it is
kctl annotate deployment web kubernetes.io/change-cause='nginx 1.29'

# All services in the namespace
kctl annotate services --all reviewed=2026-07

# The annotations of what a file names
kctl annotate -f web.yaml --list

# Only if nobody has changed the object since
kctl annotate configmap settings checked=yes --resource-version=4711""",
)
