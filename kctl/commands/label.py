"""`kctl label`. Kubernetes: kubectl/pkg/cmd/label/label.go."""

from __future__ import annotations

from collections.abc import Sequence

from kctl.changes import dry_run, metadata
from kctl.changes.change_cause import recorded
from kctl.changes.metadata import Changes, changed_metadata, split
from kctl.command_line.command import Command
from kctl.command_line.flags import FlagSet
from kctl.errors import KctlError, raise_all
from kctl.objects import Info, Result, resolve
from kctl.printers import results
from kctl.session.session import Session
from localplane.apimachinery import names
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.objects import JSONObject


async def run(session: Session, flags: FlagSet) -> None:
    strategy = dry_run.dry_run(session)
    words = split(flags.arguments, "label")
    changes = _parse(words.pairs)
    if flags.is_on("list") and flags.text("output"):
        raise KctlError("--list and --output may not be specified together")
    metadata.check(flags, words.resources, dry_run=strategy, example="pod")
    if not changes.new and not changes.removed and not flags.is_on("list"):
        raise KctlError("at least one label update is required")
    result = await resolve(session, metadata.query(flags, words.resources))
    labelling = _Labelling(session, flags, changes, strategy, result)
    await metadata.change_all(flags, result, labelling.label)


def _parse(pairs: Sequence[str]) -> Changes:
    new: dict[str, str] = {}
    removed = []
    for pair in pairs:
        if "=" not in pair:
            removed.append(pair[:-1])
            continue
        if pair.count("=") != 1:
            raise KctlError(f"invalid label spec: {pair}")
        key, _, value = pair.partition("=")
        if problems := names.label_value(value):
            raise KctlError(f"invalid label value: {go_quote(pair)}: {';'.join(problems)}")
        new[key] = value
    if any(name in new for name in removed):
        raise KctlError("can not both modify and remove a label in the same command")
    return Changes(new, tuple(removed))


class _Labelling:
    def __init__(self, session: Session, flags: FlagSet, changes: Changes, strategy: str, result: Result) -> None:
        self._session = session
        self._flags = flags
        self._changes = changes
        self._strategy = strategy
        self._found = result

    async def label(self, info: Info) -> None:
        flags = self._flags
        before = info.object or {}
        labels: dict[str, str] = dict((before.get("metadata") or {}).get("labels") or {})
        is_sent = self._strategy != "client" and not flags.is_on("local") and not flags.is_on("list")
        if is_sent:
            for name in self._changes.removed:
                if name not in labels:
                    self._session.write(f'label "{name}" not found.\n')
        self._refuse_overwrites(labels)
        added = [name for name, value in self._changes.new.items() if labels.get(name) != value]
        removed = [name for name in dict.fromkeys(self._changes.removed) if name in labels]
        after = {**labels, **self._changes.new}
        for name in removed:
            after.pop(name)
        version = flags.text("resource-version")
        obj = changed_metadata(before, version, labels=after)
        if is_sent and (cause := recorded(self._session)):
            known = (before.get("metadata") or {}).get("annotations") or {}
            obj = changed_metadata(obj, version, annotations={**known, **cause})
        if is_sent and (added or removed):
            await metadata.send(self._session, info, before, obj, dry_run=self._strategy == "server")
        if flags.is_on("list"):
            metadata.list_entries(self._session, info, self._found, "labels", after)
            return
        self._print(obj, added=bool(added), removed=bool(removed))

    def _refuse_overwrites(self, labels: dict[str, str]) -> None:
        if self._flags.is_on("overwrite"):
            return
        raise_all(
            [
                KctlError(f"'{name}' already has a value ({labels[name]}), and --overwrite is false")
                for name, value in self._changes.new.items()
                if labels.get(name, value) != value
            ]
        )

    def _print(self, obj: JSONObject, *, added: bool, removed: bool) -> None:
        done = {(True, True): "modified", (True, False): "labeled", (False, True): "unlabeled"}
        printer = results.printer_for(self._flags, done.get((added, removed), "not labeled"), dry_run=self._strategy)
        printer.print(obj, self._session.write_object)


COMMAND = Command(
    "label",
    "label [--overwrite] (-f FILENAME | TYPE NAME) KEY_1=VAL_1 ... KEY_N=VAL_N [--resource-version=version]",
    "Add, change and remove labels",
    run=run,
    flags=metadata.flags("labels", "label"),
    description="""\
Add, change and remove labels: KEY=VALUE sets one, KEY- takes it away.

Selectors look at labels, so keys and values are short: letters, digits, '-', '_' and '.', at most 63 of them. A key may
have a domain before it, as in example.com/team. A label that has another value already is only changed with
--overwrite.""",
    examples="""\
# Say which team a deployment belongs to
kctl label deployment web team=shop

# Change it, and take another label away
kctl label deployment web team=billing tier- --overwrite

# All pods that have one label get another
kctl label pods -l app=web track=stable

# The labels that an object has
kctl label node worker-1 --list

# What a file would look like; nothing is sent
kctl label -f web.yaml track=canary --local -o yaml

# Only if nobody has changed the object since
kctl label configmap settings checked=yes --resource-version=4711""",
)
