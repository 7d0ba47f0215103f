"""`kctl annotate`. Kubernetes: kubectl/pkg/cmd/annotate/annotate.go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kctl import metadata_changing
from kctl.command import Command
from kctl.errors import KctlError
from kctl.metadata_changing import changed_metadata
from kctl.pairs import Changes, parse, split
from kctl.printers import results

if TYPE_CHECKING:
    from kctl.flags import Given
    from kctl.resolve import Found, Info
    from kctl.session import Session

Object = dict[str, Any]

_CHANGE_CAUSE = "kubernetes.io/change-cause"


async def run(session: Session, given: Given) -> None:
    from kctl.dry_running import dry_run
    from kctl.resolve import resolve

    strategy = dry_run(session)
    words = split(given.arguments, "annotation")
    changes = parse(words.pairs)
    if given.is_on("list") and given.text("output"):
        raise KctlError("--list and --output may not be specified together")
    metadata_changing.check(given, words.resources, dry_run=strategy, example="rsrc")
    if not changes.new and not changes.removed and not given.is_on("list"):
        raise KctlError("at least one annotation update is required")
    if both := [name for name in changes.removed if name in changes.new]:
        raise KctlError(
            f"can not both modify and remove the following annotation(s) in the same command: {', '.join(both)}"
        )
    found = await resolve(session, metadata_changing.query(given, words.resources))
    annotating = _Annotating(session, given, changes, strategy, found)
    await metadata_changing.change_all(given, found, annotating.annotate)


class _Annotating:
    def __init__(self, session: Session, given: Given, changes: Changes, strategy: str, found: Found) -> None:
        self._session = session
        self._given = given
        self._changes = changes
        self._strategy = strategy
        self._found = found
        self._printer = results.printer_for(given, "annotated", dry_run=strategy)

    async def annotate(self, info: Info) -> None:
        given = self._given
        before = info.object or {}
        annotations: dict[str, str] = dict((before.get("metadata") or {}).get("annotations") or {})
        self._refuse_overwrites(annotations)
        after = {**annotations, **self._changes.new}
        for name in self._changes.removed:
            after.pop(name, None)
        version = given.text("resource-version")
        obj = changed_metadata(before, "annotations", after, version)
        if self._strategy != "client" and not given.is_on("local") and not given.is_on("list"):
            obj = await self._send(info, annotations, after, version)
        if given.is_on("list"):
            metadata_changing.list_entries(self._session, info, self._found, "annotations", after)
            return
        self._printer.print(obj, self._session.write)

    def _refuse_overwrites(self, annotations: dict[str, str]) -> None:
        if self._given.is_on("overwrite"):
            return
        taken = [
            f"'{name}' already has a value ({annotations[name]})"
            for name, value in self._changes.new.items()
            if name != _CHANGE_CAUSE and annotations.get(name, value) != value
        ]
        if taken:
            raise KctlError(f"--overwrite is false but found the following declared annotation(s): {'; '.join(taken)}")

    async def _send(self, info: Info, before: dict[str, str], after: dict[str, str], version: str) -> Object:
        from localplane.apimachinery.patch import merge_patch
        from localplane.client.resources import PatchType

        patch: Object = {}
        if changed := merge_patch.diff(before, after):
            patch["metadata"] = {"annotations": changed}
        if version:
            patch.setdefault("metadata", {})["resourceVersion"] = version
        return await info.resource.patch(
            info.name,
            patch,
            PatchType.MERGE,
            dry_run=self._strategy == "server",
            field_manager=self._given.text("field-manager"),
        )


COMMAND = Command(
    "annotate",
    "annotate [--overwrite] (-f FILENAME | TYPE NAME) KEY_1=VAL_1 ... KEY_N=VAL_N [--resource-version=version]",
    "Update the annotations on a resource",
    run=run,
    flags=metadata_changing.flags("annotations", "annotate"),
    description="""\
Update the annotations on one or more resources.

All Kubernetes objects support the ability to store additional data with the object as annotations. Annotations are
key/value pairs that can be larger than labels and include arbitrary string values such as structured JSON. Tools and
system extensions may use annotations to store their own data.

Attempting to set an annotation that already exists will fail unless --overwrite is set. If --resource-version is
specified and does not match the current resource version on the server the command will fail.

Use "kctl api-resources" for a complete list of supported resources.""",
    examples="""\
# Update pod 'foo' with the annotation 'description' and the value 'my frontend'
# If the same annotation is set multiple times, only the last value will be applied
kctl annotate pods foo description='my frontend'

# Update a pod identified by type and name in "pod.json"
kctl annotate -f pod.json description='my frontend'

# Update pod 'foo' with the annotation 'description' and the value 'my frontend running nginx', overwriting any existing
# value
kctl annotate --overwrite pods foo description='my frontend running nginx'

# Update all pods in the namespace
kctl annotate pods --all description='my frontend running nginx'

# Update pod 'foo' only if the resource is unchanged from version 1
kctl annotate pods foo description='my frontend running nginx' --resource-version=1

# Update pod 'foo' by removing an annotation named 'description' if it exists
# Does not require the --overwrite flag
kctl annotate pods foo description-""",
)
