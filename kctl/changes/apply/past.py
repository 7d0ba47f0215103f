"""What has changed between two moments, object by object, as a plane remembers it."""

from __future__ import annotations

from kctl.changes.apply.diff import Versions, masked
from kctl.command_line.flags import FlagSet
from kctl.errors import KctlError
from kctl.printers.objects import without_managed_fields
from kctl.session import instruments
from kctl.session.session import Session
from localplane.apimachinery.objects import JSONObject


async def diff(session: Session, flags: FlagSet) -> int:
    """0 for no differences, 1 for some."""
    if flags.arguments or flags.texts("filename") or flags.text("kustomize"):
        raise KctlError("--at compares a whole namespace with itself: it takes no files and no arguments")
    namespace = "" if flags.is_on("all-namespaces") else session.namespace
    query = [("at", flags.text("at")), ("to", flags.text("to")), ("namespace", namespace)]
    told = await instruments.ask(session, "GET", "history/changes", query=query)
    with Versions() as versions:
        for change in told["changes"]:
            before, after = (_shown(change[side], flags) for side in ("before", "after"))
            about = after or before or {}
            if about.get("kind") == "Secret" and not flags.is_on("show-secrets"):
                before, masked_after = masked(before, after or {})
                after = masked_after if after is not None else None
            metadata = about.get("metadata") or {}
            place = str(metadata.get("namespace") or "")
            versions.write(about, place, str(metadata.get("name") or ""), live=before, merged=after)
        return versions.compare(session)


def _shown(obj: JSONObject | None, flags: FlagSet) -> JSONObject | None:
    return obj if obj is None or flags.is_on("show-managed-fields") else without_managed_fields(obj)
