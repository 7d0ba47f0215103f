"""`create quota`, `poddisruptionbudget` and `priorityclass`. Kubernetes: create_quota.go, create_pdb.go and others."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from kctl.errors import KctlError
from kctl.flags import Flag, switch

from .generating import Object, Target, Words, generator, metadata, typed

if TYPE_CHECKING:
    from kctl.flags import Given
    from kctl.session import Session


async def _quota(session: Session, given: Given, name: str) -> Object:
    del session
    spec: Object = {}
    if hard := _hard(given.text("hard")):
        spec["hard"] = hard
    if scopes := given.text("scopes"):
        spec["scopes"] = scopes.split(",")
        if "" in spec["scopes"]:
            raise KctlError('invalid resource quota scope ""')
    return typed("v1", "ResourceQuota", metadata(name), spec=spec, status={})


def _hard(text: str) -> dict[str, str]:
    from localplane.apimachinery.quantity import InvalidQuantity, parse

    found = {}
    for statement in text.split(",") if text else ():
        resource, _, quantity = statement.partition("=")
        if statement.count("=") != 1:
            raise KctlError(f"Invalid argument syntax {statement}, expected <resource>=<value>")
        try:
            found[resource] = str(parse(quantity))
        except InvalidQuantity as error:
            raise KctlError(str(error)) from error
    return dict(sorted(found.items()))


async def _disruption_budget(session: Session, given: Given, name: str) -> Object:
    del session
    least, most = given.text("min-available"), given.text("max-unavailable")
    if not given.text("selector"):
        raise KctlError("a selector must be specified")
    if not least and not most:
        raise KctlError("one of min-available or max-unavailable must be specified")
    if least and most:
        raise KctlError("min-available and max-unavailable cannot be both specified")
    for flag, text in (("min-available", least), ("max-unavailable", most)):
        if text and not re.fullmatch("[0-9]+%?", text):
            raise KctlError(f"invalid format specified for {flag}")
    spec: Object = {}
    if least:
        spec["minAvailable"] = number_or_text(least)
    spec["selector"] = _selector(given.text("selector"))
    if most:
        spec["maxUnavailable"] = number_or_text(most)
    status = {"disruptionsAllowed": 0, "currentHealthy": 0, "desiredHealthy": 0, "expectedPods": 0}
    return typed("policy/v1", "PodDisruptionBudget", metadata(name), spec=spec, status=status)


def number_or_text(text: str) -> int | str:
    """Kubernetes: intstr.Parse."""
    return int(text) if re.fullmatch("[+-]?[0-9]+", text) else text


_OPERATORS = {"in": "In", "notin": "NotIn", "exists": "Exists", "!": "DoesNotExist"}


def _selector(text: str) -> Object:
    """Kubernetes: metav1.ParseToLabelSelector."""
    from localplane.apimachinery.labels import InvalidSelector, parse

    try:
        requirements = parse(text).requirements
    except InvalidSelector as error:
        raise KctlError(f'couldn\'t parse the selector string "{text}": {error}') from error
    labels: dict[str, str] = {}
    expressions: list[dict[str, Any]] = []
    for one in requirements:
        values = sorted(one.values)
        if one.operator in ("=", "=="):
            labels[one.key] = values[0]
        elif one.operator in _OPERATORS:
            expression: dict[str, Any] = {"key": one.key, "operator": _OPERATORS[one.operator]}
            expressions.append({**expression, "values": values} if values else expression)
        else:
            raise KctlError(f'"{one.operator}" isn\'t supported in label selectors')
    found: Object = {"matchLabels": dict(sorted(labels.items()))} if labels else {}
    return {**found, "matchExpressions": expressions} if expressions else found


async def _priority_class(session: Session, given: Given, name: str) -> Object:
    del session
    return typed(
        "scheduling.k8s.io/v1",
        "PriorityClass",
        metadata(name),
        value=given.number("value"),
        globalDefault=given.is_on("global-default") or None,
        description=given.text("description") or None,
        preemptionPolicy=given.text("preemption-policy"),
    )


QUOTA = generator(
    Words(
        "quota",
        "quota NAME [--hard=key1=value1,key2=value2] [--scopes=Scope1,Scope2] [--dry-run=server|client|none]",
        "Create a quota with the specified name",
        ("resourcequota",),
        "Create a resource quota with the specified name, hard limits, and optional scopes.",
        """\
# Create a new resource quota named my-quota
kctl create quota my-quota --hard=cpu=1,memory=1G,pods=2,services=3,secrets=5

# Create a new resource quota named best-effort
kctl create quota best-effort --hard=pods=100 --scopes=BestEffort""",
    ),
    _quota,
    Target("", "v1", "resourcequotas", failed="failed to create quota: "),
    flags=(
        Flag("hard", usage="A comma-delimited set of resource=quantity pairs that define a hard limit."),
        Flag(
            "scopes",
            usage="A comma-delimited set of quota scopes that must all match each object tracked by the quota.",
        ),
    ),
)

POD_DISRUPTION_BUDGET = generator(
    Words(
        "poddisruptionbudget",
        "poddisruptionbudget NAME --selector=SELECTOR --min-available=N [--dry-run=server|client|none]",
        "Create a pod disruption budget with the specified name",
        ("pdb",),
        "Create a pod disruption budget with the specified name, selector, and desired minimum available pods.",
        """\
# Create a pod disruption budget named my-pdb that will select all pods with the app=rails label
# and require at least one of them being available at any point in time
kctl create poddisruptionbudget my-pdb --selector=app=rails --min-available=1

# Create a pod disruption budget named my-pdb that will select all pods with the app=nginx label
# and require at least half of the pods selected to be available at any point in time
kctl create pdb my-pdb --selector=app=nginx --min-available=50%""",
    ),
    _disruption_budget,
    Target("policy", "v1", "poddisruptionbudgets", failed="failed to create poddisruptionbudgets: "),
    flags=(
        Flag("min-available", usage="The minimum number or percentage of available pods this budget requires."),
        Flag("max-unavailable", usage="The maximum number or percentage of unavailable pods this budget requires."),
        Flag(
            "selector",
            usage="A label selector to use for this budget. Only equality-based selector requirements are supported.",
        ),
    ),
)

PRIORITY_CLASS = generator(
    Words(
        "priorityclass",
        "priorityclass NAME --value=VALUE --global-default=BOOL [--dry-run=server|client|none]",
        "Create a priority class with the specified name",
        ("pc",),
        "Create a priority class with the specified name, value, globalDefault and description.",
        """\
# Create a priority class named high-priority
kctl create priorityclass high-priority --value=1000 --description="high priority"

# Create a priority class named default-priority that is considered as the global default priority
kctl create priorityclass default-priority --value=1000 --global-default=true --description="default priority"

# Create a priority class named high-priority that cannot preempt pods with lower priority
kctl create priorityclass high-priority --value=1000 --description="high priority" --preemption-policy="Never\"""",
    ),
    _priority_class,
    Target("scheduling.k8s.io", "v1", "priorityclasses", namespaced=False, failed="failed to create priorityclass: "),
    flags=(
        Flag("value", "int32", 0, "the value of this priority class."),
        switch(
            "global-default",
            "global-default specifies whether this PriorityClass should be considered as the default priority.",
        ),
        Flag(
            "description",
            usage="description is an arbitrary string that usually provides guidelines on when this priority class "
            "should be used.",
        ),
        Flag(
            "preemption-policy",
            "text",
            "PreemptLowerPriority",
            "preemption-policy is the policy for preempting pods with lower priority.",
        ),
    ),
)
