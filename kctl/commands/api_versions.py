"""`kctl api-versions`. Kubernetes: kubectl/pkg/cmd/apiresources/apiversions.go."""

from __future__ import annotations

from kctl.command_line.command import Command
from kctl.command_line.flags import FlagSet
from kctl.errors import KctlError, UsageError
from kctl.session.session import Session
from localplane.apimachinery.errors import APIError
from localplane.client.errors import ConnectionFailed
from localplane.client.rest.discovery import Discovered


async def run(session: Session, flags: FlagSet) -> None:
    if flags.arguments:
        raise UsageError(
            f"unexpected arguments: [{' '.join(flags.arguments)}]",
            hint="See 'kctl api-versions -h' for help and examples",
        )
    discovered = await _discovered(session)
    versions = {str(version.group_version) for group in discovered.groups for version in group.versions}
    versions |= {str(version) for version in discovered.failures}
    session.write("".join(f"{version}\n" for version in sorted(versions)))


async def _discovered(session: Session) -> Discovered:
    """Whatever fails is told as part of a longer sentence."""
    said = "couldn't get available api versions from server"
    server = session.client_config.server.rstrip("/")
    try:
        return await session.discovery.discover(fresh=True)
    except APIError as error:
        raise KctlError(f"{said}: {error.message}") from error
    except ConnectionFailed as error:
        raise KctlError(f'{said}: Get "{server}/api?timeout=32s": {error.reason or error}') from error


COMMAND = Command(
    "api-versions",
    "api-versions",
    "List the API versions that the server has",
    run=run,
    description="""\
List the API versions that the server has, as they are written behind 'apiVersion:' in a manifest: group/version, or
the version alone in the core group.""",
    examples="""\
# All of them
kctl api-versions

# Does this server have the Gateway API?
kctl api-versions | grep gateway.networking.k8s.io""",
)
