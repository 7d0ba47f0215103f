"""Who did what, when, and what came of it: audit.k8s.io/v1.

- `policy`, `policy_file`   which requests are recorded, and how much of them
- `event`                   one request on its way through its stages
- `auditor`                 policy and backend together: what the filters hold
- `log_file`                the backend that writes lines of JSON
- `bodies`                  what of a request's and an answer's body is recorded

The audit filter drives it; authentication and deadline tell it of requests that never come so far. Anybody further in
may add to a request's event with `annotate`. It never records a header but User-Agent and those that name addresses,
and bodies only where the policy says so.
"""

from .auditor import Auditor, Backend, annotate, current_event
from .event import AuditEvent, audit_id
from .log_file import AuditLogFile
from .policy import EVERYTHING_AT_METADATA, GroupResources, Level, Policy, Rule, Stage
from .policy_file import PolicyInvalid, parse_policy, read_policy_file

__all__ = [
    "EVERYTHING_AT_METADATA",
    "AuditEvent",
    "AuditLogFile",
    "Auditor",
    "Backend",
    "GroupResources",
    "Level",
    "Policy",
    "PolicyInvalid",
    "Rule",
    "Stage",
    "annotate",
    "audit_id",
    "current_event",
    "parse_policy",
    "read_policy_file",
]
