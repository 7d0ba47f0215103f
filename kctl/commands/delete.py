"""`kctl delete`. Kubernetes: kubectl/pkg/cmd/delete/delete.go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kctl import standard_flags
from kctl.command import Command
from kctl.deleting.flags import DELETION_FLAGS, wait
from kctl.errors import KctlError
from kctl.flags import Flag, switch

if TYPE_CHECKING:
    from kctl.deleting import Deletion
    from kctl.flags import Given
    from kctl.resolve import Info, Query
    from kctl.session import Session

_IMMEDIATE = (
    "Immediate deletion does not wait for confirmation that the running resource has been terminated. The resource may "
    "continue to run on the cluster indefinitely."
)


async def run(session: Session, given: Given) -> int | None:
    from kctl.deleting.found import DeleteOptions, Deleter
    from kctl.resolve import resolve

    deletion = _deletion(session, given)
    if given.text("raw"):
        _check(session, given, deletion)
        await _raw(session, given)
        return None
    selects = given.is_on("all") or bool(given.text("selector") or given.text("field-selector"))
    query = _query(given)
    found = await resolve(session, query)
    _check(session, given, deletion)
    options = DeleteOptions(
        deletion=deletion,
        ignore_not_found=given.is_on("ignore-not-found") or (selects and not given.changed("ignore-not-found")),
        waits=given.is_on("wait"),
        named=given.text("output") == "name",
        warns_of_scope=session.namespace_is_explicit and not given.is_on("all-namespaces"),
    )
    if given.is_on("interactive"):
        shown = await _preview(session, query, ignore_not_found=options.ignore_not_found)
        if shown is None:
            return None
        options = options._replace(confirmed=lambda info: _place(info) in shown)
    await Deleter(session, options).delete(found)
    return None


def _deletion(session: Session, given: Given) -> Deletion:
    from kctl.deleting import Deletion
    from kctl.deleting.deletion import propagation_policy
    from kctl.dry_running import dry_run

    policy = propagation_policy(session)
    grace, force = given.number("grace-period"), given.is_on("force")
    if given.is_on("now"):
        if grace != -1:
            raise KctlError("--now and --grace-period cannot be specified together")
        grace = 1
    if grace == 0 and not force:
        grace = 1
    if force and grace < 0:
        grace = 0
    return Deletion(policy=policy, grace_period=grace, timeout=given.seconds("timeout"), dry_run=dry_run(session))


def _query(given: Given) -> Query:
    from kctl.resolve import Query

    if given.is_on("all") and (given.text("selector") or given.text("field-selector")):
        raise KctlError("setting 'all' parameter but found a non empty selector. ")
    return Query.of(given)._replace(
        select_all=given.is_on("all"), needs_object=False, flatten=True, keep_going=True, chunk_size=0
    )


def _check(session: Session, given: Given, deletion: Deletion) -> None:
    output = given.text("output")
    if output not in ("", "name"):
        raise KctlError(f"unexpected -o output mode: {output}. We only support '-o name'")
    if given.is_on("force"):
        if deletion.grace_period > 0:
            raise KctlError("--force and --grace-period greater than 0 cannot be specified together")
        if deletion.grace_period == 0:
            session.warn(_IMMEDIATE)


async def _raw(session: Session, given: Given) -> None:
    from kctl.raw import body_of, check_raw, raw_request

    if given.is_on("interactive"):
        raise KctlError("--interactive can not be used with --raw")
    filenames = given.texts("filename")
    check_raw(given, filenames, needs_file=False)
    body = body_of(filenames[0]) if filenames else None
    await raw_request(session, "DELETE", given.text("raw"), body=body)


async def _preview(session: Session, query: Query, *, ignore_not_found: bool) -> set[tuple[str, str, str]] | None:
    """What was shown and agreed to; None if there was nothing, or somebody said no."""
    from kctl.deleting.confirming import confirm
    from kctl.errors import raise_all
    from kctl.resolve import resolve
    from localplane.apimachinery.errors import NotFound

    found = await resolve(session, query)
    infos = await found.infos()
    raise_all([error for error in found.errors if not (ignore_not_found and isinstance(error, NotFound))])
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
    "Delete resources by file names, stdin, resources and names, or by resources and label selector",
    run=run,
    flags=(
        *standard_flags.filename_flags("containing the resource to delete."),
        standard_flags.SELECTOR,
        standard_flags.FIELD_SELECTOR,
        switch("all", "Delete all resources, in the namespace of the specified resource types."),
        standard_flags.ALL_NAMESPACES,
        *DELETION_FLAGS,
        switch("now", "If true, resources are signaled for immediate shutdown (same as --grace-period=1)."),
        switch(
            "ignore-not-found",
            'Treat "resource not found" as a successful delete. Defaults to "true" when --all is specified.',
        ),
        wait(default=True),
        Flag("output", usage='Output mode. Use "-o name" for shorter output (resource/name).', short="o"),
        Flag("raw", usage="Raw URI to DELETE to the server.  Uses the transport specified by the kubeconfig file."),
        switch("interactive", "If true, delete resource only when user confirms.", short="i"),
        standard_flags.DRY_RUN,
    ),
    description="""\
Delete resources by file names, stdin, resources and names, or by resources and label selector.

JSON and YAML formats are accepted. Only one type of argument may be specified: file names, resources and names, or
resources and label selector.

Some resources, such as pods, are given time to end (the grace period). --grace-period changes it, --now makes it one
second, and --force takes the object away at once, whether or not what it stands for has ended. Other resources have no
grace period.

A delete does not look at resource versions: a change that somebody else makes at the same moment is lost with the
rest of the resource.""",
    examples="""\
# Delete a pod using the type and name specified in pod.json
kctl delete -f ./pod.json

# Delete resources from all files that end with '.json'
kctl delete -f '*.json'

# Delete a pod based on the type and name in the JSON passed into stdin
cat pod.json | kctl delete -f -

# Delete pods and services with same names "baz" and "foo"
kctl delete pod,service baz foo

# Delete pods and services with label name=myLabel
kctl delete pods,services -l name=myLabel

# Delete a pod with minimal delay
kctl delete pod foo --now

# Force delete a pod on a dead node
kctl delete pod foo --force

# Delete all pods
kctl delete pods --all

# Delete all pods only if the user confirms the deletion
kctl delete pods --all --interactive""",
)
