"""ValidatingAdmissionPolicy. Expressions are a large part that a server without policies never imports."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final

from localplane.apimachinery.groups import GroupResource
from localplane.apiserver.admission import Attributes, Operation
from localplane.apiserver.authorization import Authorizer
from localplane.apiserver.registry.lookup import Lookup
from localplane.servers.kube.admission.matching.criteria import is_exempt
from localplane.servers.kube.admission.matching.stored import Stored
from localplane.servers.kube.admission.matching.writes import Write

if TYPE_CHECKING:
    from .configuration import Binding, Policy

JSONObject = dict[str, Any]

_GROUP: Final = "admissionregistration.k8s.io"


class ValidatingAdmissionPolicy:
    name = "ValidatingAdmissionPolicy"
    operations = tuple(Operation)
    _objects: Lookup
    _authorizer: Authorizer
    _policies: Stored[Policy]
    _bindings: Stored[Binding]

    def concerns(self, operation: Operation, resource: GroupResource) -> bool:
        return not is_exempt(resource)

    def initialize(self, provided: Any) -> None:
        self._objects = provided.objects
        self._authorizer = provided.authorizer
        self._policies = Stored(provided.objects, f"{_GROUP}/validatingadmissionpolicies", _policy)
        self._bindings = Stored(provided.objects, f"{_GROUP}/validatingadmissionpolicybindings", _binding)

    async def validate(self, attributes: Attributes) -> None:
        policies = await self._policies.all()
        if not policies:
            return
        bindings: dict[str, list[Binding]] = defaultdict(list)
        for binding in await self._bindings.all():
            bindings[binding.policy].append(binding)
        from localplane.servers.kube.admission.matching.authorizer import Decisions

        from .reviewing import Review, refusal

        review = Review(Write(attributes, self._objects), self._objects, Decisions(self._authorizer))
        for policy in policies:
            if policy.name in bindings:
                await review.apply(policy, bindings[policy.name])
        if review.denied:
            raise refusal(attributes, *review.denied[0])


def _policy(obj: JSONObject) -> Policy:
    from .configuration import Policy

    return Policy.of(obj)


def _binding(obj: JSONObject) -> Binding:
    from .configuration import Binding

    return Binding.of(obj)
