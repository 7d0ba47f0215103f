"""`kctl ui`: a console in the browser, for the cluster of the current context."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from contextlib import AsyncExitStack
from dataclasses import replace

from kctl.command_line.command import Command
from kctl.command_line.flags import Flag, FlagSet, switch
from kctl.errors import KctlError, UsageError
from kctl.session.session import Session, user_agent
from kctl.ui import gate as ui_gate
from kctl.ui import opening
from kctl.ui import server as ui_server
from localplane.client.rest import client as rest_client
from localplane.client.transport import aiohttp_transport
from localplane.client.workqueue import supervision

_LARGEST_PORT = 65535


async def run(session: Session, flags: FlagSet) -> None:
    from aiohttp import web

    if flags.arguments:
        raise UsageError(f'"{flags.arguments[0]}" is too much: the console shows everything')
    config = replace(session.client_config, timeout=None)
    listener = _listener(flags.number("port"))
    gate = ui_gate.Gate(listener.getsockname()[1])
    context = flags.text("context") or session.kubeconfig.current_context
    about = ui_server.About(context, config.server, session.namespace, read_only=flags.is_on("read-only"))
    transport = aiohttp_transport.HTTPTransport(config, agent=user_agent().replace("kubectl/", "kctl-ui/", 1))
    try:
        await rest_client.Client(transport).request("GET", "/version")  # who can't be reached is told of here
    except BaseException:
        await transport.close()
        raise
    console = ui_server.Console(session, transport, gate, about)
    runner = web.ServerRunner(web.Server(console.handle), access_log=None, shutdown_timeout=1.0)
    await runner.setup()
    try:
        await web.SockSite(runner, listener).start()
        async with supervision.Background(console.census.run), AsyncExitStack() as browser:
            link = gate.link()
            _tell(session, f"The console of {context or config.server}", link)
            if session.is_terminal and not flags.is_on("no-open") and opening.can_show_pages():
                await opening.show(browser.enter_context(opening.leading_to(link)))
            await _hand_out_links(session, gate)
    finally:
        await runner.cleanup()
        await transport.close()


def _listener(port: int) -> socket.socket:
    """On this machine, and nowhere else. Raises KctlError."""
    if not 0 <= port <= _LARGEST_PORT:
        raise KctlError(f"--port is a number from 0 to {_LARGEST_PORT}, not {port}")
    try:
        return socket.create_server(("127.0.0.1", port))
    except OSError as error:
        said = os.strerror(error.errno or 0).lower()
        raise KctlError(
            f"can't listen on port {port}: {said}; choose another --port, or 0 for any that is free"
        ) from error


def _tell(session: Session, what: str, link: str) -> None:
    session.write(f"{what}:\n\n    {link}\n\n")
    if sys.stdin.isatty() and session.is_terminal:
        session.write("The link lets one browser in, once. Enter makes another, Ctrl-C ends the console.\n")
    session.flush()


async def _hand_out_links(session: Session, gate: ui_gate.Gate) -> None:
    """Until somebody interrupts us. Each line on a terminal asks for another link."""
    asked = asyncio.Event()
    loop = asyncio.get_running_loop()
    watched = sys.stdin.isatty() and session.is_terminal

    def hear() -> None:
        if not sys.stdin.readline():
            loop.remove_reader(sys.stdin)
            return
        asked.set()

    if watched:
        loop.add_reader(sys.stdin, hear)
    try:
        while True:
            await asked.wait()
            asked.clear()
            _tell(session, "Another link", gate.link())
    finally:
        if watched:
            loop.remove_reader(sys.stdin)


COMMAND = Command(
    "ui",
    "ui [--port=PORT] [--no-open] [--read-only]",
    "Open a console in the browser",
    run=run,
    concurrent=True,
    flags=(
        switch("no-open", "Print the link, and start no browser."),
        Flag("port", "int", 0, "The port to listen on, on 127.0.0.1; 0 is any that is free."),
        switch("read-only", "Pass on nothing that changes anything, whatever you may do yourself."),
    ),
    description="""\
Open a console in the browser for the current context: every kind that the server has, with live tables; objects with
their YAML, owners, events and history; changes that are tried on the server, and shown, before they are made.

It works with any cluster. A plane of 'kctl up' also shows requests as they come, what there was before, which roles
somebody needs, and lets requests go wrong on purpose.

The link that is printed lets one browser in, once. Other users of this machine and pages of other sites are refused;
nothing is fetched from anywhere else.""",
    examples="""\
# The current context, in your browser
kctl ui

# Another one, where nothing can be changed
kctl ui --context production --read-only

# On a port of your choice, which an SSH tunnel leads to
kctl ui --port 8090 --no-open""",
)
