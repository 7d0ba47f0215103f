"""`kctl label`. Kubernetes: kubectl/pkg/cmd/label/label.go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kctl import metadata_changing
from kctl.command import Command
from kctl.errors import KctlError, raise_all
from kctl.metadata_changing import changed_metadata
from kctl.pairs import Changes, split

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kctl.flags import Given
    from kctl.resolve import Found, Info
    from kctl.session import Session

Object = dict[str, Any]


async def run(session: Session, given: Given) -> None:
    from kctl.dry_running import dry_run
    from kctl.resolve import resolve

    strategy = dry_run(session)
    words = split(given.arguments, "label")
    changes = _parse(words.pairs)
    if given.is_on("list") and given.text("output"):
        raise KctlError("--list and --output may not be specified together")
    metadata_changing.check(given, words.resources, dry_run=strategy, example="pod")
    if not changes.new and not changes.removed and not given.is_on("list"):
        raise KctlError("at least one label update is required")
    found = await resolve(session, metadata_changing.query(given, words.resources))
    labelling = _Labelling(session, given, changes, strategy, found)
    await metadata_changing.change_all(given, found, labelling.label)


def _parse(pairs: Sequence[str]) -> Changes:
    from localplane.apimachinery.gotext import go_quote
    from localplane.apimachinery.names import label_value

    new: dict[str, str] = {}
    removed = []
    for pair in pairs:
        if "=" not in pair:
            removed.append(pair[:-1])
            continue
        if pair.count("=") != 1:
            raise KctlError(f"invalid label spec: {pair}")
        key, _, value = pair.partition("=")
        if problems := label_value(value):
            raise KctlError(f"invalid label value: {go_quote(pair)}: {';'.join(problems)}")
        new[key] = value
    if any(name in new for name in removed):
        raise KctlError("can not both modify and remove a label in the same command")
    return Changes(new, tuple(removed))


class _Labelling:
    def __init__(self, session: Session, given: Given, changes: Changes, strategy: str, found: Found) -> None:
        self._session = session
        self._given = given
        self._changes = changes
        self._strategy = strategy
        self._found = found

    async def label(self, info: Info) -> None:
        given = self._given
        before = info.object or {}
        labels: dict[str, str] = dict((before.get("metadata") or {}).get("labels") or {})
        is_sent = self._strategy != "client" and not given.is_on("local") and not given.is_on("list")
        if is_sent:
            for name in self._changes.removed:
                if name not in labels:
                    self._session.write(f'label "{name}" not found.\n')
        self._refuse_overwrites(labels)
        added = [name for name, value in self._changes.new.items() if labels.get(name) != value]
        removed = [name for name in self._changes.removed if name in labels]
        after = {**labels, **self._changes.new}
        for name in removed:
            after.pop(name)
        version = given.text("resource-version")
        obj = changed_metadata(before, "labels", after, version)
        if is_sent and (added or removed):
            await self._send(info, labels, after, version)
        if given.is_on("list"):
            metadata_changing.list_entries(self._session, info, self._found, "labels", after)
            return
        self._print(obj, added=bool(added), removed=bool(removed))

    def _refuse_overwrites(self, labels: dict[str, str]) -> None:
        if self._given.is_on("overwrite"):
            return
        raise_all(
            [
                KctlError(f"'{name}' already has a value ({labels[name]}), and --overwrite is false")
                for name, value in self._changes.new.items()
                if labels.get(name, value) != value
            ]
        )

    async def _send(self, info: Info, before: dict[str, str], after: dict[str, str], version: str) -> None:
        """A merge patch of what differs, as kubectl makes it."""
        from localplane.apimachinery.patch import merge_patch
        from localplane.client.resources import PatchType

        patch: Object = {"metadata": {"labels": merge_patch.diff(before, after)}}
        if version:
            patch["metadata"]["resourceVersion"] = version
        await info.resource.patch(
            info.name,
            patch,
            PatchType.MERGE,
            dry_run=self._strategy == "server",
            field_manager=self._given.text("field-manager"),
        )

    def _print(self, obj: Object, *, added: bool, removed: bool) -> None:
        from kctl.printers import results

        done = {(True, True): "modified", (True, False): "labeled", (False, True): "unlabeled"}
        printer = results.printer_for(self._given, done.get((added, removed), "not labeled"), dry_run=self._strategy)
        printer.print(obj, self._session.write)


COMMAND = Command(
    "label",
    "label [--overwrite] (-f FILENAME | TYPE NAME) KEY_1=VAL_1 ... KEY_N=VAL_N [--resource-version=version]",
    "Update the labels on a resource",
    run=run,
    flags=metadata_changing.flags("labels", "label"),
    description="""\
Update the labels on a resource.

  *  A label key and value must begin with a letter or number, and may contain letters, numbers, hyphens, dots, and
underscores, up to 63 characters each.
  *  Optionally, the key can begin with a DNS subdomain prefix and a single '/', like example.com/my-app.
  *  If --overwrite is true, then existing labels can be overwritten, otherwise attempting to overwrite a label will
result in an error.
  *  If --resource-version is specified, then updates will use this resource version, otherwise the existing
resource-version will be used.""",
    examples="""\
# Update pod 'foo' with the label 'unhealthy' and the value 'true'
kctl label pods foo unhealthy=true

# Update pod 'foo' with the label 'status' and the value 'unhealthy', overwriting any existing value
kctl label --overwrite pods foo status=unhealthy

# Update all pods in the namespace
kctl label pods --all status=unhealthy

# Update a pod identified by the type and name in "pod.json"
kctl label -f pod.json status=unhealthy

# Update pod 'foo' only if the resource is unchanged from version 1
kctl label pods foo status=unhealthy --resource-version=1

# Update pod 'foo' by removing a label named 'bar' if it exists
# Does not require the --overwrite flag
kctl label pods foo bar-""",
)
