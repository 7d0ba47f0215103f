"""`kctl version`: what is running here, and there. Kubernetes: kubectl/pkg/cmd/version."""

from __future__ import annotations

from kctl import program
from kctl.command_line.command import Command
from kctl.command_line.flags import Flag, FlagSet, switch
from kctl.errors import KctlError
from kctl.printers import objects
from kctl.session import discovery
from kctl.session.session import Session
from kctl.session.versions import client_version
from localplane.apimachinery import errors
from localplane.apimachinery.light_typing import Any
from localplane.apimachinery.serializers import yaml_writer
from localplane.client import errors as client_errors

_KUSTOMIZE = "v5.8.1"
"""Whose kustomizations that kubectl reads."""


async def run(session: Session, flags: FlagSet) -> None:
    client_only = flags.is_on("client")
    if flags.arguments and not client_only:
        raise KctlError(f"extra arguments: [{' '.join(flags.arguments)}]")
    if flags.text("output") not in ("", "yaml", "json"):
        raise KctlError("--output must be 'yaml' or 'json'")
    versions: dict[str, Any] = {"clientVersion": client_version(), "kustomizeVersion": _KUSTOMIZE}
    error: Exception | None = None
    if not client_only:
        error = await _ask_server(session, versions)
    _print(session, flags, versions)
    if error is not None:
        raise error
    if "serverVersion" in versions:
        _compare(session, flags, versions["serverVersion"])


async def _ask_server(session: Session, versions: dict[str, Any]) -> Exception | None:
    """What went wrong is said after what is known."""
    try:
        versions["serverVersion"] = await session.client.discovery().server_version()
    except errors.APIError as refused:
        return discovery.without_message(refused)
    except (client_errors.ConnectionFailed, client_errors.InvalidAnswer) as failed:
        return failed
    return None


def _print(session: Session, flags: FlagSet, versions: dict[str, Any]) -> None:
    match flags.text("output"):
        case "json":
            session.write(objects.go_indented(versions, indent=2, sort=False) + "\n")
        case "yaml":
            session.write(yaml_writer.to_yaml(versions).decode() + "\n")
        case _:
            same = f" (as kubectl v{program.KUBERNETES})" if session.is_terminal and not program.is_kubectl() else ""
            session.write(f"Client Version: {versions['clientVersion']['gitVersion']}{same}\n")
            session.write(f"Kustomize Version: {versions['kustomizeVersion']}\n")
            if "serverVersion" in versions:
                session.write(f"Server Version: {versions['serverVersion'].get('gitVersion', '')}\n")


def _compare(session: Session, flags: FlagSet, server: dict[str, Any]) -> None:
    """More than one minor version apart is more than is supported. Kubernetes: getVersionSkewWarning."""
    theirs = str(server.get("minor", "")).rstrip("+")
    if str(server.get("major")) != "1" or not theirs.isdecimal():
        return
    ours = int(program.KUBERNETES.partition(".")[2])
    if abs(ours - int(theirs)) <= 1:
        return
    text = (
        f"version difference between client ({program.KUBERNETES}) and server (1.{theirs}) exceeds the supported minor "
        "version skew of +/-1"
    )
    if flags.is_on("warnings-as-errors"):
        raise KctlError(text)
    session.warn(text)


COMMAND = Command(
    "version",
    "version",
    "Show which versions run here and on the server",
    run=run,
    flags=(
        switch("client", "Only this program's: no server is asked."),
        Flag("output", usage="yaml or json, with all there is to know.", short="o"),
    ),
    description="""\
Show the version of this program, of the kustomizations it reads, and of the server; on a terminal also which kubectl
it behaves like. Says so if the two are further apart than Kubernetes supports: one minor version.""",
    examples="""\
# Both
kctl version

# This program alone
kctl version --client

# The server's, for a script
kctl version -o json | jq -r .serverVersion.gitVersion""",
)
