"""`everything`: every type that can be listed. A word for verbs that only look; nobody should delete everything."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kctl.session import Session
    from localplane.client.discovery import APIResource

WORD = "everything"
_SAID_TWICE = {("events.k8s.io", "events"), ("", "endpoints"), ("", "componentstatuses")}
"""Events are in the core group as well, endpoints have become endpointslices; the deprecated make the server warn."""


async def listable(session: Session, *, cluster_wide: bool, verb: str = "list") -> list[APIResource]:
    """Types that the server can list, by group and name. Those without namespaces only if it is about the whole."""
    discovered = await session.discovery.discover()
    found = [
        one
        for one in discovered.preferred_resources()
        if verb in one.verbs
        and not one.is_subresource
        and (one.namespaced or cluster_wide)
        and (one.resource.group, one.resource.resource) not in _SAID_TWICE
    ]
    return sorted(found, key=lambda one: (one.resource.group, one.resource.resource))


async def with_everything(session: Session, arguments: Sequence[str], *, cluster_wide: bool, verb: str) -> list[str]:
    """The words of a command line, with what `everything` stands for among its types."""
    if not arguments or WORD not in arguments[0].split(","):
        return list(arguments)
    types = [str(one.resource.group_resource) for one in await listable(session, cluster_wide=cluster_wide, verb=verb)]
    words = (one for word in arguments[0].split(",") for one in (types if word == WORD else [word]))
    return [",".join(dict.fromkeys(words)), *arguments[1:]]
