"""/localplane/v1/rbac: which permissions somebody needs for what he has asked for, and whether roles are just that.

- `rules`        demands as rules of roles, few and readable
- `minimal`      from a user's demands to roles and bindings
- `check`        what is missing in roles that were written by hand, and what is too much
- `instrument`   both, for clients

It reads what the authorization filter has noted (`apiserver/authorization/demands`), and changes nothing.
"""

from .check import Check, InvalidRoles, check_roles
from .instrument import Permissions
from .minimal import Minimal, minimal_rbac

__all__ = ["Check", "InvalidRoles", "Minimal", "Permissions", "check_roles", "minimal_rbac"]
