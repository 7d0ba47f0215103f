"""What somebody may do: from the attributes of a request to a decision.

- `interface`          Attributes, Decision, Authorizer
- `always_allow`, `privileged_groups`, `paths`   the ones there are
- `delegated`          another server's: it is asked
- `union`              several as one, in order
- `forbidden`          the sentence a refusal is told with

The authorization and impersonation filters call it, and so do access reviews. It never learns how the user was found
out, and never reads a body.
"""

from .always_allow import AlwaysAllow
from .forbidden import forbidden
from .interface import ALLOWED, NO_OPINION, Attributes, Authorizer, Decision, Verdict
from .paths import DISCOVERY_PATHS, PUBLIC_PATHS, PathAuthorizer
from .privileged_groups import SYSTEM_MASTERS, PrivilegedGroups
from .rules import Rule, RuleResolver, Rules, UnionRules
from .union import NamedAuthorizer, UnionAuthorizer

__all__ = [
    "ALLOWED",
    "DISCOVERY_PATHS",
    "NO_OPINION",
    "PUBLIC_PATHS",
    "SYSTEM_MASTERS",
    "AlwaysAllow",
    "Attributes",
    "Authorizer",
    "Decision",
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
