"""Asks for something short over and over, and tells how long the longest wait was.

`python -m tests.bench.stalls.probe HOST PORT PEM CA`: each line on standard input ends a measurement and begins the
next one; what was measured goes to standard output.
"""

from __future__ import annotations

import json
import select
import ssl
import sys
import time

from tests.bench.stalls.client import Client

_PATH = "/api/v1/namespaces/default"
_PAUSE_SECONDS = 0.002


def probe(client: Client) -> None:
    waits: list[float] = []
    while True:
        ready, _, _ = select.select([sys.stdin], [], [], _PAUSE_SECONDS)
        if ready:
            if not sys.stdin.readline():
                return
            print(json.dumps({"longest": max(waits, default=0.0), "asked": len(waits)}), flush=True)
            waits = []
        begun = time.perf_counter()
        client.tell(_PATH)
        waits.append(time.perf_counter() - begun)


if __name__ == "__main__":
    host, port, pem, authority = sys.argv[1:]
    context = ssl.create_default_context(cafile=authority)
    context.load_cert_chain(pem)
    probe(Client(host, int(port), context))
