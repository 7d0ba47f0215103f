"""`kctl delete`. Kubernetes: kubectl/pkg/cmd/delete/delete.go."""

from __future__ import annotations

from kctl.changes import dry_run
from kctl.changes.deletion import DELETION_FLAGS, DeleteOptions, Deleter, Deletion, confirm, propagation_policy, wait
from kctl.command_line import standard_flags
from kctl.command_line.command import Command
from kctl.command_line.flags import Flag, FlagSet, switch
from kctl.errors import KctlError, raise_all
from kctl.objects import Info, Query, resolve
from kctl.session import raw
from kctl.session.session import Session
from localplane.apimachinery.errors import NotFound

_IMMEDIATE = (
    "Immediate deletion does not wait for confirmation that the running resource has been terminated. The resource may "
    "continue to run on the cluster indefinitely."
)


async def run(session: Session, flags: FlagSet) -> int | None:
    deletion = _deletion(session, flags)
    _ = session.namespace  # a context that is not there is told of in the words of who asks for a namespace
    if flags.text("raw"):
        _check(session, flags, deletion)
        await _raw(session, flags)
        return None
    selects = flags.is_on("all") or bool(flags.text("selector") or flags.text("field-selector"))
    query = _query(flags)
    result = await resolve(session, query)
    _check(session, flags, deletion)
    options = DeleteOptions(
        deletion=deletion,
        ignore_not_found=flags.is_on("ignore-not-found") or (selects and not flags.changed("ignore-not-found")),
        waits=flags.is_on("wait"),
        named=flags.text("output") == "name",
        warns_of_scope=session.namespace_is_explicit and not flags.is_on("all-namespaces"),
    )
    if flags.is_on("interactive"):
        shown = await _preview(session, query, ignore_not_found=options.ignore_not_found)
        if shown is None:
            return None
        options = options._replace(confirmed=lambda info: _place(info) in shown)
    await Deleter(session, options).delete(result)
    return None


def _deletion(session: Session, flags: FlagSet) -> Deletion:
    policy = propagation_policy(session)
    grace, force = flags.number("grace-period"), flags.is_on("force")
    if flags.is_on("now"):
        if grace != -1:
            raise KctlError("--now and --grace-period cannot be specified together")
        grace = 1
    if grace == 0 and not force:
        grace = 1
    if force and grace < 0:
        grace = 0
    return Deletion(
        policy=policy, grace_period=grace, timeout=flags.seconds("timeout"), dry_run=dry_run.dry_run(session)
    )


def _query(flags: FlagSet) -> Query:
    if flags.is_on("all") and (flags.text("selector") or flags.text("field-selector")):
        raise KctlError("setting 'all' parameter but found a non empty selector. ")
    return Query.of(flags)._replace(
        select_all=flags.is_on("all"), needs_object=False, flatten=True, keep_going=True, chunk_size=0
    )


def _check(session: Session, flags: FlagSet, deletion: Deletion) -> None:
    output = flags.text("output")
    if output not in ("", "name"):
        raise KctlError(f"unexpected -o output mode: {output}. We only support '-o name'")
    if flags.is_on("force"):
        if deletion.grace_period > 0:
            raise KctlError("--force and --grace-period greater than 0 cannot be specified together")
        if deletion.grace_period == 0:
            session.warn(_IMMEDIATE)


async def _raw(session: Session, flags: FlagSet) -> None:
    if flags.is_on("interactive"):
        raise KctlError("--interactive can not be used with --raw")
    filenames = flags.texts("filename")
    raw.check_raw(flags, filenames, needs_file=False)
    body = raw.body_of(filenames[0]) if filenames else None
    await raw.raw_request(session, "DELETE", flags.text("raw"), body=body)


async def _preview(session: Session, query: Query, *, ignore_not_found: bool) -> set[tuple[str, str, str]] | None:
    """What was shown and agreed to; None if there was nothing, or somebody said no."""
    result = await resolve(session, query)
    infos = await result.infos()
    raise_all([error for error in result.errors if not (ignore_not_found and isinstance(error, NotFound))])
    if not infos:
        session.write("No resources found\n")
        return None
    if not confirm(session, infos):
        session.write("deletion is cancelled\n")
        return None
    return {_place(info) for info in infos}


def _place(info: Info) -> tuple[str, str, str]:
    return str(info.rest_mapping.resource.group_resource), info.namespace, info.name


COMMAND = Command(
    "delete",
    "delete ([-f FILENAME] | [-k DIRECTORY] | TYPE [(NAME | -l label | --all)])",
    "Delete objects",
    run=run,
    flags=(
        *standard_flags.filename_flags("that say what to delete."),
        standard_flags.SELECTOR,
        standard_flags.FIELD_SELECTOR,
        switch("all", "All objects of these types in the namespace."),
        standard_flags.ALL_NAMESPACES,
        *DELETION_FLAGS,
        switch("now", "With hardly any time to end: --grace-period=1."),
        switch("ignore-not-found", "What is not there is no error. On by itself with --all and with a selector."),
        wait(default=True),
        Flag("output", usage="'name' for kind/name and nothing else.", short="o"),
        Flag("raw", usage="Send a DELETE for this path of the server, with what is in -f."),
        switch("interactive", "Show what would go, and ask.", short="i"),
        standard_flags.DRY_RUN,
    ),
    description="""\
Objects are named by files, by type and name, or by type and labels; one of these at a time.

A pod gets time to end. --grace-period says how much, --now makes it a second, and --force takes it away at once,
whether or not its processes have ended. kctl waits until everything is gone; --wait=false does not.

Whoever deletes does not ask who changed an object in the meantime: the change goes with it.""",
    examples="""\
# Whatever a directory has made
kctl delete -R -f app/

# Two services
kctl delete service web api

# Everything with a label, of several types; ask me first
kctl delete deployments,services,configmaps -l app=shop -i

# What would go?
kctl delete pods --all --dry-run=client

# A pod whose node is gone for good
kctl delete pod web-0 --force

# A deployment, but not its pods
kctl delete deployment web --cascade=orphan""",
)
