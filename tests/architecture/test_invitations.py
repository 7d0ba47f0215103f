"""Who invites a client to send its request again, and why that is safe.

Clients repeat any request that is answered with 429 or 5xx and Retry-After, creates too. So an answer may invite only
where nothing was done, and every place that does stands here with the reason. Whoever adds one thinks about it first.
"""

from __future__ import annotations

import ast
from collections import Counter

from tests.architecture.sources import trees

INVITATIONS = {
    "apiserver/admission/chain.py": (1, "admission is before the write"),
    "apiserver/endpoints/filters/flow_control.py": (1, "the request was counted and not looked at"),
    "apiserver/endpoints/filters/striking.py": (1, "a fault that somebody asks for, also as the lie that it may be"),
    "apiserver/endpoints/filters/shutdown.py": (1, "the server stops and does not look at new requests"),
    "apiserver/faults/rule_form.py": (1, "what a rule says, for those who want to see what clients do then"),
    "apiserver/registry/create.py": (1, "409, which nobody repeats by itself: every name that was tried was taken"),
    "apiserver/registry/errors.py": (3, "reads, or a write that certainly did not happen"),
    "apiserver/server/dispatch.py": (1, "nobody has taken the request"),
    "catalog/core/services/shared_pools.py": (
        1,
        "the service's address was claimed too long ago, and nothing was written",
    ),
    "catalog/core/pods/subresources/budgets.py": (1, "the budget was looked at, and nothing was taken from it"),
    "catalog/core/pods/subresources/eviction.py": (1, "the budget could not be written"),
}
PASSING_ON = {
    "apimachinery/errors.py",  # where an error keeps it, and tells it in its Status
    "apiserver/endpoints/filters/recover.py",  # from the error to the header
    "apiserver/server/monitoring/health_socket.py",  # the same, for reads
    "client/rest/statuses.py",  # what another server said
}


def test_every_invitation_has_a_reason() -> None:
    found: Counter[str] = Counter()
    for path, tree in trees(["localplane"], ["retry_after_seconds", "Retry-After"]):
        invitations = sum(_invites(node) for node in ast.walk(tree))
        if invitations:
            found[path.removeprefix("localplane/")] = invitations
    assert {name: number for name, number in found.items() if name not in PASSING_ON} == {
        name: number for name, (number, _) in INVITATIONS.items()
    }


def _invites(node: ast.AST) -> bool:
    """A keyword that sets the seconds to something, or the header's name where a header is set."""
    if isinstance(node, ast.keyword):
        return node.arg == "retry_after_seconds" and not (isinstance(node.value, ast.Constant) and not node.value.value)
    if isinstance(node, ast.Dict):
        return any(isinstance(key, ast.Constant) and key.value == "Retry-After" for key in node.keys)
    if isinstance(node, ast.Subscript):
        is_header = isinstance(node.slice, ast.Constant) and node.slice.value == "Retry-After"
        return is_header and isinstance(node.ctx, ast.Store)
    return False
