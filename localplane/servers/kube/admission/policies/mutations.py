"""One write changed by all policies that mutate, in the order of their names.

Kubernetes: plugin/policy/mutating, dispatcher.go.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from localplane.apimachinery.errors import APIError, Cause, Forbidden
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.admission import Attributes, Reinvocation
from localplane.apiserver.registry.lookup import Lookup
from localplane.servers.kube.admission.matching.authorizer import Decisions
from localplane.servers.kube.admission.matching.conditions import ConditionsFailed, are_met
from localplane.servers.kube.admission.matching.evaluation import Activation
from localplane.servers.kube.admission.matching.reinvocation import Rounds
from localplane.servers.kube.admission.matching.writes import Write
from localplane.servers.kube.admission.plugin import refused

from .configuration import CompiledBinding, CompiledPolicy
from .invocations import Invocation, invocations
from .patch import MutationFailed, mutate


class _InvalidMutation(Forbidden):
    """Kubernetes changes the reason of such a refusal, and not its code."""

    reason = "Invalid"


@dataclass(slots=True)
class PolicyMutations:
    """`problems` are the sentences that a client may be told, and what is raised for each."""

    write: Write
    objects: Lookup
    decisions: Decisions
    rounds: Rounds
    problems: list[tuple[str, type[APIError]]] = field(default_factory=list)

    async def apply(
        self, policies: Sequence[CompiledPolicy], bindings: Mapping[str, Sequence[CompiledBinding]]
    ) -> None:
        """Who is concerned is decided before anything changes."""
        found: list[Invocation] = []
        for policy in policies:
            of = bindings.get(policy.name, ())
            found += await invocations(policy, of, self.write, self.objects, self._misconfigured)
        if not found:
            return
        namespace = None if self.write.is_of_namespace else await self.write.namespace()
        for each in found:
            await self._invoke(each, namespace)

    @property
    def _again(self) -> Reinvocation:
        return self.write.attributes.reinvocation

    async def _invoke(self, asked: Invocation, namespace: JSONObject | None) -> None:
        policy, uid = asked.policy, _uid(asked)
        subject = Activation(self.write, asked.match, self.decisions, asked.params, namespace, policy.variables)
        try:
            if policy.conditions and not await are_met(
                policy.conditions, subject, ignores_failure=policy.ignores_failure
            ):
                return
        except ConditionsFailed as error:
            self._fail(policy, asked.binding, str(error), _InvalidMutation)
            return
        if self._again.is_running and not self.rounds.wants(uid):
            return
        is_changed = False
        for mutation in policy.mutations:
            try:
                is_changed |= await mutate(mutation, subject)
            except MutationFailed as error:
                self._fail(policy, asked.binding, str(error), _InvalidMutation)
        if is_changed:
            self.rounds.changed()
            self._again.is_wanted = True
        if policy.is_reinvoked:
            self.rounds.asked(uid)

    def _misconfigured(self, policy: CompiledPolicy, binding: CompiledBinding | None, why: str) -> None:
        self._fail(policy, binding, why, Forbidden)

    def _fail(self, policy: CompiledPolicy, binding: CompiledBinding | None, why: str, kind: type[APIError]) -> None:
        if policy.ignores_failure:
            return
        named = f"'{policy.name}' with binding '{binding.name}'" if binding else go_quote(policy.name)
        self.problems.append((f"policy {named} denied request: {why}", kind))


def refusal(attributes: Attributes, problems: Sequence[tuple[str, type[APIError]]]) -> APIError:
    """The first is what is told, all of them are its causes."""
    message, kind = problems[0]
    details = refused(attributes, message).status().get("details")
    return kind(message, details=details, causes=tuple(Cause("", each) for each, _ in problems))


def _uid(asked: Invocation) -> str:
    metadata = (asked.params or {}).get("metadata") or {}
    parts = (asked.policy.name, asked.binding.name, metadata.get("namespace", ""), metadata.get("name", ""))
    return "/".join(parts)
