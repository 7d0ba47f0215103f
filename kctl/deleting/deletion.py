"""How something is deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kctl.errors import KctlError
from localplane.apimachinery.objects import JSONObject

if TYPE_CHECKING:
    from kctl.resolve import Info
    from kctl.session import Session
    from localplane.client.resources import ResourceClient


_POLICIES = {"background": "Background", "foreground": "Foreground", "orphan": "Orphan"}
_TRUE = ("1", "t", "T", "TRUE", "true", "True")
_FALSE = ("0", "f", "F", "FALSE", "false", "False")


class Deletion(NamedTuple):
    """`grace_period` is in seconds; negative leaves it to the object. `dry_run` is none, client or server."""

    policy: str = "Background"
    grace_period: int = -1
    timeout: float = 0
    dry_run: str = "none"

    async def delete(self, info: Info) -> JSONObject:
        """The server's answer: a Status, or the object if it is still there."""
        return await self.delete_named(info.resource, info.name)

    async def delete_named(self, resource: ResourceClient, name: str) -> JSONObject:
        return await resource.delete(
            name,
            propagation_policy=self.policy,
            grace_period_seconds=None if self.grace_period < 0 else self.grace_period,
            dry_run=self.dry_run == "server",
        )


def propagation_policy(session: Session) -> str:
    """What --cascade means. Kubernetes: parseCascadingFlag."""
    said = session.given.text("cascade")
    if said in _POLICIES:
        return _POLICIES[said]
    if said not in _TRUE and said not in _FALSE:
        raise KctlError(f'invalid cascade value ({said}). Must be "background", "foreground", or "orphan"')
    meant = "background" if said in _TRUE else "orphan"
    session.say(
        f"warning: --cascade={said} is deprecated (boolean value) and can be replaced with --cascade={meant}.\n"
    )
    return _POLICIES[meant]
