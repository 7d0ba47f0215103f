"""Marking nodes, so that nothing new is put on them. Kubernetes: kubectl/pkg/drain/cordon.go."""

from __future__ import annotations

from kctl.command_line.flags import FlagSet
from kctl.errors import KctlError, UsageError
from kctl.objects import Info, Query, resolve
from kctl.objects.arguments import named
from kctl.printers.objects import NamePrinter
from kctl.session.session import Session
from localplane.apimachinery.errors import APIError
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.groups import GroupResource
from localplane.apimachinery.selectors import labels
from localplane.client.rest import resources


def check(session: Session, flags: FlagSet, usage: str) -> None:
    """Before anything else is looked at: nodes are meant either by name or by --selector."""
    hint = f"See '{session.command} -h' for help and examples"
    if not flags.arguments and not flags.changed("selector"):
        raise UsageError(f"USAGE: {usage} [flags]", hint=hint)
    if flags.arguments and flags.text("selector"):
        raise UsageError("cannot specify both a node name and a --selector option", hint=hint)


async def find(session: Session, flags: FlagSet) -> list[Info]:
    """The nodes that are meant."""
    words = ["nodes"] if flags.text("selector") else named("nodes", flags.arguments)
    result = await resolve(session, Query.of(flags, words)._replace(flatten=True, single_type=True))
    infos = await result.infos()
    for info in infos:
        if (resource := info.rest_mapping.resource).group_resource != GroupResource("", "nodes"):
            raise KctlError(f"error: expected resource of type node, got {go_quote(str(resource))}")
    return infos


async def mark(session: Session, infos: list[Info], mode: str, *, unschedulable: bool) -> None:
    """A node that can't be marked is complained about, and does not stop the others."""
    verb = "cordon" if unschedulable else "uncordon"
    for info in infos:
        node = info.object or {}
        if bool((node.get("spec") or {}).get("unschedulable")) == unschedulable:
            print_node(session, info, f"already {verb}ed", mode)
            continue
        if mode != "client":
            patch = {"spec": {"unschedulable": True if unschedulable else None}}
            try:
                await info.resource.patch(info.name, patch, resources.PatchType.STRATEGIC, dry_run=mode == "server")
            except APIError as error:
                session.say(f"error: unable to {verb} node {go_quote(info.name)}: {error.message}\n")
                continue
        print_node(session, info, f"{verb}ed", mode)


def print_node(session: Session, info: Info, operation: str, mode: str) -> None:
    after = {"client": " (dry run)", "server": " (server dry run)"}.get(mode, "")
    NamePrinter(operation + after, short=False).print(info.object or {}, session.write_object)


def require_selector(text: str) -> None:
    try:
        labels.parse(text)
    except labels.InvalidSelector as error:
        raise KctlError("--pod-selector=<pod_selector> must be a valid label selector") from error
