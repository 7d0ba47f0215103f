"""`kctl top pod`. Kubernetes: kubectl/pkg/cmd/top/top_pod.go."""

from __future__ import annotations

import datetime as dt
from datetime import timedelta

from kctl.command_line import standard_flags
from kctl.command_line.command import Command
from kctl.command_line.flags import FlagSet
from kctl.errors import KctlError, UsageError
from kctl.session.session import Session
from kctl.views.top import rows as top_rows
from kctl.views.top.metrics import (
    NO_HEADERS,
    PROTOBUF,
    Metrics,
    check_sorting,
    field_selector,
    label_selector,
    sort_by,
    switch,
)
from localplane.apimachinery import times
from localplane.apimachinery.objects import JSONObject
from localplane.client.rest import options
from localplane.client.rest.names import GroupVersionResource

_USAGE = "pod [NAME | -l label]"
_METRICS_TAKE = timedelta(minutes=2)
"""A pod that is older and has no metrics won't get any soon."""


async def run(session: Session, flags: FlagSet) -> None:
    if len(flags.arguments) > 1:
        raise UsageError(_USAGE, hint="See 'kctl top pod -h' for help and examples")
    name = flags.arguments[0] if flags.arguments else ""
    namespace = session.namespace
    check_sorting(flags)
    if name and (flags.text("selector") or flags.text("field-selector")):
        raise KctlError("only one of NAME or selector can be provided")
    labels, fields = label_selector(flags.text("selector")), field_selector(flags.text("field-selector"))
    everywhere = flags.is_on("all-namespaces")
    metrics = Metrics(session, protobuf=flags.is_on("use-protocol-buffers"))
    where = "" if everywhere else namespace
    found = await metrics.read("pods", namespace=where, name=name, labels=labels)
    if found and fields:
        known = {_place(pod) for pod in await _pods(session, where, "", labels, fields)}
        found = [one for one in found if _place(one) in known]
    if not found:
        await _explain_nothing(session, namespace, name, labels, fields)
        session.say("No resources found" + ("\n" if everywhere else f" in {namespace} namespace.\n"))
        return
    _print(session, flags, found)


def _place(obj: JSONObject) -> tuple[str, str]:
    return obj["metadata"].get("namespace", ""), obj["metadata"]["name"]


async def _pods(session: Session, namespace: str, name: str, labels: str, fields: str) -> list[JSONObject]:
    pods = session.client.resource(GroupVersionResource("", "v1", "pods"), namespace)
    if name:
        return [await pods.get(name)]
    return list((await pods.list(options.ListOptions(label_selector=labels, field_selector=fields))).get("items") or ())


async def _explain_nothing(session: Session, namespace: str, name: str, labels: str, fields: str) -> None:
    """Raises KctlError if there are pods: they are too young, or nobody measures them."""
    pods = await _pods(session, namespace, name, labels, fields)
    for pod in pods:
        age = dt.datetime.now(dt.UTC) - times.parse_time(pod["metadata"]["creationTimestamp"])
        if age > _METRICS_TAKE:
            shown = f"{pod['metadata']['namespace']}/{pod['metadata']['name']}, age: {_go_duration(age)}"
            raise KctlError(f"Metrics not available for pod {shown}")
    if pods:
        raise KctlError("metrics not available yet")


def _go_duration(duration: timedelta) -> str:
    """`25h1m3.5s`."""
    seconds = duration.total_seconds()
    hours, minutes = int(seconds // 3600), int(seconds // 60 % 60)
    rest = f"{seconds % 60:.6f}".rstrip("0").rstrip(".")
    return (f"{hours}h" if hours else "") + (f"{minutes}m" if hours or minutes else "") + f"{rest}s"


def _print(session: Session, flags: FlagSet, metrics: list[JSONObject]) -> None:
    by_container, everywhere = flags.is_on("containers"), flags.is_on("all-namespaces")
    chosen = flags.text("sort-by")
    resources = top_rows.measured(swap=flags.is_on("show-swap"))
    out = session.columns()
    rows = top_rows.Rows(out, resources)
    columns = 1 + len(resources)
    if not flags.is_on("no-headers"):
        columns = rows.headers((*("NAMESPACE",) * everywhere, *("POD",) * by_container), shares=False)
    used = []
    for one in metrics:
        namespace, name = _place(one)
        containers = [(each.get("name", ""), top_rows.usage(each.get("usage"))) for each in one.get("containers") or ()]
        used.append(((namespace, name), top_rows.total((amounts for _, amounts in containers), resources), containers))
    for (namespace, name), amounts, containers in sorted(
        used, key=lambda one: top_rows.order(one[1], one[0] if everywhere else one[0][1], chosen)
    ):
        before = (namespace,) if everywhere else ()
        if not by_container:
            rows.used((*before, name), amounts)
            continue
        for container, own in sorted(containers, key=lambda one: top_rows.order(one[1], one[0], chosen)):
            rows.used((*before, name, container), own)
    if flags.is_on("sum"):
        rows.sum(top_rows.total((amounts for _, amounts, _ in used), resources), columns)
    out.flush()


COMMAND = Command(
    "pod",
    _USAGE,
    "Show how much CPU and memory pods use",
    run=run,
    aliases=("pods", "po"),
    flags=(
        standard_flags.SELECTOR,
        standard_flags.FIELD_SELECTOR,
        sort_by("pods"),
        switch("containers", "A line for each container, not for each pod."),
        standard_flags.ALL_NAMESPACES,
        NO_HEADERS,
        PROTOBUF,
        switch("sum", "Add a last line with all of it together."),
        switch("show-swap", "Show swap memory as well."),
    ),
    description="""\
Show how much CPU and memory pods use.

A metrics server has to run in the cluster. A pod that was just started has no metrics for a minute or two.""",
    examples="""\
# The pods of the namespace, the largest first
kctl top pod --sort-by=memory

# One pod, container by container
kctl top pod web-0 --containers

# All pods of a node, in every namespace, and their sum
kctl top pod -A --field-selector spec.nodeName=worker-1 --sum""",
)
