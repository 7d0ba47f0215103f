"""`kctl autoscale`: a HorizontalPodAutoscaler. Kubernetes: kubectl/pkg/cmd/autoscale/autoscale.go."""

from __future__ import annotations

import re

from kctl.changes import dry_run
from kctl.changes.change_cause import RECORD, annotated, recorded
from kctl.changes.launch.request import metadata, require, save_configuration, send
from kctl.command_line import standard_flags
from kctl.command_line.command import Command
from kctl.command_line.flags import Flag, FlagSet
from kctl.errors import KctlError
from kctl.objects import Info, Query, resolve
from kctl.printers import typed
from kctl.printers.choice import output_flags
from kctl.session.session import Session
from localplane.apimachinery import quantity
from localplane.apimachinery.errors import APIError
from localplane.apimachinery.golang.text import go_float
from localplane.apimachinery.objects import JSONObject

_UNITS = {"cpu": "m", "memory": "Mi"}
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


async def run(session: Session, flags: FlagSet) -> None:
    require(flags, "max")
    mode = dry_run.dry_run(session)
    _check(flags)
    result = await resolve(session, Query.of(flags)._replace(keep_going=True, flatten=True))

    async def autoscale(info: Info) -> None:
        await _require_scale(session, info)
        await _autoscale(session, flags, info, mode)

    await result.each(autoscale)


def _check(flags: FlagSet) -> None:
    least, most = flags.number("min"), flags.number("max")
    if most < 1:
        raise KctlError(f"--max=MAXPODS is required and must be at least 1, max: {most}")
    if most < least:
        raise KctlError(f"--max=MAXPODS must be larger or equal to --min=MINPODS, max: {most}, min: {least}")
    if flags.number("cpu-percent") > 0 and flags.text("cpu"):
        raise KctlError("--cpu-percent and --cpu are mutually exclusive")
    for resource in _UNITS:
        if flags.text(resource):
            _target(flags.text(resource), resource)


async def _require_scale(session: Session, info: Info) -> None:
    mapping = info.rest_mapping
    wanted = f"{mapping.resource.resource}/scale"
    for one in (await session.discovery.discover()).resources():
        if one.resource.resource == wanted and one.resource.group_version == mapping.resource.group_version:
            return
    version = mapping.resource.group_version
    where = f"{version.group}/{version.version}, Resource={mapping.resource.resource}"
    raise KctlError(
        f"cannot autoscale a {mapping.kind.kind}: could not find scale subresource for {where} in discovery information"
    )


async def _autoscale(session: Session, flags: FlagSet, info: Info, mode: str) -> None:
    """With the second version of the API, and where it is refused with the first."""
    try:
        await _make(session, flags, _version_two(session, flags, info), mode)
    except (APIError, KctlError):
        text = flags.text("cpu").strip()
        if not text:
            reason = "empty input"
        elif flags.text("memory") or (flags.number("cpu-percent") < 0 and not text.endswith("%")):
            reason = "%!w(<nil>)"
        else:
            await _make(session, flags, _version_one(session, flags, info), mode)
            return
        raise KctlError(
            f"failed to create autoscaling/v2 HPA and the configuration is incompatible with autoscaling/v1: {reason}"
        ) from None


async def _make(session: Session, flags: FlagSet, obj: JSONObject, mode: str) -> None:
    obj = annotated(obj, recorded(session))
    if mode == "client":
        typed.printer_for(flags, "created", dry_run=mode).print(obj, session.write_object)
        return
    save_configuration(obj, asked=flags.is_on("save-config"))
    obj = await send(session, flags, obj, "horizontalpodautoscalers", dry_run=mode == "server")
    typed.printer_for(flags, "autoscaled", dry_run=mode).print(obj, session.write_object)


def _autoscaler(session: Session, flags: FlagSet, info: Info, version: str) -> JSONObject:
    kind = info.rest_mapping.kind
    spec: JSONObject = {
        "scaleTargetRef": {"kind": kind.kind, "name": info.name, "apiVersion": str(kind.group_version)},
    }
    if flags.number("min") > 0:
        spec["minReplicas"] = flags.number("min")
    spec["maxReplicas"] = flags.number("max")
    return {
        "kind": "HorizontalPodAutoscaler",
        "apiVersion": f"autoscaling/{version}",
        "metadata": metadata(session, flags.text("name") or info.name),
        "spec": spec,
    }


def _version_two(session: Session, flags: FlagSet, info: Info) -> JSONObject:
    obj = _autoscaler(session, flags, info, "v2")
    metrics = []
    if flags.number("cpu-percent") > 0:
        metrics.append(_metric("cpu", {"type": "Utilization", "averageUtilization": flags.number("cpu-percent")}))
    metrics += [_metric(one, _target(flags.text(one), one)) for one in _UNITS if flags.text(one)]
    if metrics:
        obj["spec"]["metrics"] = metrics
    return obj | {"status": {"desiredReplicas": 0, "currentMetrics": None}}


def _version_one(session: Session, flags: FlagSet, info: Info) -> JSONObject:
    obj = _autoscaler(session, flags, info, "v1")
    if flags.number("cpu-percent") >= 0:
        obj["spec"]["targetCPUUtilizationPercentage"] = flags.number("cpu-percent")
    return obj | {"status": {"currentReplicas": 0, "desiredReplicas": 0}}


def _metric(resource: str, target: JSONObject) -> JSONObject:
    return {"type": "Resource", "resource": {"name": resource, "target": target}}


def _target(text: str, resource: str) -> JSONObject:
    """`70%` of what was requested, or an amount; a bare number is of milli-CPUs or mebibytes."""
    text = text.strip()
    if text.endswith("%"):
        if not re.fullmatch(r"\+?[0-9]+", text[:-1]) or int(text[:-1]) >= 2**31:
            raise KctlError(f"invalid percentage value: {text[:-1]}")
        return {"type": "Utilization", "averageUtilization": int(text[:-1])}
    amount = text
    if _NUMBER.fullmatch(text):
        amount = go_float(float(text)) + _UNITS[resource]
    try:
        return {"type": "AverageValue", "averageValue": quantity.canonical(amount)}
    except quantity.InvalidQuantity as error:
        message = str(error) if amount != text else f"invalid resource {resource} value: {text}"
        raise KctlError(message) from error


COMMAND = Command(
    "autoscale",
    "autoscale (-f FILENAME | TYPE NAME | TYPE/NAME) [--min=MINPODS] --max=MAXPODS [--cpu=CPU] [--memory=MEMORY]",
    "Let the number of pods follow their load",
    run=run,
    flags=(
        *output_flags(),
        Flag("min", "int32", -1, "The fewest pods. Without it the server's default, which is 1."),
        Flag("max", "int32", -1, "The most pods. Required."),
        Flag(
            "cpu-percent",
            "int32",
            -1,
            "The CPU to aim for, in percent of what the pods request.",
            hidden=True,
            deprecated="Use --cpu with percentage or resource quantity format (e.g., '70%' for utilization or '500m' "
            "for milliCPU).",
        ),
        Flag(
            "cpu",
            usage="The CPU to aim for on average: in percent of what the pods request (70%), or an amount (500m, 1).",
        ),
        Flag(
            "memory",
            usage="The memory to aim for on average: in percent of what the pods request (60%), or an amount (200Mi).",
        ),
        Flag("name", usage="The autoscaler's name. Without it that of the object."),
        standard_flags.DRY_RUN,
        standard_flags.SAVE_CONFIG,
        standard_flags.field_manager("kubectl-autoscale"),
        *standard_flags.filename_flags("with the objects to scale"),
        RECORD,
    ),
    description="""\
Make a HorizontalPodAutoscaler, which keeps the number of pods of a deployment, replica set, stateful set or replication
controller between two bounds, as many as their load asks for.""",
    examples="""\
# Between 2 and 10 pods, by the server's default measure
kctl autoscale deployment/web --min=2 --max=10

# So many that they use 70 percent of the CPU that they request
kctl autoscale deployment/web --max=10 --cpu=70%

# By CPU and memory, as amounts
kctl autoscale statefulset/cache --min=3 --max=6 --cpu=500m --memory=200Mi

# A manifest to start from
kctl autoscale deployment/web --max=5 --dry-run=client -o yaml""",
)
