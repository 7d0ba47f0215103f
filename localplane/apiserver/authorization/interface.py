"""What an authorizer is asked and what it answers. Kubernetes: apiserver/pkg/authorization/authorizer."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from localplane.apiserver.request import RequestInfo, User


@dataclass(frozen=True, slots=True)
class Attributes:
    """Everything a decision may depend on. Selectors are the text of the query; only list, watch and deletecollection
    have them. What is no resource has a path and an HTTP method in lower case."""

    user: User
    verb: str
    is_resource: bool = True
    path: str = ""
    group: str = ""
    version: str = ""
    resource: str = ""
    subresource: str = ""
    namespace: str = ""
    name: str = ""
    label_selector: str = ""
    field_selector: str = ""

    @classmethod
    def of(cls, user: User, info: RequestInfo) -> Attributes:
        return cls(
            user,
            info.verb,
            info.is_resource,
            info.path,
            info.group,
            info.version,
            info.resource,
            info.subresource,
            info.namespace,
            info.name,
            info.label_selector,
            info.field_selector,
        )


class Verdict(Enum):
    ALLOW = "allow"
    DENY = "deny"
    NO_OPINION = "no opinion"


@dataclass(frozen=True, slots=True)
class Decision:
    """`error` is what went wrong on the way. A decision to allow stands in spite of it; otherwise it is the server's
    fault, not a refusal."""

    verdict: Verdict
    reason: str = ""
    error: str = ""

    @property
    def allowed(self) -> bool:
        return self.verdict is Verdict.ALLOW


ALLOWED = Decision(Verdict.ALLOW)
NO_OPINION = Decision(Verdict.NO_OPINION)


class Authorizer(Protocol):
    async def authorize(self, attributes: Attributes) -> Decision:
        """No opinion leaves it to the next one; where no next one is, it refuses."""
        ...
