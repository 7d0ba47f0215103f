"""`kctl wait`. Kubernetes: kubectl/pkg/cmd/wait."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from kctl import standard_flags
from kctl.command import Command
from kctl.errors import KctlError
from kctl.flags import Flag, switch
from kctl.printers.choosing import output_flags

if TYPE_CHECKING:
    from kctl.flags import Given
    from kctl.printers.choosing import Printer
    from kctl.resolve import Found, Info
    from kctl.session import Session
    from kctl.waiting.conditions import Awaited, Object

_A_WEEK = 168 * 3600.0
_PAUSE = 0.5
_TIMED_OUT = "timed out waiting for the condition"


async def run(session: Session, given: Given) -> None:
    from kctl.printers import results
    from kctl.waiting.conditions import Created, Deleted, read

    printer = results.printer_for(given, "condition met")
    awaited = read(given.texts("for"))
    timeout = given.seconds("timeout")
    deadline = asyncio.get_running_loop().time() + (timeout if timeout >= 0 else _A_WEEK)
    if any(isinstance(one, Created) for one in awaited):
        await _wait_for_creation(session, given, deadline)
    for_deletion = any(isinstance(one, Deleted) for one in awaited)
    waiting = _Waiting(session, printer, awaited, deadline=deadline, once=timeout == 0)
    await _visit(await _find(session, given), waiting, for_deletion=for_deletion)


async def _find(session: Session, given: Given) -> Found:
    from kctl.resolve import Query, resolve

    local = given.is_on("local")
    query = Query.of(given)._replace(
        select_all=given.is_on("all"), latest=not local, local=local, keep_going=True, flatten=True
    )
    return await resolve(session, query)


async def _visit(found: Found, waiting: _Waiting, *, for_deletion: bool) -> None:
    from localplane.apimachinery.errors import APIError, NotFound

    count = 0
    async for info in found.visit():
        count += 1
        try:
            await waiting.wait(info)
        except (KctlError, APIError) as error:
            found.errors.append(error)
    if for_deletion:
        found.errors = [error for error in found.errors if not isinstance(error, NotFound)]
    found.raise_errors()
    if not count and not for_deletion:
        raise KctlError("no matching resources found")


async def _wait_for_creation(session: Session, given: Given, deadline: float) -> None:
    from localplane.apimachinery.errors import NotFound

    loop = asyncio.get_running_loop()
    while True:
        found = await _find(session, given)
        infos = await found.infos()
        others = [error for error in found.errors if not isinstance(error, NotFound)]
        if others:
            found.raise_errors()
        if infos and not found.errors:
            return
        if loop.time() + _PAUSE > deadline:
            await asyncio.sleep(max(0.0, deadline - loop.time()))
            raise KctlError(_TIMED_OUT)
        await asyncio.sleep(_PAUSE)


class _Waiting:
    """`once` looks and does not wait."""

    def __init__(
        self, session: Session, printer: Printer, awaited: list[Awaited], *, deadline: float, once: bool
    ) -> None:
        self._session = session
        self._printer = printer
        self._awaited = awaited
        self._deadline = deadline
        self._once = once

    async def wait(self, info: Info) -> None:
        """For all that is awaited, one after another. Raises what kept it from coming true."""
        for one in self._awaited:
            try:
                async with asyncio.timeout_at(None if self._once else self._deadline):
                    final = await self._until(info, one)
            except TimeoutError:
                raise KctlError(f"{_TIMED_OUT} on {info.shown}") from None
            self._printer.print(final, self._session.write)

    async def _until(self, info: Info, one: Awaited) -> Object:
        from kctl.waiting.conditions import Created, Deleted
        from kctl.waiting.following import follow
        from localplane.apimachinery.errors import NotFound

        if isinstance(one, Created):
            return info.object or {}
        if isinstance(one, Deleted):
            return await self._until_gone(info)
        if self._once:
            current = await info.resource.get(info.name)
            if not one.met(current):
                raise KctlError(f"condition not met for {info.shown}")
            return current
        first = True
        async for event, obj in follow(info):
            if first and event == "ABSENT":
                raise NotFound.of(info.rest_mapping.resource.group_resource, info.name)
            first = False
            if obj is not None and event in ("ADDED", "MODIFIED") and one.met(obj):
                return obj
        raise KctlError(f"{_TIMED_OUT} on {info.shown}")

    async def _until_gone(self, info: Info) -> Object:
        from kctl.waiting.following import follow
        from localplane.apimachinery.errors import NotFound

        try:
            current = await info.resource.get(info.name)
        except NotFound:
            return info.object or {}
        if self._once:
            raise KctlError(f"condition not met for {info.shown}")
        async for event, _ in follow(info):
            if event in ("ABSENT", "DELETED"):
                break
        return current


COMMAND = Command(
    "wait",
    "wait ([-f FILENAME] | resource.group/resource.name | resource.group [(-l label | --all)]) "
    "[--for=create|--for=delete|--for condition=available|--for=jsonpath='{}'[=value]]",
    "Wait for a specific condition on one or many resources",
    run=run,
    concurrent=True,
    flags=(
        *output_flags(),
        switch("all", "Select all resources in the namespace of the specified resource types"),
        switch("local", "If true, annotation will NOT contact api-server but run locally."),
        Flag(
            "timeout",
            "duration",
            30.0,
            "The length of time to wait before giving up. Zero means check once and don't wait, negative means wait "
            "for a week.",
        ),
        Flag(
            "for",
            "array",
            (),
            "The condition to wait on: [create|delete|condition=condition-name[=condition-value]|jsonpath='{JSONPath "
            "expression}'=[JSONPath value]]. The default condition-value is true. Condition values are compared after "
            "Unicode simple case folding, which is a more general form of case-insensitivity.",
        ),
        standard_flags.ALL_NAMESPACES,
        standard_flags.SELECTOR,
        standard_flags.FIELD_SELECTOR,
        *standard_flags.filename_flags("identifying the resource."),
    ),
    description="""\
Wait for a specific condition on one or many resources.

The command takes multiple resources and waits until the specified condition is seen in the Status field of every given
resource. Alternatively, the command can wait for the given set of resources to be created or deleted by providing the
"create" or "delete" keyword as the value to the --for flag. Given several times, all of them have to come true.

A successful message will be printed to stdout indicating when the specified condition has been met. You can use -o
option to change to output destination.""",
    examples="""\
# Wait for the pod "busybox1" to contain the status condition of type "Ready"
kctl wait --for=condition=Ready pod/busybox1

# The default value of status condition is true; you can wait for other targets after an equal delimiter
kctl wait --for=condition=Ready=false pod/busybox1

# Wait for the pod "busybox1" to contain the status phase to be "Running"
kctl wait --for=jsonpath='{.status.phase}'=Running pod/busybox1

# Wait for the service "loadbalancer" to have ingress
kctl wait --for=jsonpath='{.status.loadBalancer.ingress}' service/loadbalancer

# Wait for the pod "busybox1" to be deleted, with a timeout of 60s, after having issued the "delete" command
kctl delete pod/busybox1
kctl wait --for=delete pod/busybox1 --timeout=60s""",
)
