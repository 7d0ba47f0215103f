"""`kctl top node`. Kubernetes: kubectl/pkg/cmd/top/top_node.go."""

from __future__ import annotations

from kctl.command_line import standard_flags
from kctl.command_line.command import Command
from kctl.command_line.flags import FlagSet
from kctl.errors import KctlError, UsageError
from kctl.session.session import Session
from kctl.views.top import rows as top_rows
from kctl.views.top.metrics import NO_HEADERS, PROTOBUF, Metrics, check_sorting, label_selector, sort_by, switch
from localplane.apimachinery.objects import JSONObject
from localplane.client.rest import options
from localplane.client.rest.names import GroupVersionResource

_USAGE = "node [NAME | -l label]"


async def run(session: Session, flags: FlagSet) -> None:
    if len(flags.arguments) > 1:
        raise UsageError(_USAGE, hint="See 'kctl top node -h' for help and examples")
    name = flags.arguments[0] if flags.arguments else ""
    check_sorting(flags)
    if name and flags.text("selector"):
        raise KctlError("only one of NAME or --selector can be provided")
    labels = label_selector(flags.text("selector"))
    metrics = Metrics(session, protobuf=flags.is_on("use-protocol-buffers"))
    found = await metrics.read("nodes", name=name, labels=labels)
    if not found:
        raise KctlError("metrics not available yet")
    _print(session, flags, found, await _nodes(session, name, labels))


async def _nodes(session: Session, name: str, labels: str) -> list[JSONObject]:
    nodes = session.client.resource(GroupVersionResource("", "v1", "nodes"))
    if name:
        return [await nodes.get(name)]
    return list((await nodes.list(options.ListOptions(label_selector=labels))).get("items") or ())


def _print(session: Session, flags: FlagSet, metrics: list[JSONObject], nodes: list[JSONObject]) -> None:
    field = "capacity" if flags.is_on("show-capacity") else "allocatable"
    available, without_swap = {}, set()
    for node in nodes:
        name, status = node["metadata"]["name"], node.get("status") or {}
        swap = ((status.get("nodeInfo") or {}).get("swap") or {}).get("capacity")
        available[name] = top_rows.usage(
            {**(status.get(field) or {}), **({} if swap is None else {top_rows.SWAP: swap})}
        )
        if swap is None:
            without_swap.add(name)
    out = session.columns()
    rows = top_rows.Rows(out, top_rows.measured(swap=flags.is_on("show-swap")))
    if not flags.is_on("no-headers"):
        rows.headers((), shares=True)
    used = [(one["metadata"]["name"], top_rows.usage(one.get("usage"))) for one in metrics]
    for name, amounts in sorted(used, key=lambda one: top_rows.order(one[1], one[0], flags.text("sort-by"))):
        missing = frozenset((top_rows.SWAP,)) if name in without_swap else frozenset()
        rows.used((name,), amounts, available.pop(name, None), missing=missing)
    for name in available:
        rows.unknown(name)
    out.flush()


COMMAND = Command(
    "node",
    _USAGE,
    "Show how much CPU and memory nodes use",
    run=run,
    aliases=("nodes", "no"),
    flags=(
        standard_flags.SELECTOR,
        sort_by("nodes"),
        NO_HEADERS,
        PROTOBUF,
        switch("show-capacity", "Compare with what the node has in all, not with what pods may use of it."),
        switch("show-swap", "Show swap memory as well."),
    ),
    description="""\
Show how much CPU and memory nodes use, and how much of what they have that is.

A metrics server has to run in the cluster; what it says is a minute old or so.""",
    examples="""\
# All nodes, the busiest first
kctl top node --sort-by=cpu

# One node
kctl top node worker-1

# Nodes of one zone, compared with all the memory that they have
kctl top node -l topology.kubernetes.io/zone=a --show-capacity""",
)
