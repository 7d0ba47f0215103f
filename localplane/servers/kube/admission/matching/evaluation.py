"""Expressions about a write. Kubernetes: apiserver/pkg/admission/plugin/cel, activation.go and composition.go."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from localplane.apimachinery.cel import CostExceeded, EvaluationError, dynamic
from localplane.apimachinery.cel.values import MISSING, Mapper
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.long_work import with_data
from localplane.catalog.admissionregistration.compiler import Compiled

from .authorizer import Decisions, RequestAuthorizer
from .requests import admission_request
from .writes import Seen, Write, WriteMatch

BUDGET: Final = 10_000_000
CONDITIONS_BUDGET: Final = 2_500_000
"""What the expressions of a policy, and the conditions of a webhook or policy, may cost together."""

_PER_CALL: Final = 1_000_000
_OUT_OF_BUDGET: Final = "validation failed due to running out of cost budget, no further validation rules will be run"
_SHOWN_OF_NAMESPACE: Final = (
    "name",
    "generateName",
    "namespace",
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "labels",
    "annotations",
    "finalizers",
)


class OutOfBudget(Exception):
    """No further expression may be run."""

    def __init__(self) -> None:
        super().__init__(_OUT_OF_BUDGET)


@dataclass(frozen=True, slots=True)
class Result:
    """A value, or else an `error`."""

    value: Any = None
    error: str = ""


@dataclass(frozen=True, slots=True)
class Activation:
    """What expressions are asked about: a write as something, perhaps with parameters and in a namespace."""

    write: Write
    match: WriteMatch
    decisions: Decisions
    params: JSONObject | None = None
    namespace: JSONObject | None = None
    variables: Mapping[str, Compiled] = field(default_factory=dict)


class Evaluation:
    """Several expressions about one write, which share a budget and the values of variables."""

    def __init__(self, subject: Activation, seen: Seen, budget: int) -> None:
        self.budget = budget
        self._variables = _Variables(subject.variables)
        self._values = self._variables.values = _values(subject, seen, self._variables)

    @classmethod
    async def of(cls, subject: Activation, budget: int) -> Evaluation:
        return cls(subject, await subject.write.seen_as(subject.match.kind), budget)

    async def evaluate(self, compiled: Compiled) -> Result:
        """Raises OutOfBudget."""
        if compiled.program is None:
            return Result(error=f"compilation error: {compiled.wrong}")
        return await with_data(partial(self._evaluate, compiled))

    async def _evaluate(self, compiled: Compiled) -> Result:
        assert compiled.program is not None
        cost, value = 0, None
        try:
            value, cost = compiled.program.evaluate(self._values, limit=_PER_CALL)
        except CostExceeded as error:
            cost, value = _PER_CALL, EvaluationError(str(error))
        self._spend(self._variables.spent() + cost)
        if isinstance(value, EvaluationError):
            return Result(error=f"expression '{compiled.text}' resulted in error: {value}")
        return Result(value)

    def _spend(self, cost: int) -> None:
        if cost > self.budget:
            raise OutOfBudget
        self.budget -= cost


class _Variables(Mapper):
    """`variables`: each is evaluated when it is first used, and then kept."""

    def __init__(self, compiled: Mapping[str, Compiled]) -> None:
        self.values: Mapping[str, Any] = {}
        self._compiled = compiled
        self._known: dict[str, Any] = {}
        self._cost = 0

    def spent(self) -> int:
        """What variables have cost since this was last asked."""
        cost, self._cost = self._cost, 0
        return cost

    def find(self, key: Any) -> Any:
        if key not in self._compiled:
            return MISSING
        if key not in self._known:
            self._known[key] = self._evaluated(key, self._compiled[key])
        value = self._known[key]
        if isinstance(value, EvaluationError):
            raise value
        return value

    def _evaluated(self, name: str, compiled: Compiled) -> Any:
        if compiled.program is None:
            return EvaluationError(f"composited variable {go_quote(name)} fails to compile: {compiled.wrong}")
        try:
            value, cost = compiled.program.evaluate(self.values, limit=_PER_CALL)
        except CostExceeded as error:
            value, cost = EvaluationError(str(error)), _PER_CALL
        self._cost += cost
        if isinstance(value, EvaluationError):
            return EvaluationError(f"composited variable {go_quote(name)} fails to evaluate: {value}")
        return value

    def each_key(self) -> Iterator[Any]:
        return iter(self._compiled)

    def __len__(self) -> int:
        return len(self._compiled)


def _values(subject: Activation, seen: Seen, variables: _Variables) -> dict[str, Any]:
    write, asked = subject.write, subject.write.attributes
    return {
        "object": dynamic(seen.object),
        "oldObject": dynamic(seen.old_object),
        "request": dynamic(admission_request(write, subject.match)),
        "namespaceObject": dynamic(_namespace_object(subject.namespace)),
        "params": dynamic(subject.params),
        "authorizer": RequestAuthorizer(subject.decisions, asked, asked.user),
        "variables": variables,
    }


def _namespace_object(namespace: JSONObject | None) -> JSONObject | None:
    """Without what is of no interest to a policy: who manages it, and who owns it."""
    if namespace is None:
        return None
    metadata = namespace.get("metadata") or {}
    return {
        "metadata": {name: metadata[name] for name in _SHOWN_OF_NAMESPACE if name in metadata},
        "spec": namespace.get("spec") or {},
        "status": namespace.get("status") or {},
    }
