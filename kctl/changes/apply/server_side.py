"""One object, merged by the server. Kubernetes: ApplyOptions.applyOneObject, migrateToSSAIfNecessary."""

from __future__ import annotations

from kctl.changes.apply import last_applied, migration
from kctl.changes.apply.client_side import warn_if_deleting
from kctl.changes.apply.options import SERVER_SIDE_MANAGER, ApplyOptions
from kctl.errors import KctlError
from kctl.objects import Info
from kctl.session.session import Session
from localplane.apimachinery.errors import APIError, Conflict, UnsupportedMediaType
from localplane.apimachinery.golang.text import go_json
from localplane.apimachinery.objects import JSONObject
from localplane.client.rest.resources import PatchType

_REVIEW = """\
Please review the fields above--they currently have other managers. Here
are the ways you can resolve this warning:
* If you intend to manage all of these fields, please re-run the apply
  command with the `--force-conflicts` flag.
* If you do not intend to manage all of the fields, please edit your
  manifest to remove references to the fields that should keep their
  current managers.
* You may co-own fields by updating your manifest to match the existing
  value; in this case, you'll become the manager if the other manager(s)
  stop managing the field (remove it from their configuration).
See https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts"""
_LATER = "This is non-fatal and will be retried next time you apply. Error:"
_ATTEMPTS = 5


class ServerSide:
    def __init__(self, session: Session, options: ApplyOptions) -> None:
        self._session = session
        self._options = options

    async def apply(self, info: Info) -> str:
        """What was done: serverside-applied. `info` has the object as it is afterwards."""
        assert info.object is not None
        applied = info.object
        if not info.name:
            raise KctlError("resource name may not be empty")
        try:
            info.refresh(await self._send(info, applied, subresource=self._options.subresource))
        except Conflict as error:
            raise KctlError(f"{error.message}\n{_REVIEW}") from error
        except UnsupportedMediaType as error:
            raise KctlError(f"Server-side apply not available on the server: ({error.message})") from error
        await self._take_over(info, applied)
        warn_if_deleting(self._session, info.object)
        return "serverside-applied"

    async def _send(self, info: Info, obj: JSONObject, *, subresource: str = "") -> JSONObject:
        return await info.resource.patch(
            info.name,
            last_applied.written(obj),
            PatchType.APPLY,
            subresource=subresource,
            force=self._options.force_conflicts,
            dry_run=self._options.dry_run == "server",
            field_manager=self._options.field_manager,
            field_validation=self._options.field_validation,
        )

    async def _take_over(self, info: Info, applied: JSONObject) -> None:
        """What clients applied themselves until now becomes what the server applied."""
        try:
            await self._keep_annotation(info)
        except APIError as error:
            self._session.say(
                "Warning: failed to migrate kubectl.kubernetes.io/last-applied-configuration for Server-Side Apply. "
                f"{_LATER} {error.message}\n"
            )
            return
        try:
            migrated = await self._migrate(info)
        except APIError as error:
            self._session.say(
                f"Warning: server rejected managed fields migration to Server-Side Apply. {_LATER} {error.message}\n"
            )
            return
        if not migrated:
            return
        try:
            info.refresh(await self._send(info, applied))
        except APIError as error:
            self._session.say(
                "Warning: failed to re-apply configuration after performing Server-Side Apply migration. "
                f"{_LATER} {error.message}\n"
            )

    async def _keep_annotation(self, info: Info) -> None:
        """Older clients still read the annotation: give it an owner, or the migration would take it away."""
        if self._options.field_manager != SERVER_SIDE_MANAGER:
            return
        assert info.object is not None
        annotation = last_applied.original(info.object)
        if annotation is None or migration.owners_of_annotation(info.object, "Apply"):
            return
        only: JSONObject = {
            "apiVersion": info.object.get("apiVersion"),
            "kind": info.object.get("kind"),
            "metadata": {"name": info.name, "annotations": {last_applied.ANNOTATION: annotation}},
        }
        if info.is_namespaced:
            only["metadata"]["namespace"] = info.namespace
        info.refresh(
            await info.resource.patch(
                info.name,
                last_applied.written(only),
                PatchType.APPLY,
                force=None,
                dry_run=self._options.dry_run == "server",
                field_manager=f"{SERVER_SIDE_MANAGER}-last-applied",
                field_validation=self._options.field_validation,
            )
        )

    async def _migrate(self, info: Info) -> bool:
        """Whether there was anything to do."""
        assert info.object is not None
        managers = migration.former_managers(info.object)
        last: Conflict | None = None
        for _ in range(_ATTEMPTS):
            patch = migration.migration(info.object, managers, self._options.field_manager)
            if patch is None:
                return False
            try:
                info.refresh(
                    await info.resource.patch(
                        info.name,
                        go_json(patch).encode(),
                        PatchType.JSON,
                        dry_run=self._options.dry_run == "server",
                        field_manager=self._options.field_manager,
                        field_validation=self._options.field_validation,
                    )
                )
            except Conflict as error:
                last = error
                await info.get()
            else:
                return True
        assert last is not None
        raise last
