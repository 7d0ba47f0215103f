"""What one policy says of one write. Kubernetes: plugin/policy/validating, validator.go."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from localplane.apimachinery.cel.library.strings import trimmed
from localplane.servers.kube.admission.matching.conditions import ConditionsFailed, are_met
from localplane.servers.kube.admission.matching.evaluation import BUDGET, Activation, Evaluation, OutOfBudget, Result

from .configuration import CompiledPolicy, Validation

_LONGEST_MESSAGE: Final = 5 * 1024


@dataclass(frozen=True, slots=True)
class Denial:
    """`is_final` is said of what no binding can turn into a warning."""

    message: str
    reason: str = "Invalid"
    is_final: bool = False


async def denials(policy: CompiledPolicy, subject: Activation) -> list[Denial]:
    """What fails, or can't be evaluated by a policy that does not ignore this."""
    try:
        if policy.conditions and not await are_met(policy.conditions, subject, ignores_failure=policy.ignores_failure):
            return []
        found = [*await _validated(policy, subject), *await _annotated(policy, subject)]
    except (ConditionsFailed, OutOfBudget) as error:
        return [] if policy.ignores_failure else [Denial(str(error))]
    return found


async def _validated(policy: CompiledPolicy, subject: Activation) -> list[Denial]:
    evaluation = await Evaluation.of(subject, BUDGET)
    results = [await evaluation.evaluate(each.condition) for each in policy.validations]
    found = []
    for validation, result in zip(policy.validations, results, strict=True):
        if result.error:
            if not policy.ignores_failure:
                found.append(Denial(result.error))
        elif result.value is not True:
            found.append(await _denied(validation, evaluation, policy))
    return [each for each in found if each.message]


async def _denied(validation: Validation, evaluation: Evaluation, policy: CompiledPolicy) -> Denial:
    message = ""
    if validation.message_expression is not None:
        try:
            message = _usable(await evaluation.evaluate(validation.message_expression))
        except OutOfBudget as error:
            return Denial("" if policy.ignores_failure else f"failed messageExpression: {error}")
    message = message or trimmed(validation.message) or f"failed expression: {trimmed(validation.condition.text)}"
    return Denial(message, validation.reason)


def _usable(result: Result) -> str:
    """A message that is no text, too long, or on several lines is none."""
    text = trimmed(result.value) if isinstance(result.value, str) else ""
    return "" if "\n" in text or len(text.encode("utf-8", "surrogatepass")) > _LONGEST_MESSAGE else text


async def _annotated(policy: CompiledPolicy, subject: Activation) -> list[Denial]:
    if not policy.annotations:
        return []
    evaluation = await Evaluation.of(subject, BUDGET)
    results = [await evaluation.evaluate(each) for each in policy.annotations]
    return [Denial(each.error, is_final=True) for each in results if each.error and not policy.ignores_failure]
