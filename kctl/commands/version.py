"""`kctl version`: what is running here, and there. Kubernetes: kubectl/pkg/cmd/version."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kctl.command import Command
from kctl.errors import KctlError
from kctl.flags import Flag, switch

if TYPE_CHECKING:
    from kctl.flags import Given
    from kctl.session import Session

_KUBERNETES = "1.37"
"""Whose kubectl this one behaves like."""
_KUSTOMIZE = "v5.8.1"
"""Whose kustomizations that kubectl reads."""


async def run(session: Session, given: Given) -> None:
    client_only = given.is_on("client")
    if given.arguments and not client_only:
        raise KctlError(f"extra arguments: [{' '.join(given.arguments)}]")
    if given.text("output") not in ("", "yaml", "json"):
        raise KctlError("--output must be 'yaml' or 'json'")
    versions: dict[str, Any] = {"clientVersion": _client_version(), "kustomizeVersion": _KUSTOMIZE}
    error: Exception | None = None
    if not client_only:
        error = await _ask_server(session, versions)
    _print(session, given, versions)
    if error is not None:
        raise error
    if "serverVersion" in versions:
        _compare(session, given, versions["serverVersion"])


async def _ask_server(session: Session, versions: dict[str, Any]) -> Exception | None:
    """What went wrong is said after what is known."""
    from localplane.apimachinery.errors import APIError
    from localplane.client.errors import ConnectionFailed, InvalidAnswer

    try:
        versions["serverVersion"] = await session.client.discovery().server_version()
    except APIError as refused:
        from kctl.resolve.discovery import without_message

        return without_message(refused)
    except (ConnectionFailed, InvalidAnswer) as failed:
        return failed
    return None


def _client_version() -> dict[str, str]:
    import sys

    from kctl import __version__
    from kctl.session import platform

    major, _, minor = _KUBERNETES.partition(".")
    return {
        "major": major,
        "minor": minor,
        "gitVersion": f"v{__version__}",
        "gitCommit": "",
        "gitTreeState": "",
        "buildDate": "1970-01-01T00:00:00Z",
        "goVersion": f"python{'.'.join(map(str, sys.version_info[:3]))}",
        "compiler": sys.implementation.name,
        "platform": platform(),
    }


def _print(session: Session, given: Given, versions: dict[str, Any]) -> None:
    match given.text("output"):
        case "json":
            from kctl.printers.objects import go_indented

            session.write(go_indented(versions, indent=2, sort=False) + "\n")
        case "yaml":
            from localplane.apimachinery.serializers.yaml_writer import to_yaml

            session.write(to_yaml(versions).decode() + "\n")
        case _:
            session.write(f"Client Version: {versions['clientVersion']['gitVersion']}\n")
            session.write(f"Kustomize Version: {versions['kustomizeVersion']}\n")
            if "serverVersion" in versions:
                session.write(f"Server Version: {versions['serverVersion'].get('gitVersion', '')}\n")


def _compare(session: Session, given: Given, server: dict[str, Any]) -> None:
    """More than one minor version apart is more than is supported. Kubernetes: getVersionSkewWarning."""
    theirs = str(server.get("minor", "")).rstrip("+")
    if str(server.get("major")) != "1" or not theirs.isdigit():
        return
    ours = int(_KUBERNETES.partition(".")[2])
    if abs(ours - int(theirs)) <= 1:
        return
    text = (
        f"version difference between client ({_KUBERNETES}) and server (1.{theirs}) exceeds the supported minor "
        "version skew of +/-1"
    )
    if given.is_on("warnings-as-errors"):
        raise KctlError(text)
    session.warn(text)


COMMAND = Command(
    "version",
    "version",
    "Print the client and server version information",
    run=run,
    flags=(
        switch("client", "If true, shows client version only (no server required)."),
        Flag("output", usage="One of 'yaml' or 'json'.", short="o"),
    ),
    description="Print the client and server version information for the current context.",
    examples="# Print the client and server versions for the current context\nkctl version",
)
