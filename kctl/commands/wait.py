"""`kctl wait`. Kubernetes: kubectl/pkg/cmd/wait."""

from __future__ import annotations

import asyncio

from kctl.command_line import standard_flags
from kctl.command_line.command import Command
from kctl.command_line.flags import Flag, FlagSet, switch
from kctl.errors import KctlError, raise_all
from kctl.objects import Info, Query, Result, resolve
from kctl.objects.lookup import LOCAL_ONLY_FILES
from kctl.printers import results
from kctl.printers.choice import Printer, output_flags
from kctl.session.session import Session
from kctl.views import wait as views_wait
from localplane.apimachinery.errors import APIError, NotFound
from localplane.apimachinery.objects import JSONObject

_A_WEEK = 168 * 3600.0
_PAUSE = 0.5
_TIMED_OUT = "timed out waiting for the condition"


async def run(session: Session, flags: FlagSet) -> None:
    printer = results.printer_for(flags, "condition met")
    awaited = views_wait.read(flags.texts("for"))
    timeout = flags.seconds("timeout")
    deadline = asyncio.get_running_loop().time() + (timeout if timeout >= 0 else _A_WEEK)
    if any(isinstance(one, views_wait.Created) for one in awaited):
        await _wait_for_creation(session, flags, deadline)
    for_deletion = any(isinstance(one, views_wait.Deleted) for one in awaited)
    waiting = _Waiting(session, printer, awaited, deadline=deadline, once=timeout == 0)
    await _visit(await _find(session, flags), waiting, for_deletion=for_deletion)


async def _find(session: Session, flags: FlagSet) -> Result:
    local = flags.is_on("local")
    if local and flags.arguments:
        raise KctlError(LOCAL_ONLY_FILES)
    query = Query.of(flags)._replace(
        types_alone=flags.is_on("all"), latest=not local, local=local, keep_going=True, flatten=True
    )
    return await resolve(session, query)


async def _visit(result: Result, waiting: _Waiting, *, for_deletion: bool) -> None:
    count = 0
    async for info in result.visit():
        count += 1
        try:
            await waiting.wait(info)
        except (KctlError, APIError) as error:
            result.errors.append(error)
    if for_deletion:
        result.errors = [error for error in result.errors if not isinstance(error, NotFound)]
    raise_all(result.errors)
    if not count and not for_deletion:
        raise KctlError("no matching resources found")


async def _wait_for_creation(session: Session, flags: FlagSet, deadline: float) -> None:
    loop = asyncio.get_running_loop()
    while True:
        found = await _find(session, flags)
        infos = await found.infos()
        # kubectl only has patience with one object that is not there, and that was named on the command line.
        is_patient = len(found.errors) == 1 and isinstance(found.errors[0], NotFound) and not found.lists_errors
        if not is_patient:
            raise_all(found.errors)
        if infos and not found.errors:
            return
        if loop.time() + _PAUSE > deadline:
            await asyncio.sleep(max(0.0, deadline - loop.time()))
            raise KctlError(_TIMED_OUT)
        await asyncio.sleep(_PAUSE)


class _Waiting:
    """`once` looks and does not wait."""

    def __init__(
        self, session: Session, printer: Printer, awaited: list[views_wait.Awaited], *, deadline: float, once: bool
    ) -> None:
        self._session = session
        self._printer = printer
        self._awaited = awaited
        self._deadline = deadline
        self._once = once

    async def wait(self, info: Info) -> None:
        """For all that is awaited, one after another. Raises what kept it from coming true."""
        if not info.name:
            raise KctlError("resource name must be provided")
        for one in self._awaited:
            try:
                async with asyncio.timeout_at(None if self._once else self._deadline):
                    final = await self._until(info, one)
            except TimeoutError:
                raise KctlError(f"{_TIMED_OUT} on {info.shown}") from None
            try:
                self._printer.print(final, self._session.write_object)
            except KctlError:
                continue  # kubectl does not look at what its printer says

    async def _until(self, info: Info, one: views_wait.Awaited) -> JSONObject:
        if isinstance(one, views_wait.Created):
            return info.object or {}
        if info.mapping is None:
            raise KctlError("only --for=create can be told from a file: --local asks no server")
        if isinstance(one, views_wait.Deleted):
            return await self._until_gone(info)
        if self._once:
            current = await info.resource.get(info.name)
            if not one.met(current):
                raise KctlError(f"condition not met for {info.shown}")
            return current
        first = True
        async for event, obj in views_wait.follow(info):
            if first and event == "ABSENT":
                raise NotFound.of(info.rest_mapping.resource.group_resource, info.name)
            first = False
            if obj is not None and event in ("ADDED", "MODIFIED") and one.met(obj):
                return obj
        raise KctlError(f"{_TIMED_OUT} on {info.shown}")

    async def _until_gone(self, info: Info) -> JSONObject:
        try:
            current = await info.resource.get(info.name)
        except NotFound:
            return info.object or {}
        if self._once:
            raise KctlError(f"condition not met for {info.shown}")
        async for event, _ in views_wait.follow(info):
            if event in ("ABSENT", "DELETED"):
                break
        return current


COMMAND = Command(
    "wait",
    "wait ([-f FILENAME] | resource.group/resource.name | resource.group [(-l label | --all)]) "
    "[--for=create|--for=delete|--for condition=available|--for=jsonpath='{}'[=value]]",
    "Wait until something is true of objects",
    run=run,
    concurrent=True,
    flags=(
        *output_flags(),
        switch("all", "All objects of these types in the namespace."),
        switch("local", "Ask no server; only for files, and only for create."),
        Flag("timeout", "duration", 30.0, "How long to wait. 0 looks once; less than 0 is a week."),
        Flag(
            "for",
            "array",
            (),
            "What to wait for: create, delete, condition=NAME[=VALUE] (VALUE is true unless given; case does not "
            "count), or jsonpath='{EXPRESSION}'[=VALUE] (without VALUE: that there is something). Given several times, "
            "each in turn; create always comes first.",
        ),
        standard_flags.ALL_NAMESPACES,
        standard_flags.SELECTOR,
        standard_flags.FIELD_SELECTOR,
        *(
            flag
            for flag in standard_flags.filename_flags("that name the objects.", recursive=True)
            if flag.name != "kustomize"
        ),
    ),
    description="""\
Wait until something is true of all the objects named: a condition in their status, a value at a JSONPath, that they are
there, or that they are gone. A line is printed for each object as it comes true, and after --timeout the command fails.

A condition that was observed on an older generation of the object does not count.""",
    examples="""\
# Until a pod is ready
kctl wait pod/web-1 --for=condition=Ready --timeout=2m

# Until all deployments of an app are available
kctl wait deployments -l app=shop --for=condition=Available

# Until a value is there
kctl wait service/web --for=jsonpath='{.status.loadBalancer.ingress}'

# Until it is this one
kctl wait pvc/data --for=jsonpath='{.status.phase}'=Bound

# Until a job has either finished or failed
kctl wait job/import --for=condition=Complete --timeout=0 || kctl wait job/import --for=condition=Failed

# Until somebody has made it, and it is ready
kctl wait pod/web-1 --for=create --for=condition=Ready

# Until it is gone
kctl wait pod/web-1 --for=delete --timeout=60s""",
)
