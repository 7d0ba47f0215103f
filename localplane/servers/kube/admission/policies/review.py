"""One write before all policies, as each of their bindings wants them applied.

Kubernetes: plugin/policy/validating, dispatcher.go.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from localplane.apimachinery.errors import APIError, Cause, Forbidden, Invalid, RequestEntityTooLarge
from localplane.apiserver.admission import Attributes
from localplane.apiserver.registry.lookup import Lookup
from localplane.servers.kube.admission.matching.authorizer import Decisions
from localplane.servers.kube.admission.matching.evaluation import Activation
from localplane.servers.kube.admission.matching.writes import Write
from localplane.servers.kube.admission.plugin import refused

from .configuration import CompiledBinding, CompiledPolicy
from .denials import Denial, denials
from .invocations import Invocation, invocations

_REASONS: Final[dict[str, type[APIError]]] = {
    "Forbidden": Forbidden,
    "Invalid": Invalid,
    "RequestEntityTooLarge": RequestEntityTooLarge,
}


@dataclass(slots=True)
class PolicyReview:
    """`denied` are the sentences that a client may be told, with their reasons."""

    write: Write
    objects: Lookup
    decisions: Decisions
    denied: list[tuple[str, str]] = field(default_factory=list)

    async def apply(self, policy: CompiledPolicy, bindings: Sequence[CompiledBinding]) -> None:
        for each in await invocations(policy, bindings, self.write, self.objects, self._fail):
            await self._decide(each)

    async def _decide(self, asked: Invocation) -> None:
        policy, namespace = asked.policy, None if self.write.is_of_namespace else await self.write.namespace()
        subject = Activation(self.write, asked.match, self.decisions, asked.params, namespace, policy.variables)
        try:
            found = await denials(policy, subject)
        except APIError as error:
            what = f"failed to configure binding: failed to convert object version: {error}"
            self._fail(policy, asked.binding, what)
            return
        for denial in found:
            self._act(policy, asked.binding, denial)

    def _act(self, policy: CompiledPolicy, binding: CompiledBinding, denial: Denial) -> None:
        about = f"ValidatingAdmissionPolicy '{policy.name}' with binding '{binding.name}'"
        if denial.is_final or "Deny" in binding.actions:
            self.denied.append((f"{about} denied request: {denial.message}", denial.reason))
        if "Warn" in binding.actions and not denial.is_final:
            self.write.attributes.warnings.append(f"Validation failed for {about}: {denial.message}")

    def _fail(self, policy: CompiledPolicy, binding: CompiledBinding | None, why: str) -> None:
        if not policy.ignores_failure:
            through = "" if binding is None else f" with binding '{binding.name}'"
            message = f"ValidatingAdmissionPolicy '{policy.name}'{through} denied request: {why}"
            self.denied.append((message, "Invalid"))


def refusal(attributes: Attributes, message: str, reason: str) -> APIError:
    """In the words of a forbidden write, whatever the reason is."""
    told = refused(attributes, message)
    kind = _REASONS.get(reason, Invalid)
    details = told.status().get("details")
    return kind(told.message, details=details, causes=(Cause("", message),))
