"""LimitRanger: what containers ask for if they don't say, and between which bounds pods and claims may ask.

Kubernetes: plugin/pkg/admission/limitranger.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.quantity import parse
from localplane.apis import pod_resources
from localplane.apis.amounts import read
from localplane.apiserver.admission import Attributes, Operation

from .limit_bounds import Amounts, beyond_maximum, beyond_ratio, beyond_requested_maximum, under_minimum
from .plugin import (
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
