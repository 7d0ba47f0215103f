"""One write before all policies, as each of their bindings wants them applied.

Kubernetes: plugin/policy/validating, dispatcher.go.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from localplane.apimachinery.errors import APIError, Cause, Forbidden, Invalid, RequestEntityTooLarge
from localplane.apiserver.admission import Attributes
from localplane.apiserver.registry.lookup import Lookup
from localplane.servers.kube.admission.matching.authorizer import Decisions
from localplane.servers.kube.admission.matching.evaluation import Subject
from localplane.servers.kube.admission.matching.writes import Match, Write
from localplane.servers.kube.admission.plugin import refused

from .configuration import Binding, Policy
from .deciding import Denial, denials
from .params import Misconfigured, ParamKind

JSONObject = dict[str, Any]

_REASONS: Final[dict[str, type[APIError]]] = {
    "Forbidden": Forbidden,
    "Invalid": Invalid,
    "RequestEntityTooLarge": RequestEntityTooLarge,
}


@dataclass(slots=True)
class Review:
    """`denied` are the sentences that a client may be told, with their reasons."""

    write: Write
    objects: Lookup
    decisions: Decisions
    denied: list[tuple[str, str]] = field(default_factory=list)

    async def apply(self, policy: Policy, bindings: Sequence[Binding]) -> None:
        try:
            match = await policy.criteria.match(self.write)
            if match is None:
                return
            kind = None if policy.param_kind is None else ParamKind.find(self.objects, policy.param_kind)
        except (APIError, Misconfigured) as error:
            self._misconfigured(policy, None, error)
            return
        for binding in bindings:
            try:
                params = await self._params(binding, kind)
            except (APIError, Misconfigured) as error:
                self._misconfigured(policy, binding, error)
                continue
            if params:
                await self._decide(policy, binding, match, params)

    async def _params(self, binding: Binding, kind: ParamKind | None) -> Sequence[JSONObject | None]:
        """What the policy is asked with: nothing if the binding is not about this write, None without parameters."""
        if binding.criteria is not None and await binding.criteria.match(self.write) is None:
            return ()
        if kind is None or binding.param_ref is None:
            return (None,)
        return await kind.objects(binding.param_ref, self.write.attributes.namespace)

    async def _decide(
        self, policy: Policy, binding: Binding, match: Match, params: Sequence[JSONObject | None]
    ) -> None:
        namespace = None if self.write.is_of_namespace else await self.write.namespace()
        for each in params:
            subject = Subject(self.write, match, self.decisions, each, namespace, policy.variables)
            try:
                found = await denials(policy, subject)
            except APIError as error:
                self._misconfigured(policy, binding, Misconfigured(f"failed to convert object version: {error}"))
                return
            for denial in found:
                self._act(policy, binding, denial)

    def _act(self, policy: Policy, binding: Binding, denial: Denial) -> None:
        about = f"ValidatingAdmissionPolicy '{policy.name}' with binding '{binding.name}'"
        if denial.is_final or "Deny" in binding.actions:
            self.denied.append((f"{about} denied request: {denial.message}", denial.reason))
        if "Warn" in binding.actions and not denial.is_final:
            self.write.attributes.warnings.append(f"Validation failed for {about}: {denial.message}")

    def _misconfigured(self, policy: Policy, binding: Binding | None, error: Exception) -> None:
        if policy.ignores_failure:
            return
        about = f"ValidatingAdmissionPolicy '{policy.name}'"
        what = "policy" if binding is None else "binding"
        if binding is not None:
            about = f"{about} with binding '{binding.name}'"
        self.denied.append((f"{about} denied request: failed to configure {what}: {error}", "Invalid"))


def refusal(attributes: Attributes, message: str, reason: str) -> APIError:
    """In the words of a forbidden write, whatever the reason is."""
    told = refused(attributes, message)
    kind = _REASONS.get(reason, Invalid)
    details = told.status().get("details")
    return kind(told.message, details=details, causes=(Cause("", message),))
