"""Secrets in a diff: that they differ may be seen, what they are may not. Kubernetes: Masker in cmd/diff.

Two directories, what is there and what would be, and the program that compares them.

Kubernetes: Differ and DiffProgram in kubectl/pkg/cmd/diff.

What an apply would change, object by object. Kubernetes: DiffOptions.Run.
"""

from __future__ import annotations

import difflib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Self

from kctl.changes.apply import last_applied
from kctl.changes.apply.client_side import Patcher, PatcherOptions, PatchRefused, warn_if_deleting
from kctl.changes.apply.options import field_manager
from kctl.changes.apply.prune import Visited, prunable, prunable_types
from kctl.changes.apply.schemas import PatchSchemas
from kctl.changes.temporary_files import new_directory
from kctl.command_line.flags import FlagSet
from kctl.errors import KctlError
from kctl.objects import Info, Query, Result, resolve
from kctl.printers.objects import without_managed_fields
from kctl.session.session import Session
from localplane.apimachinery.errors import APIError, Conflict, NotFound
from localplane.apimachinery.golang import sources
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.serializers import to_yaml
from localplane.client.errors import ClientError
from localplane.client.rest.mapper import RESTMapping
from localplane.client.rest.resources import PatchType
from localplane.client.transport.driver import drive

_SAME, _BEFORE, _AFTER = "***", "*** (before)", "*** (after)"


def masked(before: JSONObject | None, after: JSONObject) -> tuple[JSONObject | None, JSONObject]:
    """Copies without the values of `data`."""
    old: JSONObject = (before or {}).get("data") or {}
    new: JSONObject = after.get("data") or {}
    left, right = {}, {}
    for key in {**old, **new}:
        differs = key in old and key in new and old[key] != new[key]
        left[key], right[key] = (_BEFORE, _AFTER) if differs else (_SAME, _SAME)
    return (
        None if before is None else _with_data(before, {key: left[key] for key in old}),
        _with_data(after, {key: right[key] for key in new}),
    )


def _with_data(obj: JSONObject, data: JSONObject) -> JSONObject:
    return {**obj, "data": data} if obj.get("data") is not None else obj


_PLAIN_ARGUMENT = re.compile(r"[a-zA-Z0-9-=]+").fullmatch


class Versions:
    """Used in `with`: the directories go when it ends."""

    def __init__(self) -> None:
        self._live = new_directory("LIVE-")
        self._merged = new_directory("MERGED-")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        shutil.rmtree(self._live, ignore_errors=True)
        shutil.rmtree(self._merged, ignore_errors=True)

    def write(
        self, about: JSONObject, namespace: str, name: str, *, live: JSONObject | None, merged: JSONObject | None
    ) -> None:
        """One object in both forms; None where there is none. A file without an object is empty, or is not there."""
        file = f"{str(about.get('apiVersion', '')).replace('/', '.')}.{about.get('kind')}.{namespace}.{name}"
        if "/" in file:
            raise KctlError(f"invalid resource name {go_quote(name)}")
        for directory, obj in ((self._live, live), (self._merged, merged)):
            if obj is not None or (directory is self._live and merged is not None):
                _write(directory / file, b"" if obj is None else to_yaml(obj))

    def compare(self, session: Session) -> int:
        """Prints the differences: 0 for none, 1 for some. Raises KctlError for a program that failed."""
        sys.stdout.flush()
        program, *arguments = self._command()
        paints = session.paints and not os.environ.get("KUBECTL_EXTERNAL_DIFF")
        try:
            running = subprocess.Popen([program, *arguments], stdout=subprocess.PIPE if paints else None)
        except FileNotFoundError:
            if os.environ.get("KUBECTL_EXTERNAL_DIFF"):
                raise _failed(program, "executable file not found in $PATH") from None
            return self._compare_here(session)
        except OSError:
            raise _failed(program, "executable file not found in $PATH") from None
        with running:
            for line in running.stdout or ():
                session.write_object(line.decode(errors="replace"))
        code = running.returncode
        if code > 1 or code < 0:
            raise _failed(program, f"exit status {code}")
        return code

    def _command(self) -> list[str]:
        words = [str(self._live), str(self._merged)]
        program = os.environ.get("KUBECTL_EXTERNAL_DIFF", "")
        if not program:
            return ["diff", "-u", "-N", *words]
        name, *arguments = program.split(" ")
        return [name, *words, *(one for one in arguments if _PLAIN_ARGUMENT(one))]

    def _compare_here(self, session: Session) -> int:
        """For machines without diff."""
        found = 0
        for name in sorted({file.name for directory in (self._live, self._merged) for file in directory.iterdir()}):
            live, merged = self._live / name, self._merged / name
            lines = list(difflib.unified_diff(_lines(live), _lines(merged), str(live), str(merged)))
            if lines:
                found = 1
                session.write_object(f"diff -u -N {live} {merged}\n{''.join(lines)}")
        return found


def _failed(program: str, reason: str) -> KctlError:
    return KctlError(f"failed to run {go_quote(program)}: {reason}", exit_code=2)


def _write(file: Path, data: bytes) -> None:
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as opened:
        opened.write(data)


def _lines(file: Path) -> list[str]:
    return file.read_text().splitlines(keepends=True) if file.exists() else []


_ATTEMPTS = 4


async def diff(session: Session, flags: FlagSet) -> int:
    """Prints the differences; 1 if there are any. Every file is looked at before the first error is raised."""
    query = Query.of(flags)._replace(flatten=True, needs_object=False)
    visited = Visited(set(), set())
    types = await _prunable_types(session, flags)
    with Versions() as versions:
        result = await resolve(session, query)
        if flags.number("concurrency") > 1:
            errors = _at_once(session, flags, result, versions, visited)
        else:
            diffing = _Diffing(session, flags, versions, visited)
            errors = [error for part in result.by_source() if (error := await diffing.add_all(part))]
        if types is not None:
            await _add_pruned(session, flags, types, versions, visited)
        for error in errors:
            raise error
        return versions.compare(session)


def _at_once(session: Session, flags: FlagSet, result: Result, versions: Versions, visited: Visited) -> list[Exception]:
    """As many files at a time as --concurrency says, each in a thread with a connection of its own."""
    from concurrent.futures import ThreadPoolExecutor

    async def add_all(index: int) -> Exception | None:
        own = session.another()
        try:
            return await _Diffing(own, flags, versions, visited).add_all(result.by_source(own)[index])
        finally:
            await own.close()

    with ThreadPoolExecutor(flags.number("concurrency")) as threads:
        done = threads.map(lambda index: drive(lambda: add_all(index)), range(len(result.by_source())))
        return [error for error in done if error is not None]


class _Diffing:
    def __init__(self, session: Session, flags: FlagSet, versions: Versions, visited: Visited) -> None:
        self._session = session
        self._flags = flags
        self._versions = versions
        self._visited = visited
        self._schemas = PatchSchemas(session)
        self._manager = field_manager(session, server_side=flags.is_on("server-side"))

    async def add_all(self, result: Result) -> Exception | None:
        """What one file has, up to what goes wrong, which is the answer."""
        try:
            async for info in result.visit():
                await self.add(info)
        except (KctlError, APIError, ClientError) as error:
            return error
        return None

    async def add(self, info: Info) -> None:
        assert info.object is not None
        local = info.object
        for attempt in range(1, _ATTEMPTS + 1):
            live = await self._live(info)
            try:
                merged = await self._merged(info, local, live, pinned=attempt < _ATTEMPTS)
            except Conflict:
                if attempt == _ATTEMPTS or self._flags.is_on("server-side"):
                    raise
                continue
            break
        self._write(info, live, merged)
        warn_if_deleting(self._session, live)

    async def _live(self, info: Info) -> JSONObject | None:
        if info.is_namespaced:
            self._visited.namespaces.add(info.namespace)
        try:
            live = await info.get()
        except NotFound:
            return None
        self._visited.uids.add(str((live.get("metadata") or {}).get("uid", "")))
        return live

    async def _merged(self, info: Info, local: JSONObject, live: JSONObject | None, *, pinned: bool) -> JSONObject:
        if self._flags.is_on("server-side"):
            return await info.resource.patch(
                info.name,
                last_applied.written(local),
                PatchType.APPLY,
                force=self._flags.is_on("force-conflicts"),
                dry_run=True,
                field_manager=self._manager,
            )
        if live is None:
            metadata = {key: value for key, value in local["metadata"].items() if key != "resourceVersion"}
            return await info.resource.create(
                last_applied.written({**local, "metadata": metadata}), dry_run=True, field_manager=self._manager
            )
        options = PatcherOptions(self._manager, dry_run="server", pinned=pinned)
        modified = last_applied.encoded(last_applied.bare(local))
        try:
            patched = await Patcher(self._schemas, options).patch(info, live, modified)
        except PatchRefused as refusal:
            raise refusal.error from refusal
        return patched.object

    def _write(self, info: Info, live: JSONObject | None, merged: JSONObject) -> None:
        kind = info.rest_mapping.kind
        if not self._flags.is_on("show-managed-fields"):
            live = None if live is None else without_managed_fields(live)
            merged = without_managed_fields(merged)
        if not self._flags.is_on("show-secrets") and merged.get("kind") == "Secret" and kind.version == "v1":
            live, merged = masked(live, merged)
        self._versions.write(merged, info.namespace, info.name, live=live, merged=merged)


async def _prunable_types(session: Session, flags: FlagSet) -> list[RESTMapping] | None:
    if not flags.is_on("prune"):
        return None
    return await prunable_types(session, flags.texts("prune-allowlist"))


async def _add_pruned(
    session: Session, flags: FlagSet, types: list[RESTMapping], versions: Versions, visited: Visited
) -> None:
    try:
        pruned = await prunable(session, types, flags.text("selector"), visited)
    except APIError as error:
        text = f"pruning failed and could not be evaluated err: {error.message}"
        session.log_warning(text, place=sources.PRUNING_FAILED)
        return
    for one in pruned:
        versions.write(one.object, one.namespace, one.name, live=one.object, merged=None)
