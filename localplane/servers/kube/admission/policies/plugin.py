"""The two plugins. Expressions are a large part that a server without policies never imports."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final

from localplane.apimachinery.groups import GroupResource
from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.admission import Attributes, Operation
from localplane.apiserver.authorization import Authorizer
from localplane.apiserver.registry.lookup import Lookup
from localplane.servers.kube.admission.matching.configurations import Stored
from localplane.servers.kube.admission.matching.criteria import is_exempt
from localplane.servers.kube.admission.matching.reinvocation import Rounds
from localplane.servers.kube.admission.matching.writes import Write

if TYPE_CHECKING:
    from .configuration import CompiledBinding, CompiledPolicy


_GROUP: Final = "admissionregistration.k8s.io"


class _PolicyPlugin:
    name: ClassVar[str]
    operations = tuple(Operation)
    policies: ClassVar[str]
    bindings: ClassVar[str]
    _objects: Lookup
    _authorizer: Authorizer
    _policies: Stored[CompiledPolicy]
    _bindings: Stored[CompiledBinding]

    def concerns(self, operation: Operation, resource: GroupResource) -> bool:
        return not is_exempt(resource)

    def is_dormant(self) -> bool:
        return self._policies.is_empty()

    def initialize(self, provided: Any) -> None:
        self._objects = provided.objects
        self._authorizer = provided.authorizer
        self._policies = Stored(provided.objects, f"{_GROUP}/{self.policies}", _policy)
        self._bindings = Stored(provided.objects, f"{_GROUP}/{self.bindings}", _binding)

    async def _bound(self) -> Mapping[str, Sequence[CompiledBinding]]:
        """Bindings by their policies."""
        found: dict[str, list[CompiledBinding]] = defaultdict(list)
        for binding in await self._bindings.all():
            found[binding.policy].append(binding)
        return found


class MutatingAdmissionPolicy(_PolicyPlugin):
    name = "MutatingAdmissionPolicy"
    policies = "mutatingadmissionpolicies"
    bindings = "mutatingadmissionpolicybindings"

    async def admit(self, attributes: Attributes) -> None:
        policies = await self._policies.all()
        if not policies:
            return
        from localplane.servers.kube.admission.matching.authorizer import Decisions

        from .mutations import PolicyMutations, refusal

        rounds: Rounds = attributes.reinvocation.notes.setdefault(self.name, Rounds())
        if attributes.reinvocation.is_running:
            rounds.begin_again(attributes.object)
        write = Write(attributes, self._objects)
        changes = PolicyMutations(write, self._objects, Decisions(self._authorizer), rounds)
        await changes.apply(policies, await self._bound())
        rounds.ended(attributes.object)
        if changes.problems:
            raise refusal(attributes, changes.problems)


class ValidatingAdmissionPolicy(_PolicyPlugin):
    name = "ValidatingAdmissionPolicy"
    policies = "validatingadmissionpolicies"
    bindings = "validatingadmissionpolicybindings"

    async def validate(self, attributes: Attributes) -> None:
        policies = await self._policies.all()
        if not policies:
            return
        from localplane.servers.kube.admission.matching.authorizer import Decisions

        from .review import PolicyReview, refusal

        bindings = await self._bound()
        review = PolicyReview(Write(attributes, self._objects), self._objects, Decisions(self._authorizer))
        for policy in policies:
            await review.apply(policy, bindings.get(policy.name, ()))
        if review.denied:
            raise refusal(attributes, *review.denied[0])


def _policy(obj: JSONObject) -> CompiledPolicy:
    from .configuration import CompiledPolicy

    return CompiledPolicy.of(obj)


def _binding(obj: JSONObject) -> CompiledBinding:
    from .configuration import CompiledBinding

    return CompiledBinding.of(obj)
