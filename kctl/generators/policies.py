"""`kctl create quota|poddisruptionbudget|priorityclass`: what limits and ranks other objects.

Kubernetes: kubectl/pkg/cmd/create/create_{quota,pdb,priorityclass}.go.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kctl.command import Command
from kctl.errors import KctlError
from kctl.flags import Flag, switch

from .making import GENERATOR_FLAGS, Object, make, metadata, the_name

if TYPE_CHECKING:
    from kctl.flags import Given
    from kctl.session import Session


def quantities(text: str) -> dict[str, str]:
    """`cpu=1,memory=1Gi`. Kubernetes: populateResourceListV1."""
    from localplane.apimachinery.quantity import InvalidQuantity, canonical

    found = {}
    for statement in text.split(",") if text else ():
        parts = statement.split("=")
        if len(parts) != 2:
            raise KctlError(f"Invalid argument syntax {statement}, expected <resource>=<value>")
        try:
            found[parts[0]] = canonical(parts[1])
        except InvalidQuantity as error:
            raise KctlError(str(error)) from error
    return dict(sorted(found.items()))


async def quota(session: Session, given: Given) -> None:
    name = the_name(session, given)
    spec: Object = {}
    if hard := quantities(given.text("hard")):
        spec["hard"] = hard
    if given.text("scopes"):
        spec["scopes"] = given.text("scopes").split(",")
        if "" in spec["scopes"]:
            raise KctlError('invalid resource quota scope ""')
    obj: Object = {"kind": "ResourceQuota", "apiVersion": "v1", "metadata": metadata(session, name), "spec": spec}
    await make(session, given, obj | {"status": {}}, "resourcequotas", failure="failed to create quota:")


def _check_budget(given: Given) -> None:
    least, most = given.text("min-available"), given.text("max-unavailable")
    if not given.text("selector"):
        raise KctlError("a selector must be specified")
    if not least and not most:
        raise KctlError("one of min-available or max-unavailable must be specified")
    if least and most:
        raise KctlError("min-available and max-unavailable cannot be both specified")
    for name, text in (("min-available", least), ("max-unavailable", most)):
        if text and not re.fullmatch(r"[0-9]+%?", text):
            raise KctlError(f"invalid format specified for {name}")


async def disruption_budget(session: Session, given: Given) -> None:
    from kctl.launching.names import int_or_text
    from kctl.launching.selectors import label_selector

    name = the_name(session, given)
    _check_budget(given)
    spec: Object = {}
    if given.text("min-available"):
        spec["minAvailable"] = int_or_text(given.text("min-available"))
    spec["selector"] = label_selector(given.text("selector"))
    if given.text("max-unavailable"):
        spec["maxUnavailable"] = int_or_text(given.text("max-unavailable"))
    obj: Object = {
        "kind": "PodDisruptionBudget",
        "apiVersion": "policy/v1",
        "metadata": metadata(session, name),
        "spec": spec,
        "status": {"disruptionsAllowed": 0, "currentHealthy": 0, "desiredHealthy": 0, "expectedPods": 0},
    }
    await make(session, given, obj, "poddisruptionbudgets", failure="failed to create poddisruptionbudgets:")


async def priority_class(session: Session, given: Given) -> None:
    name = the_name(session, given)
    obj: Object = {
        "kind": "PriorityClass",
        "apiVersion": "scheduling.k8s.io/v1",
        "metadata": {"name": name},
        "value": given.number("value"),
    }
    if given.is_on("global-default"):
        obj["globalDefault"] = True
    if given.text("description"):
        obj["description"] = given.text("description")
    obj["preemptionPolicy"] = given.text("preemption-policy")
    await make(session, given, obj, "priorityclasses", failure="failed to create priorityclass:")


QUOTA = Command(
    "quota",
    "quota NAME [--hard=key1=value1,key2=value2] [--scopes=Scope1,Scope2] [--dry-run=server|client|none]",
    "Create a quota with the specified name",
    run=quota,
    aliases=("resourcequota",),
    flags=(
        *GENERATOR_FLAGS,
        Flag("hard", usage="A comma-delimited set of resource=quantity pairs that define a hard limit."),
        Flag(
            "scopes",
            usage="A comma-delimited set of quota scopes that must all match each object tracked by the quota.",
        ),
    ),
    examples="""\
# Create a new resource quota named my-quota
kctl create quota my-quota --hard=cpu=1,memory=1G,pods=2,services=3,secrets=5

# Create a new resource quota named best-effort
kctl create quota best-effort --hard=pods=100 --scopes=BestEffort""",
)
DISRUPTION_BUDGET = Command(
    "poddisruptionbudget",
    "poddisruptionbudget NAME --selector=SELECTOR --min-available=N [--dry-run=server|client|none]",
    "Create a pod disruption budget with the specified name",
    run=disruption_budget,
    aliases=("pdb",),
    flags=(
        *GENERATOR_FLAGS,
        Flag("min-available", usage="The minimum number or percentage of available pods this budget requires."),
        Flag("max-unavailable", usage="The maximum number or percentage of unavailable pods this budget requires."),
        Flag(
            "selector",
            usage="A label selector to use for this budget. Only equality-based selector requirements are supported.",
        ),
    ),
    examples="""\
# Create a budget that keeps at least one of the pods with the app=rails label available
kctl create poddisruptionbudget my-pdb --selector=app=rails --min-available=1

# Create a budget that keeps at least half of the pods with the app=nginx label available
kctl create pdb my-pdb --selector=app=nginx --min-available=50%""",
)
PRIORITY_CLASS = Command(
    "priorityclass",
    "priorityclass NAME --value=VALUE --global-default=BOOL [--dry-run=server|client|none]",
    "Create a priority class with the specified name",
    run=priority_class,
    aliases=("pc",),
    flags=(
        *GENERATOR_FLAGS,
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
    examples="""\
# Create a priority class named high-priority
kctl create priorityclass high-priority --value=1000 --description="high priority"

# Create a priority class named high-priority that cannot preempt pods with lower priority
kctl create priorityclass high-priority --value=1000 --preemption-policy="Never\"""",
)
