"""`kctl api-versions`. Kubernetes: kubectl/pkg/cmd/apiresources/apiversions.go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kctl.command import Command
from kctl.errors import UsageError

if TYPE_CHECKING:
    from kctl.flags import Given
    from kctl.session import Session


async def run(session: Session, given: Given) -> None:
    if given.arguments:
        raise UsageError(
            f"unexpected arguments: [{' '.join(given.arguments)}]",
            hint="See 'kctl api-versions -h' for help and examples",
        )
    discovered = await session.discovery.discover(fresh=True)
    versions = {str(version.group_version) for group in discovered.groups for version in group.versions}
    versions |= {str(version) for version in discovered.failures}
    session.write("".join(f"{version}\n" for version in sorted(versions)))


COMMAND = Command(
    "api-versions",
    "api-versions",
    "Print the supported API versions on the server",
    run=run,
    description='Print the supported API versions on the server, in the form of "group/version".',
    examples="# Print the supported API versions\nkctl api-versions",
)
