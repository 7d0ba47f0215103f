"""Role-based access: what roles and their bindings allow.

    rules       one rule, compiled, and whether it allows a request
    bindings    which bindings are about whom, compiled once for each state of them
    authorizer  the decision, and all rules of somebody
    coverage    whether rules allow all that others do, and what they lack
    escalation  nobody gives away more than they have: asked before roles and bindings are written

Compiled forms are kept beside the stored objects, so a decision is a few look-ups and is never behind what was written.
`compose` makes the authorizer; nothing here writes. Kubernetes: plugin/pkg/auth/authorizer/rbac, pkg/registry/rbac.
"""

from .authorizer import RBACAuthorizer

__all__ = ["RBACAuthorizer"]
