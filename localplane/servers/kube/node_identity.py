"""Which node somebody is. Kubernetes: pkg/auth/nodeidentifier."""

from __future__ import annotations

from typing import Final

from localplane.apiserver.request import User

_PREFIX: Final = "system:node:"
_GROUP: Final = "system:nodes"


def is_node(user: User | None) -> bool:
    return user is not None and user.name.startswith(_PREFIX) and _GROUP in user.groups


def node_name(user: User) -> str:
    """Of somebody who is a node; empty if that has no name."""
    return user.name.removeprefix(_PREFIX)
