"""Several authorizers as one, asked in order. Kubernetes: apiserver/pkg/authorization/union."""

from __future__ import annotations

from dataclasses import dataclass

from .interface import Attributes, Authorizer, Decision, Verdict


@dataclass(frozen=True, slots=True)
class NamedAuthorizer:
    """The name tells reasons apart when nobody allowed a request."""

    name: str
    authorizer: Authorizer


class UnionAuthorizer:
    """The first to allow or deny decides; if none does, the reasons of all are told."""

    def __init__(self, *authorizers: NamedAuthorizer) -> None:
        names = [authorizer.name for authorizer in authorizers]
        if len(set(names)) != len(names) or "" in names:
            raise ValueError(f"authorizers need names of their own: {names}")
        self._authorizers = authorizers

    async def authorize(self, attributes: Attributes) -> Decision:
        reasons: list[str] = []
        errors: list[str] = []
        for named in self._authorizers:
            decision = await named.authorizer.authorize(attributes)
            if decision.verdict is not Verdict.NO_OPINION:
                return decision
            if decision.reason:
                reasons.append(f"{named.name}: {decision.reason}")
            if decision.error:
                errors.append(decision.error)
        return Decision(Verdict.NO_OPINION, reason="\n".join(reasons), error=_aggregate(errors))


def _aggregate(errors: list[str]) -> str:
    """As Go prints an aggregate: each text once, in brackets if there are several."""
    distinct = list(dict.fromkeys(errors))
    return distinct[0] if len(distinct) == 1 else f"[{', '.join(distinct)}]" if distinct else ""
