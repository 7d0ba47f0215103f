"""`kctl edit`: what was edited becomes a patch. Kubernetes: EditOptions.visitToPatch."""

from __future__ import annotations

from collections.abc import Sequence

from kctl.changes import dry_run
from kctl.changes.apply import last_applied
from kctl.changes.apply.schemas import PatchSchemas
from kctl.changes.edit import loop
from kctl.command_line.flags import FlagSet
from kctl.errors import KctlError
from kctl.objects import Info
from kctl.printers import results as result_printers
from kctl.session.session import Session
from localplane.apimachinery import patch as apimachinery_patch
from localplane.apimachinery.errors import APIError
from localplane.apimachinery.golang.text import go_json, go_syntax
from localplane.apimachinery.objects import JSONObject, sorted_keys
from localplane.apimachinery.patch import merge_patch, strategic
from localplane.client.rest.resources import PatchType


class EditPatching:
    """`originals` are what was shown."""

    def __init__(self, session: Session, flags: FlagSet, originals: Sequence[Info]) -> None:
        self._session = session
        self._flags = flags
        self._schemas = PatchSchemas(session)
        self._originals = [info.object or {} for info in originals]

    async def attempt(self, infos: list[Info], results: loop.Results) -> None:
        for info in infos:
            await self._patch(info, results)

    async def _patch(self, info: Info, results: loop.Results) -> None:
        edited = info.object or {}
        original = matching(self._originals, edited)
        if last_applied.encoded(edited) == last_applied.encoded(original):
            self._print(edited, "skipped")
            return
        patch, patch_type = await self._make(info, original, edited)
        text = go_json(sorted_keys(patch))
        if self._flags.is_on("output-patch"):
            self._session.write(f"Patch: {text}\n")
        try:
            patched = await info.resource.patch(
                info.name,
                text.encode(),
                patch_type,
                subresource=self._flags.text("subresource"),
                field_manager=self._flags.text("field-manager"),
                field_validation=dry_run.field_validation(self._flags),
            )
        except APIError as error:
            self._session.say(f"{results.add(error, info)}\n")
            return
        self._print(patched, "edited")

    async def _make(self, info: Info, original: JSONObject, edited: JSONObject) -> tuple[JSONObject, PatchType]:
        node = await self._schemas.lookup(info.rest_mapping.kind)
        try:
            if node is None:
                patch, patch_type = merge_patch.diff(original, edited), PatchType.MERGE
            else:
                patch, patch_type = strategic.two_way_patch(node, original, edited), PatchType.STRATEGIC
        except apimachinery_patch.PatchError as error:
            raise KctlError(str(error)) from error
        metadata = patch.get("metadata")
        if "apiVersion" in patch or "kind" in patch or (isinstance(metadata, dict) and "name" in metadata):
            raise KctlError("At least one of apiVersion, kind and name was changed")
        return patch, patch_type

    def _print(self, obj: JSONObject, done: str) -> None:
        result_printers.printer_for(self._flags, done).print(obj, self._session.write_object)


def matching(originals: Sequence[JSONObject], edited: JSONObject) -> JSONObject:
    """The one of which this was made, by its uid. Raises KctlError."""
    for original in originals:
        if _uid(original) == _uid(edited):
            return original
    raise KctlError(f"no original object found for &unstructured.Unstructured{{Object:{go_syntax(edited)}}}")


def _uid(obj: JSONObject) -> str:
    return str((obj.get("metadata") or {}).get("uid") or "")
