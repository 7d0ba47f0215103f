"""One object, three ways: what was applied, what is applied, what is there. Kubernetes: ApplyOptions.applyOneObject."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kctl.errors import KctlError
from kctl.reporting import with_source
from localplane.apimachinery.errors import APIError, NotFound
from localplane.apimachinery.objects import JSONObject

from . import last_applied
from .patcher import Patcher, PatcherOptions, PatchRefused

if TYPE_CHECKING:
    from kctl.resolve import Info
    from kctl.session import Session

    from .options import ApplyOptions
    from .schemas import PatchSchemas


class ClientSide:
    def __init__(self, session: Session, options: ApplyOptions, schemas: PatchSchemas) -> None:
        self._session = session
        self._options = options
        self._patcher = Patcher(
            schemas,
            PatcherOptions(
                field_manager=options.field_manager,
                field_validation=options.field_validation,
                dry_run=options.dry_run,
                overwrite=options.overwrite,
                forced=options.deletion if options.force else None,
                openapi=options.openapi,
            ),
        )

    async def apply(self, info: Info) -> str:
        """What was done: created, configured or unchanged. `info` has the object as it is afterwards."""
        assert info.object is not None
        applied = info.object
        modified = last_applied.encoded(last_applied.annotated(applied))
        try:
            if not info.name:
                raise KctlError("resource name may not be empty")
            current = await info.get()
        except NotFound:
            info.object = applied
            await self._create(info)
            return "created"
        except (APIError, KctlError) as error:
            doing = f"retrieving current configuration of:\n{described(info)}\nfrom server for:"
            raise with_source(error, doing, info.source) from error
        if last_applied.original(current) is None:
            self._warn_of_missing(info)
        try:
            patched = await self._patcher.patch(info, current, modified)
        except PatchRefused as refusal:
            doing = f"applying patch:\n{refusal.text}\nto:\n{described(info)}\nfor:"
            raise with_source(refusal.error, doing, info.source) from refusal
        except KctlError as error:
            failed = error if self._options.dry_run == "client" else with_source(error, "patching", info.source)
            doing = f"applying patch:\n\nto:\n{described(info)}\nfor:"
            raise with_source(failed, doing, info.source) from error
        info.refresh(patched.object)
        warn_if_deleting(self._session, patched.object)
        return "unchanged" if patched.text == "{}" else "configured"

    async def _create(self, info: Info) -> None:
        assert info.object is not None
        obj = without_nulls(last_applied.annotated(info.object))
        obj["metadata"].pop("resourceVersion", None)
        info.object = obj
        if self._options.dry_run == "client":
            return
        try:
            created = await info.resource.create(
                last_applied.written(obj),
                dry_run=self._options.dry_run == "server",
                field_manager=self._options.field_manager,
                field_validation=self._options.field_validation,
            )
        except APIError as error:
            raise with_source(error, "creating", info.source) from error
        info.refresh(created)

    def _warn_of_missing(self, info: Info) -> None:
        by = "kctl"
        self._session.say(
            f"Warning: resource {info.shown} is missing the {last_applied.ANNOTATION} annotation which is required by "
            f"{by} apply. {by} apply should only be used on resources created declaratively by either {by} create "
            f"--save-config or {by} apply. The missing annotation will be patched automatically.\n"
        )


def described(info: Info) -> str:
    """Kubernetes: Info.String."""
    from localplane.apimachinery.gotext import go_quote

    mapping = info.rest_mapping
    kind = f"{mapping.kind.group}/{mapping.kind.version}, Kind={mapping.kind.kind}"
    return (
        f"Resource: {go_quote(str(mapping.resource))}, GroupVersionKind: {go_quote(kind)}\n"
        f"Name: {go_quote(info.name)}, Namespace: {go_quote(info.namespace)}"
    )


def warn_if_deleting(session: Session, obj: JSONObject | None) -> None:
    metadata = (obj or {}).get("metadata") or {}
    if metadata.get("deletionTimestamp"):
        session.say(f"Warning: Detected changes to resource {metadata.get('name')} which is currently being deleted.\n")


def without_nulls(value: Any) -> Any:
    """A copy in which no map has a null."""
    if isinstance(value, dict):
        return {key: without_nulls(item) for key, item in value.items() if item is not None}
    return [without_nulls(item) for item in value] if isinstance(value, list) else value
