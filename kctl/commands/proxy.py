"""`kctl proxy`: the API on a local port, without credentials. Kubernetes: kubectl/pkg/cmd/proxy/proxy.go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kctl.command import Command
from kctl.errors import KctlError, UsageError
from kctl.flags import Flag, switch

if TYPE_CHECKING:
    from kctl.flags import Given
    from kctl.session import Session


async def run(session: Session, given: Given) -> int:
    import asyncio
    import signal
    import sys

    from aiohttp import web

    from kctl.session import user_agent
    from kctl.streaming.proxying import Proxy, Rules
    from localplane.client.http_transport import HTTPTransport

    if given.arguments:
        raise UsageError(f"unknown command: {given.arguments[0]}", hint="See 'kctl proxy -h' for help and examples")
    if given.changed("port") and given.text("unix-socket"):
        raise KctlError("cannot set --unix-socket and --port at the same time")
    rules = None
    if not given.is_on("disable-filter"):
        patterns = ("accept-paths", "accept-hosts", "reject-paths", "reject-methods")
        rules = Rules(*(given.text(name).split(",") for name in patterns))
    prefix = "/" + given.text("api-prefix").strip("/")
    transport = HTTPTransport(session.client_config, agent=user_agent())
    runner = web.ServerRunner(web.Server(Proxy(transport, prefix.rstrip("/") + "/", rules).handle), access_log=None)
    await runner.setup()
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    try:
        session.write(f"Starting to serve on {await _listen(runner, given)}\n")
        sys.stdout.flush()
        await stop.wait()
    finally:
        await runner.cleanup()
        await transport.close()
    return 0


async def _listen(runner: object, given: Given) -> str:
    from aiohttp import web

    assert isinstance(runner, web.ServerRunner)
    if path := given.text("unix-socket"):
        await web.UnixSite(runner, path).start()
        return path
    try:
        await web.TCPSite(runner, given.text("address"), given.number("port")).start()
    except OSError as error:
        where = f"{given.text('address')}:{given.number('port')}"
        raise KctlError(f"listen tcp {where}: bind: {(error.strerror or str(error)).lower()}") from error
    host, port = runner.addresses[0][:2]
    return f"{host}:{port}"


COMMAND = Command(
    "proxy",
    "proxy [--port=PORT] [--api-prefix=PREFIX]",
    "Run a proxy to the Kubernetes API server",
    run=run,
    concurrent=True,
    flags=(
        Flag(
            "accept-hosts",
            "text",
            r"^localhost$,^127\.0\.0\.1$,^\[::1\]$",
            "Regular expression for hosts that the proxy should accept.",
        ),
        Flag("accept-paths", "text", "^.*", "Regular expression for paths that the proxy should accept."),
        Flag("address", "text", "127.0.0.1", "The IP address on which to serve on."),
        Flag("api-prefix", "text", "/", "Prefix to serve the proxied API under."),
        switch(
            "disable-filter",
            "If true, disable request filtering in the proxy. This is dangerous, and can leave you vulnerable to XSRF "
            "attacks, when used with an accessible port.",
        ),
        Flag("port", "int", 8001, "The port on which to run the proxy. Set to 0 to pick a random port.", "p"),
        Flag(
            "reject-methods",
            "text",
            "^$",
            "Regular expression for HTTP methods that the proxy should reject (example --reject-methods='POST,PUT').",
        ),
        Flag(
            "reject-paths",
            "text",
            "^/api/.*/pods/.*/exec,^/api/.*/pods/.*/attach",
            "Regular expression for paths that the proxy should reject. Paths specified here will be rejected even "
            "accepted by --accept-paths.",
        ),
        Flag("unix-socket", usage="Unix socket on which to run the proxy.", short="u"),
    ),
    description="""\
Creates a proxy server or application-level gateway between localhost and the Kubernetes API server. All incoming data
enters through one port and gets forwarded to the remote Kubernetes API server port.""",
    examples="""\
# Proxy all of the Kubernetes API and nothing else
kctl proxy --api-prefix=/

# Run a proxy to the Kubernetes API server on an arbitrary local port; the chosen port is printed
kctl proxy --port=0""",
)
