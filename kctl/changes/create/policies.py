"""`kctl create quota|poddisruptionbudget|priorityclass`: what limits and ranks other objects.

Kubernetes: kubectl/pkg/cmd/create/create_{quota,pdb,priorityclass}.go.
"""

from __future__ import annotations

import re

from kctl.changes.create.generator import GENERATOR_FLAGS, make, metadata, the_name
from kctl.changes.launch import names
from kctl.command_line.command import Command
from kctl.command_line.flags import Flag, FlagSet, switch
from kctl.errors import KctlError
from kctl.session.session import Session
from localplane.apimachinery import quantity
from localplane.apimachinery.objects import JSONObject


def quantities(text: str) -> dict[str, str]:
    """`cpu=1,memory=1Gi`. Kubernetes: populateResourceListV1."""
    found = {}
    for statement in text.split(",") if text else ():
        parts = statement.split("=")
        if len(parts) != 2:
            raise KctlError(f"Invalid argument syntax {statement}, expected <resource>=<value>")
        try:
            found[parts[0]] = quantity.canonical(parts[1])
        except quantity.InvalidQuantity as error:
            raise KctlError(str(error)) from error
    return dict(sorted(found.items()))


async def quota(session: Session, flags: FlagSet) -> None:
    name = the_name(session, flags)
    spec: JSONObject = {}
    if hard := quantities(flags.text("hard")):
        spec["hard"] = hard
    if flags.text("scopes"):
        spec["scopes"] = flags.text("scopes").split(",")
        if "" in spec["scopes"]:
            raise KctlError('invalid resource quota scope ""')
    obj: JSONObject = {"kind": "ResourceQuota", "apiVersion": "v1", "metadata": metadata(session, name), "spec": spec}
    await make(session, flags, obj | {"status": {}}, "resourcequotas", failure="failed to create quota:")


def _check_budget(flags: FlagSet) -> None:
    least, most = flags.text("min-available"), flags.text("max-unavailable")
    if not flags.text("selector"):
        raise KctlError("a selector must be specified")
    if not least and not most:
        raise KctlError("one of min-available or max-unavailable must be specified")
    if least and most:
        raise KctlError("min-available and max-unavailable cannot be both specified")
    for name, text in (("min-available", least), ("max-unavailable", most)):
        if text and not re.fullmatch(r"[0-9]+%?", text):
            raise KctlError(f"invalid format specified for {name}")


async def disruption_budget(session: Session, flags: FlagSet) -> None:
    name = the_name(session, flags)
    _check_budget(flags)
    spec: JSONObject = {}
    if flags.text("min-available"):
        spec["minAvailable"] = names.int_or_text(flags.text("min-available"))
    spec["selector"] = names.label_selector(flags.text("selector"))
    if flags.text("max-unavailable"):
        spec["maxUnavailable"] = names.int_or_text(flags.text("max-unavailable"))
    obj: JSONObject = {
        "kind": "PodDisruptionBudget",
        "apiVersion": "policy/v1",
        "metadata": metadata(session, name),
        "spec": spec,
        "status": {"disruptionsAllowed": 0, "currentHealthy": 0, "desiredHealthy": 0, "expectedPods": 0},
    }
    await make(session, flags, obj, "poddisruptionbudgets", failure="failed to create poddisruptionbudgets:")


async def priority_class(session: Session, flags: FlagSet) -> None:
    name = the_name(session, flags)
    obj: JSONObject = {
        "kind": "PriorityClass",
        "apiVersion": "scheduling.k8s.io/v1",
        "metadata": {"name": name},
        "value": flags.number("value"),
    }
    if flags.is_on("global-default"):
        obj["globalDefault"] = True
    if flags.text("description"):
        obj["description"] = flags.text("description")
    obj["preemptionPolicy"] = flags.text("preemption-policy")
    await make(session, flags, obj, "priorityclasses", failure="failed to create priorityclass:")


QUOTA = Command(
    "quota",
    "quota NAME [--hard=key1=value1,key2=value2] [--scopes=Scope1,Scope2] [--dry-run=server|client|none]",
    "Make a quota: how much a namespace may have",
    run=quota,
    aliases=("resourcequota",),
    flags=(
        *GENERATOR_FLAGS,
        Flag("hard", usage="The limits: pods=10,requests.cpu=4,limits.memory=8Gi."),
        Flag("scopes", usage="Only count objects in all of these scopes: BestEffort,NotTerminating."),
    ),
    description="Make a resource quota: how many objects a namespace may have, and how much they may ask for together.",
    examples="""\
# At most ten pods and four CPUs
kctl create quota small --hard=pods=10,requests.cpu=4,limits.memory=8Gi

# Only pods that ask for nothing
kctl create quota best-effort --hard=pods=100 --scopes=BestEffort""",
)
DISRUPTION_BUDGET = Command(
    "poddisruptionbudget",
    "poddisruptionbudget NAME --selector=SELECTOR --min-available=N [--dry-run=server|client|none]",
    "Make a disruption budget: how many pods must stay",
    run=disruption_budget,
    aliases=("pdb",),
    flags=(
        *GENERATOR_FLAGS,
        Flag("min-available", usage="So many pods must stay: a number, or a percentage (50%)."),
        Flag("max-unavailable", usage="So many pods may be away: a number, or a percentage (10%)."),
        Flag("selector", usage="Which pods: app=web, or 'tier in (front,back)'. Required."),
    ),
    description="""\
Make a pod disruption budget, which `kctl drain` and others heed: how many of the selected pods must stay, or how
many may be away at a time. One of the two has to be said.""",
    examples="""\
# At least two pods of the database
kctl create poddisruptionbudget db --selector=app=db --min-available=2

# A tenth of the workers may go at a time
kctl create pdb workers --selector=app=worker --max-unavailable=10%""",
)
PRIORITY_CLASS = Command(
    "priorityclass",
    "priorityclass NAME --value=VALUE --global-default=BOOL [--dry-run=server|client|none]",
    "Make a priority class: which pods go first",
    run=priority_class,
    aliases=("pc",),
    flags=(
        *GENERATOR_FLAGS,
        Flag("value", "int32", 0, "How important: the larger the number, the more."),
        switch("global-default", "Take this class for all pods that name none."),
        Flag("description", usage="When to use it, for people."),
        Flag(
            "preemption-policy",
            "text",
            "PreemptLowerPriority",
            "PreemptLowerPriority lets its pods push others out; Never does not.",
        ),
    ),
    description="""\
Make a priority class. Pods that name it are scheduled before those with a smaller value, and may push them out.""",
    examples="""\
# For what must run
kctl create priorityclass critical --value=100000 --description='Customers wait for these'

# What all others get
kctl create priorityclass normal --value=1000 --global-default

# First in the queue, but nobody is pushed out
kctl create priorityclass patient --value=50000 --preemption-policy=Never""",
)
