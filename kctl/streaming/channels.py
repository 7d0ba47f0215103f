"""Several streams over one WebSocket: the first byte of a message says whose it is.

Kubernetes: apimachinery/pkg/util/remotecommand/constants.go, client-go/tools/remotecommand/websocket.go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kctl.errors import Ended, KctlError

from .websocket import connect

if TYPE_CHECKING:
    from kctl.session import Session
    from localplane.client.transport import Pairs

    from .websocket import WebSocket

STDIN, STDOUT, STDERR, ERROR, RESIZE, CLOSE = 0, 1, 2, 3, 4, 255
V5: Final = "v5.channel.k8s.io"
V4: Final = "v4.channel.k8s.io"


async def open_channels(session: Session, path: str, query: Pairs, *protocols: str) -> WebSocket:
    """Raises APIError and ConnectionFailed."""
    from kctl.session import user_agent

    agent = [("User-Agent", user_agent()), ("Kubectl-Command", session.command)]
    return await connect(session.client_config, path, query, protocols, headers=agent)


def exit_code_of(status: dict[str, Any]) -> int:
    """What the last word on the error channel means. Raises KctlError for what is no exit code."""
    if status.get("status") == "Success":
        return 0
    if status.get("reason") == "NonZeroExitCode":
        for cause in (status.get("details") or {}).get("causes") or ():
            if cause.get("reason") == "ExitCode":
                return int(cause.get("message", "1"))
    raise KctlError(str(status.get("message", "the command ended without saying how")))


def say_exit_code(session: Session, code: int) -> None:
    """kubectl says it, and ends with it. Raises Ended."""
    if code:
        session.say(f"command terminated with exit code {code}\n")
        raise Ended(code)
