"""The flags of deletion. Kubernetes: kubectl/pkg/cmd/delete/delete_flags.go.

How something is deleted.

`delete -i`: what would go, and whether it may. Kubernetes: DeleteOptions.confirmation.

Until an object is gone, or another has its name. Kubernetes: kubectl/pkg/cmd/wait/delete.go, IsDeleted.

Everything that a query leads to. Kubernetes: DeleteOptions.DeleteResult.

Deleting objects, and waiting until they are gone: `kctl delete`, `replace --force`, `apply --force` and `--prune`.

    deletion    how: grace period, what becomes of dependents    flags      what says so on a command line
    found       everything that a query leads to                 waiting    until it is gone
    confirming  asking first

The verbs call these. Kubernetes: kubectl/pkg/cmd/delete.
"""

from __future__ import annotations

import datetime as dt
import sys
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from kctl.command_line.flags import Flag, switch
from kctl.errors import KctlError, listed_as_one, raise_all, with_source
from kctl.objects import Info, Result
from kctl.printers.objects import kind_and_group
from kctl.session.session import Session
from localplane.apimachinery.errors import APIError, Expired, Forbidden, MethodNotAllowed, NotFound
from localplane.apimachinery.objects import JSONObject
from localplane.client.errors import ConnectionLost, InvalidName
from localplane.client.rest.options import ListOptions
from localplane.client.rest.resources import ResourceClient
from localplane.client.transport.driver import sleep

DELETION_FLAGS = (
    Flag(
        "cascade",
        "text",
        "background",
        "What becomes of the objects that an object owns: background (they go later), foreground (they go first) or "
        "orphan (they stay).",
        bare="background",
    ),
    switch("force", "At once: nobody waits until what the object stands for has ended, and data may be lost."),
    Flag(
        "grace-period",
        "int",
        -1,
        "How many seconds it gets to end; a negative number leaves that to the object, and 0 needs --force.",
    ),
    Flag("timeout", "duration", 0.0, "How long to wait until it is gone: 5s, 2m; 0 for as long as it takes."),
)
"""What apply and replace have as well."""


def wait(*, default: bool) -> Flag:
    return switch(
        "wait",
        "Wait until the objects are gone, finalizers and all.",
        default=default,
    )


_POLICIES = {"background": "Background", "foreground": "Foreground", "orphan": "Orphan"}
_TRUE = ("1", "t", "T", "TRUE", "true", "True")
_FALSE = ("0", "f", "F", "FALSE", "false", "False")


class Deletion(NamedTuple):
    """`grace_period` is in seconds; negative leaves it to the object. `dry_run` is none, client or server."""

    policy: str = "Background"
    grace_period: int = -1
    timeout: float = 0
    dry_run: str = "none"

    async def delete(self, info: Info) -> JSONObject:
        """The server's answer: a Status, or the object if it is still there."""
        return await self.delete_named(info.resource, info.name)

    async def delete_named(self, resource: ResourceClient, name: str) -> JSONObject:
        return await resource.delete(
            name,
            propagation_policy=self.policy,
            grace_period_seconds=None if self.grace_period < 0 else self.grace_period,
            dry_run=self.dry_run == "server",
        )


def propagation_policy(session: Session) -> str:
    """What --cascade means. Kubernetes: parseCascadingFlag."""
    said = session.flags.text("cascade")
    if said in _POLICIES:
        return _POLICIES[said]
    if said not in _TRUE and said not in _FALSE:
        raise KctlError(f'invalid cascade value ({said}). Must be "background", "foreground", or "orphan"')
    meant = "background" if said in _TRUE else "orphan"
    session.say(
        f"warning: --cascade={said} is deprecated (boolean value) and can be replaced with --cascade={meant}.\n"
    )
    return _POLICIES[meant]


def confirm(session: Session, infos: Sequence[Info]) -> bool:
    session.write(f"You are about to delete the following {len(infos)} resource(s):\n")
    for info in infos:
        kind = info.rest_mapping.kind
        version = f"{kind.group}/{kind.version}" if kind.group else kind.version
        session.write(f"{kind_and_group({'apiVersion': version, 'kind': kind.kind})}/{info.name}\n")
    session.write("Do you want to continue? (y/N): ")
    sys.stdout.flush()
    answer = sys.stdin.readline() if sys.stdin is not None else ""
    return answer.strip().lower() == "y" and len(answer.split()) == 1


_FOREVER = 168 * 3600.0
_LONGEST_WATCH = 300.0
_PAUSE = 1.0


async def wait_until_gone(info: Info, seconds: float, *, uid: str = "") -> None:
    """Zero is a week. With `uid`, an object with another one counts as gone. Raises KctlError."""
    end = time.monotonic() + (seconds or _FOREVER)
    while True:
        try:
            current = await info.resource.get(info.name)
        except NotFound:
            return
        metadata = current.get("metadata") or {}
        if uid and metadata.get("uid") != uid:
            return
        left = end - time.monotonic()
        if left <= 0:
            raise KctlError(f"timed out waiting for the condition on {info.shown}")
        options = ListOptions(
            field_selector=f"metadata.name={info.name}",
            resource_version=str(metadata.get("resourceVersion", "")),
            timeout=dt.timedelta(seconds=max(1, round(min(left, _LONGEST_WATCH)))),
        )
        try:
            async with info.resource.watch(options) as events:
                async for event in events:
                    if event.type == "DELETED":
                        return
        except (ConnectionLost, Expired):
            continue


async def poll_until_gone(info: Info, seconds: float) -> None:
    """Looks once, and then every second as long as there is time. Raises KctlError.

    Kubernetes: wait.PollUntilContextTimeout, where something is put in the place of what is gone.
    """
    end = time.monotonic() + seconds
    while True:
        try:
            await info.resource.get(info.name)
        except NotFound:
            return
        if time.monotonic() + _PAUSE > end:
            await sleep(max(0.0, end - time.monotonic()))
            raise KctlError("context deadline exceeded")
        await sleep(_PAUSE)


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

    async def delete(self, result: Result) -> list[Info]:
        """Those that were there. Raises what went wrong once all has been tried."""
        failed: list[Exception] = []
        async for info in result.visit():
            if self._options.confirmed is not None and not self._options.confirmed(info):
                continue
            try:
                await self._delete(info)
            except (APIError, InvalidName) as error:
                failed.append(with_source(error, "deleting", info.source))
        self._raise(failed, result.errors)
        if not self._found:
            self._session.write("No resources found\n")
        elif self._options.waits and self._options.deletion.dry_run == "none":
            await self._wait()
        return [info for info, _ in self._deleted]

    def _raise(self, failed: list[Exception], unusable: list[Exception]) -> None:
        """What failed goes before what was found no place for, in whatever order they came."""
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
