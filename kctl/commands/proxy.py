"""`kctl proxy`: the API on a local port, without credentials. Kubernetes: kubectl/pkg/cmd/proxy/proxy.go."""

from __future__ import annotations

import os
import pathlib
import socket
import urllib.parse

from kctl.command_line.command import Command
from kctl.command_line.flags import Flag, FlagSet, switch
from kctl.errors import Ended, KctlError
from kctl.session.session import Session
from kctl.streaming import proxy
from localplane.apimachinery.golang import sources
from localplane.apimachinery.light_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aiohttp import web

_PORT = 8001
_LARGEST_PORT = 65535


async def run(session: Session, flags: FlagSet) -> int:
    import asyncio

    from aiohttp import web

    proxy = _proxy(session, flags)
    if flags.number("port") != _PORT and flags.text("unix-socket"):
        raise KctlError("cannot set --unix-socket and --port at the same time")
    runner = web.ServerRunner(web.Server(proxy.handle), access_log=None)
    await runner.setup()
    try:
        session.write(f"Starting to serve on {await _listen(runner, flags)}\n")
        session.flush()
        await asyncio.Event().wait()  # until somebody interrupts us
    finally:
        await runner.cleanup()
        await proxy.close()
    return 0


def _proxy(session: Session, flags: FlagSet) -> proxy.Proxy:
    from dataclasses import replace

    config = replace(session.client_config, timeout=None)
    parts = urllib.parse.urlsplit(config.server)
    if not flags.is_on("append-server-path"):
        if parts.path.strip("/"):
            session.log_warning(
                f"Your kube context contains a server path {parts.path}, use --append-server-path to automatically "
                "append the path to each request",
                place=sources.PROXY_PATH,
            )
        config = replace(config, server=f"{parts.scheme}://{parts.netloc}")
    rules = _rules(session, flags)
    return proxy.Proxy(
        config,
        _with_slash(flags.text("api-prefix")),
        rules,
        _static(session, flags),
        keepalive=flags.seconds("keepalive"),
        log=lambda text: session.log_error(text, place=sources.PROXY_REFUSED),
    )


def _rules(session: Session, flags: FlagSet) -> proxy.Rules | None:
    if flags.is_on("disable-filter"):
        if not flags.text("unix-socket"):
            session.log_warning(
                "Request filter disabled, your proxy is vulnerable to XSRF attacks, please be cautious",
                place=sources.PROXY_FILTER_OFF,
            )
        return None
    if not flags.text("reject-paths") or not flags.text("reject-methods"):
        session.log_warning(
            "Request filter has been relaxed, your proxy may be vulnerable to attacks, please be cautious",
            place=sources.PROXY_FILTER_RELAXED,
        )
    names = ("accept-paths", "accept-hosts", "reject-paths", "reject-methods")
    try:
        return proxy.Rules(*(proxy.patterns(flags.text(name)) for name in names))
    except ValueError as error:
        session.log_error(f"Error compiling re: {error}", place=sources.PROXY_PATTERN)
        raise Ended(255) from error


def _static(session: Session, flags: FlagSet) -> proxy.Static | None:
    directory = flags.text("www")
    if not directory:
        return None
    if not pathlib.Path(directory).exists():
        session.log_warning(
            f"Failed to stat static file directory {directory}: stat {directory}: no such file or directory",
            place=sources.PROXY_NO_STAT,
        )
    elif not pathlib.Path(directory).is_dir():
        session.log_warning(f"Static file directory {directory} is not a directory", place=sources.PROXY_NO_DIRECTORY)
    return proxy.Static(_with_slash(flags.text("www-prefix")), pathlib.Path(directory))


def _with_slash(prefix: str) -> str:
    return prefix if prefix.endswith("/") else f"{prefix}/"


async def _listen(runner: web.ServerRunner, flags: FlagSet) -> str:
    """Where it can be reached. Raises KctlError."""

    if path := flags.text("unix-socket"):
        await _listen_on_socket(runner, path)
        return path
    return await _listen_on_port(runner, flags.text("address"), flags.number("port"))


async def _listen_on_port(runner: web.ServerRunner, address: str, port: int) -> str:
    """In Go's words, which takes every address of the machine for one that serves both families."""
    from aiohttp import web

    host = address[1:-1] if address.startswith("[") and address.endswith("]") else address
    if host == address and ":" in host:
        raise KctlError(f"listen tcp: address {address}:{port}: too many colons in address")
    if not 0 <= port <= _LARGEST_PORT:
        raise KctlError(f"listen tcp: address {port}: invalid port")
    everywhere = host in ("", "0.0.0.0", "::")  # noqa: S104 - the user asked for it
    try:
        if everywhere and socket.has_dualstack_ipv6():
            both = socket.create_server(("", port), family=socket.AF_INET6, dualstack_ipv6=True)
            await web.SockSite(runner, both).start()
        else:
            await web.TCPSite(runner, host or None, port).start()
    except socket.gaierror as error:
        raise KctlError(f"listen tcp: lookup {host}: no such host") from error
    except OSError as error:
        said = os.strerror(error.errno).lower() if error.errno else str(error)
        raise KctlError(f"listen tcp {address}:{port}: bind: {said}") from error
    host, port = runner.addresses[0][:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


async def _listen_on_socket(runner: web.ServerRunner, path: str) -> None:
    """One that was left behind is replaced; nobody else may use ours."""
    from aiohttp import web

    if pathlib.Path(path).is_socket():
        pathlib.Path(path).unlink()
    mask = os.umask(0o077)
    try:
        await web.UnixSite(runner, path).start()
    except OSError as error:
        raise KctlError(f"listen unix {path}: bind: {(error.strerror or str(error)).lower()}") from error
    finally:
        os.umask(mask)


COMMAND = Command(
    "proxy",
    "proxy [--port=PORT] [--www=static-dir] [--www-prefix=prefix] [--api-prefix=prefix]",
    "Serve the API on this machine, with your credentials",
    run=run,
    concurrent=True,
    flags=(
        Flag(
            "accept-hosts",
            "text",
            r"^localhost$,^127\.0\.0\.1$,^\[::1\]$",
            "Regular expressions for the hosts that requests may name; they keep web pages of others out.",
        ),
        Flag("accept-paths", "text", "^.*", "Regular expressions for the paths that are passed on."),
        Flag("address", "text", "127.0.0.1", "The address to listen on."),
        Flag("api-prefix", "text", "/", "Where the API begins here."),
        switch("append-server-path", "Put the path of the server's URL in the kubeconfig before every path."),
        switch(
            "disable-filter",
            "Pass on everything, whoever asks. Any page that your browser shows can then act in your name.",
        ),
        Flag(
            "keepalive",
            "duration",
            0.0,
            "How often to see whether the server is still there on connections that were upgraded, such as those of "
            "exec; 0 leaves it to the system.",
        ),
        Flag("port", "int", _PORT, "The port to listen on; 0 is any that is free.", "p"),
        Flag(
            "reject-methods",
            "text",
            "^$",
            "Regular expressions for the HTTP methods that are refused, such as 'POST,PUT,PATCH'.",
        ),
        Flag(
            "reject-paths",
            "text",
            "^/api/.*/pods/.*/exec,^/api/.*/pods/.*/attach",
            "Regular expressions for the paths that are refused, whatever --accept-paths says.",
        ),
        Flag("unix-socket", usage="Listen on a socket in the file system instead of a port.", short="u"),
        Flag("www", usage="A directory whose files are served as well.", short="w"),
        Flag("www-prefix", "text", "/static/", "Where the files of --www begin here.", "P"),
    ),
    description="""\
Serve the API on a port of this machine: requests that come there are passed on with your credentials, so that a
browser or curl needs none.

Whoever reaches the port acts in your name. That is why only requests for this machine are accepted, and none that run
commands in containers, unless you say otherwise. It can serve a directory of files beside the API.""",
    examples="""\
# The API on http://127.0.0.1:8001
kctl proxy

# On a port that the system chooses, which is printed
kctl proxy --port=0

# On a socket that only you can use; then: curl --unix-socket api.sock http://localhost/api
kctl proxy --unix-socket=api.sock

# Only reading
kctl proxy --reject-methods=POST,PUT,PATCH,DELETE

# The API below /k8s, and the files of a web page beside it
kctl proxy --api-prefix=/k8s --www=./page --www-prefix=/""",
)
