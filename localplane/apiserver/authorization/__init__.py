"""What somebody may do: from the attributes of a request to a decision.

- `interface`          Attributes, Decision, Authorizer
- `authorizers`        the ones there are, and several as one, in order
- `delegated`          another server's, or a webhook's: it is asked
- `demands`            what everybody has asked for so far
- `forbidden`          the sentence a refusal is told with

The authorization and impersonation filters call it, and so do access reviews. It never learns how the user was found
out, and never reads a body.
"""

from .authorizers import (
    DISCOVERY_PATHS,
    PUBLIC_PATHS,
    SYSTEM_MASTERS,
    AlwaysAllow,
    AlwaysDeny,
    NamedAuthorizer,
    PathAuthorizer,
    PrivilegedGroups,
    Rule,
    RuleResolver,
    Rules,
    UnionAuthorizer,
    UnionRules,
)
from .demands import Demand, DemandingAuthorizer, Demands
from .forbidden import forbidden
from .interface import ALLOWED, NO_OPINION, Attributes, Authorizer, Decision, Verdict

__all__ = [
    "ALLOWED",
    "DISCOVERY_PATHS",
    "NO_OPINION",
    "PUBLIC_PATHS",
    "SYSTEM_MASTERS",
    "AlwaysAllow",
    "AlwaysDeny",
    "Attributes",
    "Authorizer",
    "Decision",
    "Demand",
    "DemandingAuthorizer",
    "Demands",
    "NamedAuthorizer",
    "PathAuthorizer",
    "PrivilegedGroups",
    "Rule",
    "RuleResolver",
    "Rules",
    "UnionAuthorizer",
    "UnionRules",
    "Verdict",
    "forbidden",
]
