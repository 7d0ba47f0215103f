"""The toy server as a process of its own, for what can only be seen from outside: signals and exit codes.

Says its port once it listens. Arguments: certificate directory or `-`, seconds of shutdown delay.
"""

from __future__ import annotations

import sys
from datetime import timedelta
from pathlib import Path

import uvloop

from localplane.apiserver.server.certificates.self_signed import ensure_certificates
from localplane.apiserver.server.tls import ServingTLS, TLSFiles
from tests.integration.server.toy import Toys, toy_server


async def main(directory: str, delay: str) -> None:
    tls = None
    if directory != "-":
        files = ensure_certificates(Path(directory))
        tls = ServingTLS(TLSFiles(files.server, files.server_key, files.authority))
    server = toy_server(Toys(), tls=tls, shutdown_delay=timedelta(seconds=float(delay)))

    async def said_goodbye() -> None:
        print("pre-shutdown hook", flush=True)

    server.add_pre_shutdown_hook("goodbye", said_goodbye)
    await server.run(started=lambda: print(server.port, flush=True))
    print("stopped", flush=True)


if __name__ == "__main__":
    uvloop.run(main(*sys.argv[1:]))
