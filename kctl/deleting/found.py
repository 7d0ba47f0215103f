"""Everything that a query leads to. Kubernetes: DeleteOptions.DeleteResult."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kctl.errors import KctlError, listed_as_one, raise_all
from kctl.printers.objects import kind_and_group
from kctl.reporting import with_source
from localplane.apimachinery.objects import JSONObject

from .waiting import wait_until_gone

if TYPE_CHECKING:
    from collections.abc import Callable

    from kctl.resolve import Found, Info
    from kctl.session import Session

    from .deletion import Deletion


_TAILS = {"none": "", "client": " (dry run)", "server": " (server dry run)"}


class DeleteOptions(NamedTuple):
    """`named`: say `kind/name` and no more. `warns_of_scope`: a namespace was given, which not all objects have."""

    deletion: Deletion
    ignore_not_found: bool = False
    waits: bool = True
    named: bool = False
    warns_of_scope: bool = False
    quiet: bool = False
    """Say nothing at all."""
    confirmed: Callable[[Info], bool] | None = None
    """If somebody was asked: whether this one was shown."""


class Deleter:
    def __init__(self, session: Session, options: DeleteOptions) -> None:
        self._session = session
        self._options = options
        self._warns = options.warns_of_scope
        self._deleted: list[tuple[Info, str]] = []
        self._found = 0

    async def delete(self, found: Found) -> list[Info]:
        """Those that were there. Raises what went wrong once all has been tried."""
        from localplane.apimachinery.errors import APIError
        from localplane.client.errors import InvalidName

        failed: list[Exception] = []
        async for info in found.visit():
            if self._options.confirmed is not None and not self._options.confirmed(info):
                continue
            try:
                await self._delete(info)
            except (APIError, InvalidName) as error:
                failed.append(with_source(error, "deleting", info.source))
        self._raise(failed, found.errors)
        if not self._found:
            self._session.write("No resources found\n")
        elif self._options.waits and self._options.deletion.dry_run == "none":
            await self._wait()
        return [info for info, _ in self._deleted]

    def _raise(self, failed: list[Exception], unusable: list[Exception]) -> None:
        """What failed goes before what was found no place for, in whatever order they came."""
        from localplane.apimachinery.errors import NotFound

        told = failed
        if self._options.ignore_not_found:
            told = [error for error in failed if not isinstance(error, NotFound)]
            unusable = [error for error in unusable if not isinstance(error, NotFound)]
        if failed:
            raise_all([*told, *listed_as_one(unusable)], listed=not told)
        raise_all(unusable)

    async def _delete(self, info: Info) -> None:
        self._found += 1
        if self._warns and not info.is_namespaced:
            self._session.warn("deleting cluster-scoped resources, not scoped to the provided namespace")
            self._warns = False
        if self._options.deletion.dry_run == "client":
            self._say(info)
            return
        answer = await self._options.deletion.delete(info)
        if info.rest_mapping.kind.kind == "CustomResourceDefinition":
            self._session.discovery.forget()
        self._say(info)
        self._deleted.append((info, _uid(answer)))

    def _say(self, info: Info) -> None:
        options = self._options
        if options.quiet:
            return
        kind = info.rest_mapping.kind
        what = kind_and_group({"apiVersion": f"{kind.group}/{kind.version}" if kind.group else "v1", "kind": kind.kind})
        if options.named:
            self._session.write(f"{what}/{info.name}\n")
            return
        done = "force deleted" if options.deletion.grace_period == 0 else "deleted"
        where = f" from {info.namespace} namespace" if info.is_namespaced else ""
        self._session.write(f'{what} "{info.name}" {done}{where}{_TAILS[options.deletion.dry_run]}\n')

    async def _wait(self) -> None:
        """For all, as long as for one."""
        import sys
        import time

        from localplane.apimachinery.errors import Forbidden, MethodNotAllowed

        timeout = self._options.deletion.timeout
        end = time.monotonic() + timeout
        sys.stdout.flush()
        errors: list[Exception] = []
        for info, uid in self._deleted:
            try:
                await wait_until_gone(info, max(end - time.monotonic(), 0.001) if timeout else 0, uid=uid)
            except (Forbidden, MethodNotAllowed):
                continue  # who may delete may still not look
            except KctlError as error:
                errors.append(error)
        raise_all(errors)


def _uid(answer: JSONObject) -> str:
    """Of the object that a Status or the object itself is about."""
    about = answer.get("details") if answer.get("kind") == "Status" else answer.get("metadata")
    return str((about or {}).get("uid") or "")
