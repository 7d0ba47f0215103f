"""What the command line says about an apply, checked. Kubernetes: ApplyOptions."""

from __future__ import annotations

from typing import NamedTuple

from kctl.changes.deletion import Deletion, propagation_policy
from kctl.changes.dry_run import dry_run, field_validation
from kctl.command_line import standard_flags
from kctl.command_line.flags import Flag, FlagSet, switch
from kctl.errors import KctlError
from kctl.session.session import Session

_UNSELECTED = (
    "all resources selected for prune without explicitly passing --all. To prune all resources, pass the --all flag. "
    "If you did not mean to prune all resources, specify a label selector"
)


class ApplyOptions(NamedTuple):
    field_manager: str
    field_validation: str
    dry_run: str
    server_side: bool
    force_conflicts: bool
    overwrite: bool
    force: bool
    deletion: Deletion
    prune: bool
    selector: str
    subresource: str
    openapi: bool
    prints_objects: bool
    """The objects are printed when all is done, and not a line for each on the way."""


SERVER_SIDE_MANAGER = "kubectl"
"""Servers know it by name: they let it take over what was applied by clients, and keep the annotation up to date.

Kubernetes: apimachinery/pkg/util/managedfields/internal, lastappliedmanager.go.
"""


def field_manager(session: Session, *, server_side: bool) -> str:
    flags = session.flags
    if flags.changed("field-manager"):
        return flags.text("field-manager")
    return SERVER_SIDE_MANAGER if server_side else session.field_manager("client-side-apply")


def read_options(session: Session) -> ApplyOptions:
    """Raises KctlError for flags that don't go together."""
    flags = session.flags
    strategy = dry_run(session)
    _ = session.client_config  # a context that is not there is told of in the words of who asks for a server
    deletion = Deletion(
        policy=propagation_policy(session),
        grace_period=flags.number("grace-period"),
        timeout=flags.seconds("timeout"),
        dry_run=strategy,
    )
    if not flags.texts("filename") and not flags.text("kustomize"):
        raise KctlError("must specify one of -f and -k")
    server_side = flags.is_on("server-side")
    options = ApplyOptions(
        field_manager=field_manager(session, server_side=server_side),
        field_validation=field_validation(flags),
        dry_run=strategy,
        server_side=server_side,
        force_conflicts=flags.is_on("force-conflicts"),
        overwrite=flags.is_on("overwrite"),
        force=flags.is_on("force"),
        deletion=deletion,
        prune=flags.is_on("prune"),
        selector=flags.text("selector"),
        subresource=flags.text("subresource"),
        openapi=flags.is_on("openapi-patch"),
        prints_objects=flags.text("output") not in ("", "name"),
    )
    _check(options, flags)
    return options


def _check(options: ApplyOptions, flags: FlagSet) -> None:
    if options.force_conflicts and not options.server_side:
        raise KctlError("--force-conflicts only works with --server-side")
    if options.dry_run == "client" and options.server_side:
        raise KctlError("--dry-run=client doesn't work with --server-side (did you mean --dry-run=server instead?)")
    if options.server_side and options.force:
        raise KctlError("--force cannot be used with --server-side")
    if options.dry_run == "server" and options.force:
        raise KctlError("--dry-run=server cannot be used with --force")
    if flags.is_on("all") and options.selector:
        raise KctlError("cannot set --all and --selector at the same time")
    if flags.text("applyset") and not options.prune:
        raise KctlError("--applyset requires --prune")
    if options.prune:
        _check_pruning(options, flags)
    if options.subresource and not options.server_side:
        raise KctlError("--subresource can only be specified for --server-side")


def _check_pruning(options: ApplyOptions, flags: FlagSet) -> None:
    if options.force:
        raise KctlError("--force cannot be used with --prune")
    if flags.text("applyset"):
        for name, is_given in (
            ("all", flags.is_on("all")),
            ("selector", bool(options.selector)),
            ("prune-allowlist", bool(flags.texts("prune-allowlist"))),
        ):
            if is_given:
                raise KctlError(f"--{name} is incompatible with --applyset")
        return
    if not flags.is_on("all") and not options.selector:
        raise KctlError(_UNSELECTED)
    if options.server_side:
        raise KctlError("--prune is in alpha and doesn't currently work on objects created by server-side apply")


SERVER_SIDE_FLAGS = (
    switch("server-side", "Let the server merge, and keep track of who owns which field."),
    switch("force-conflicts", "With --server-side: take fields that somebody else owns."),
)
PRUNE_ALLOWLIST = Flag(
    "prune-allowlist",
    "array",
    (),
    "Prune these types and no others, as group/version/kind: core/v1/ConfigMap. May be given several times.",
)


def field_manager_flag() -> Flag:
    return standard_flags.field_manager("kubectl-client-side-apply")
