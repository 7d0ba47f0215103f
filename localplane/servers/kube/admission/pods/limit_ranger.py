"""LimitRanger: what containers ask for if they don't say, and between which bounds pods and claims may ask.

Kubernetes: plugin/pkg/admission/limitranger.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.quantity import ZERO, Quantity, parse
from localplane.apis import pod_resources
from localplane.apis.amounts import read
from localplane.apiserver.admission import Attributes, Operation
from localplane.servers.kube.admission.plugin import (
    CLAIMS,
    PODS,
    WRITES,
    LookingPlugin,
    SelectivePlugin,
    aggregated,
    metadata,
    refused,
    spec,
    written,
)

# One amount against one bound of a LimitRange: what is wrong with it, or nothing.
#
# Kubernetes: minConstraint, maxConstraint, maxRequestConstraint and limitRequestRatioConstraint in
# plugin/pkg/admission/limitranger.

Amounts = Mapping[str, Quantity]
_MOST_IN_THOUSANDTHS: Final = (2**63 - 1) // 1000


def under_minimum(kind: str, name: str, bound: Quantity, requests: Amounts, limits: Amounts) -> str:
    request, limit = requests.get(name), limits.get(name)
    asked, allowed, least = _comparable(request, limit, bound)
    opening = f"minimum {name} usage per {kind} is {bound}"
    if request is None:
        return f"{opening}.  No request is specified"
    if asked < least:
        return f"{opening}, but request is {request}"
    if limit is not None and allowed < least:
        return f"{opening}, but limit is {limit}"
    return ""


def beyond_maximum(kind: str, name: str, bound: Quantity, requests: Amounts, limits: Amounts) -> str:
    request, limit = requests.get(name), limits.get(name)
    asked, allowed, most = _comparable(request, limit, bound)
    opening = f"maximum {name} usage per {kind} is {bound}"
    if limit is None:
        return f"{opening}.  No limit is specified"
    if allowed > most:
        return f"{opening}, but limit is {limit}"
    if request is not None and asked > most:
        return f"{opening}, but request is {request}"
    return ""


def beyond_requested_maximum(kind: str, name: str, bound: Quantity, requests: Amounts, _: Amounts) -> str:
    """For what has requests only."""
    request = requests.get(name)
    asked, _ignored, most = _comparable(request, None, bound)
    opening = f"maximum {name} usage per {kind} is {bound}"
    if request is None:
        return f"{opening}.  No request is specified"
    return f"{opening}, but request is {request}" if asked > most else ""


def beyond_ratio(kind: str, name: str, bound: Quantity, requests: Amounts, limits: Amounts) -> str:
    asked, allowed, _ = _comparable(requests.get(name), limits.get(name), bound)
    opening = f"{name} max limit to request ratio per {kind} is {bound}, but"
    if name not in requests or asked == 0:
        return f"{opening} no request is specified or request is 0"
    if name not in limits or allowed == 0:
        return f"{opening} no limit is specified or limit is 0"
    ratio = allowed / asked
    in_thousandths = bound.value() <= _MOST_IN_THOUSANDTHS
    found, most = (ratio * 1000, bound.milli_value()) if in_thousandths else (ratio, bound.value())
    return f"{opening} provided ratio is {ratio:f}" if found > most else ""


def _comparable(request: Quantity | None, limit: Quantity | None, bound: Quantity) -> tuple[int, int, int]:
    """In thousandths, unless one of them is too large for that."""
    amounts = (request or ZERO, limit or ZERO, bound)
    if all(amount.value() <= _MOST_IN_THOUSANDTHS for amount in amounts):
        asked, allowed, bounded = (amount.milli_value() for amount in amounts)
    else:
        asked, allowed, bounded = (amount.value() for amount in amounts)
    return asked, allowed, bounded


_ANNOTATION: Final = "kubernetes.io/limit-ranger"
_POD_LEVEL: Final = ("cpu", "memory")


class LimitRanger(LookingPlugin, SelectivePlugin):
    name = "LimitRanger"
    operations = WRITES
    resources = (PODS, CLAIMS)

    async def admit(self, attributes: Attributes) -> None:
        if attributes.resource == PODS:
            for limits in await self._limits(attributes):
                _fill_in(written(attributes), limits)

    async def validate(self, attributes: Attributes) -> None:
        problems_of = _pod_problems if attributes.resource == PODS else _claim_problems
        for limits in await self._limits(attributes):
            problems = [problem for limit in limits for problem in problems_of(written(attributes), limit)]
            if problems:
                raise refused(attributes, aggregated(problems))

    async def _limits(self, attributes: Attributes) -> Iterable[list[JSONObject]]:
        """Of each range of the namespace; none for writes that can't change what is asked for."""
        old = attributes.old_object
        if not _is_concerned(attributes) or (old is not None and metadata(old).get("deletionTimestamp")):
            return ()
        found = await self.objects.list("limitranges", attributes.namespace)
        return [spec(each).get("limits") or [] for each in found]


def _is_concerned(attributes: Attributes) -> bool:
    """The containers of a pod that is there change by a resize only."""
    if attributes.operation is Operation.UPDATE and attributes.resource == PODS:
        return attributes.subresource == "resize"
    return not attributes.subresource


def _fill_in(pod: JSONObject, limits: list[JSONObject]) -> None:
    asked: dict[str, str] = {}
    limited: dict[str, str] = {}
    for limit in limits:
        if limit.get("type") == "Container":
            asked |= limit.get("defaultRequest") or {}
            limited |= limit.get("default") or {}
    told: list[str] = []
    for name, words in (("containers", "container"), ("initContainers", "init container")):
        for container in spec(pod).get(name) or ():
            for which, defaults in (("requests", asked), ("limits", limited)):
                if added := _complete(container, which, defaults):
                    told.append(f"{', '.join(added)} {which[:-1]} for {words} {container.get('name', '')}")
    if told:
        annotations = metadata(pod).setdefault("annotations", {})
        annotations[_ANNOTATION] = f"LimitRanger plugin set: {'; '.join(told)}"


def _complete(container: JSONObject, which: str, defaults: dict[str, str]) -> list[str]:
    """The names of what was missing, and is there now."""
    given = (container.get("resources") or {}).get(which) or {}
    missing = sorted(name for name in defaults if name not in given)
    if missing:
        container.setdefault("resources", {})[which] = {**given, **{name: defaults[name] for name in missing}}
    return missing


def _pod_problems(pod: JSONObject, limit: JSONObject) -> Iterator[str]:
    if limit.get("type") == "Container":
        for name in ("containers", "initContainers"):
            for container in spec(pod).get(name) or ():
                resources = container.get("resources") or {}
                yield from _problems(limit, read(resources.get("requests")), read(resources.get("limits")))
    elif limit.get("type") == "Pod":
        asked = {"spec": _without_overhead(spec(pod))}
        yield from _problems(limit, pod_resources.requests(asked), pod_resources.limits(asked))


def _without_overhead(pod: JSONObject) -> JSONObject:
    """What the pod itself asks for, and of what it asks as a whole only what counts here."""
    resources = {
        which: {name: amount for name, amount in amounts.items() if name in _POD_LEVEL}
        for which, amounts in (pod.get("resources") or {}).items()
        if which in ("requests", "limits")
    }
    return {name: value for name, value in pod.items() if name != "overhead"} | {"resources": resources}


def _problems(limit: JSONObject, requests: Amounts, limits: Amounts) -> Iterator[str]:
    kind = limit["type"]
    for field, problem_with in (
        ("min", under_minimum),
        ("max", beyond_maximum),
        ("maxLimitRequestRatio", beyond_ratio),
    ):
        for name, bound in sorted((limit.get(field) or {}).items()):
            problem = problem_with(kind, name, parse(str(bound)), requests, limits)
            if problem:
                yield problem


def _claim_problems(claim: JSONObject, limit: JSONObject) -> Iterator[str]:
    if limit.get("type") != "PersistentVolumeClaim":
        return
    requests = read((spec(claim).get("resources") or {}).get("requests"))
    for field, problem_with in (("min", under_minimum), ("max", beyond_requested_maximum)):
        for name, bound in sorted((limit.get(field) or {}).items()):
            problem = problem_with(limit["type"], name, parse(str(bound)), requests, {})
            if problem:
                yield problem
