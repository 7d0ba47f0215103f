"""The authorizer that expressions ask. Evaluating can't wait while an authorizer can, so a question without an answer
stops the evaluation; it is run again when the answer is there."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from localplane.apimachinery.cel.library.authorization import AuthorizerValue as ExpressionAuthorizer
from localplane.apimachinery.cel.library.authorization import DecisionValue, PathCheck, ResourceCheck
from localplane.apimachinery.cel.values import MISSING, Mapper
from localplane.apiserver.admission import Attributes
from localplane.apiserver.authorization import Attributes as Question
from localplane.apiserver.authorization import Authorizer
from localplane.apiserver.long_work import NeedsData
from localplane.apiserver.request import User


class Decisions:
    """What the authorizer has said about one write: it is asked everything once."""

    def __init__(self, authorizer: Authorizer) -> None:
        self._authorizer = authorizer
        self._known: dict[str, DecisionValue] = {}

    def answer(self, question: Question) -> DecisionValue:
        """Raises NeedsData for what nobody has asked yet."""
        found = self._known.get(repr(question))
        if found is None:
            raise NeedsData(partial(self._ask, question))
        return found

    async def _ask(self, question: Question) -> None:
        found = await self._authorizer.authorize(question)
        self._known[repr(question)] = DecisionValue(found.allowed, found.reason, found.error)


class RequestAuthorizer(ExpressionAuthorizer, Mapper):
    """`authorizer`, and, as a field of it, `authorizer.requestResource`: a check that names what is written."""

    def __init__(self, decisions: Decisions, asked: Attributes, user: User) -> None:
        self._decisions = decisions
        self._asked = asked
        self._user = user

    def decide(self, check: ResourceCheck | PathCheck, verb: str) -> DecisionValue:
        if isinstance(check, PathCheck):
            question = Question(self._user, verb, is_resource=False, path=check.path)
        else:
            question = Question(
                self._user,
                verb,
                group=check.group,
                version="*",
                resource=check.resource,
                subresource=check.subresource,
                namespace=check.namespace,
                name=check.name,
                label_selector=check.label_selector or "",
                field_selector=check.field_selector or "",
            )
        return self._decisions.answer(question)

    def as_service_account(self, namespace: str, name: str) -> RequestAuthorizer:
        groups = ("system:serviceaccounts", f"system:serviceaccounts:{namespace}")
        account = User(f"system:serviceaccount:{namespace}:{name}", groups=groups)
        return RequestAuthorizer(self._decisions, self._asked, account)

    def find(self, key: Any) -> Any:
        if key != "requestResource":
            return MISSING
        asked = self._asked
        resource = asked.resource
        return ResourceCheck(self, resource.group, resource.resource, asked.subresource, asked.namespace, asked.name)

    def each_key(self) -> Iterator[Any]:
        return iter(("requestResource",))

    def __len__(self) -> int:
        return 1
