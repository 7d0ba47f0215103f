"""matchConditions: expressions that must all be true before a webhook or policy is asked.

Kubernetes: apiserver/pkg/admission/plugin/webhook/matchconditions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from localplane.catalog.admissionregistration.compiler import CONDITION, Compiled, ExpressionCompiler
from localplane.servers.kube.admission.plugin import aggregated

from .evaluation import CONDITIONS_BUDGET, Activation, Evaluation, OutOfBudget


class ConditionsFailed(Exception):
    """They can't be decided, and whoever has them wants to fail then."""


def compiled_conditions(conditions: Sequence[Mapping[str, Any]], compiler: ExpressionCompiler) -> tuple[Compiled, ...]:
    return tuple(compiler.compile(each.get("expression") or "", CONDITION) for each in conditions)


async def are_met(conditions: Sequence[Compiled], subject: Activation, *, ignores_failure: bool) -> bool:
    """One that is false decides, whatever others say; one that fails is as the failure policy wants it. Raises
    ConditionsFailed."""
    evaluation = await Evaluation.of(subject, CONDITIONS_BUDGET)
    errors: list[str] = []
    for each in conditions:
        try:
            result = await evaluation.evaluate(each)
        except OutOfBudget as error:
            errors = [str(error)]
            break
        if result.error:
            errors.append(result.error)
        elif result.value is False:
            return False
    if errors and not ignores_failure:
        raise ConditionsFailed(aggregated(errors))
    return not errors
