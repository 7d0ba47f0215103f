"""One server from its start until a signal ends it."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import signal
import sys
from collections.abc import Coroutine
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from localplane.apiserver.audit.policy_file import PolicyInvalid
from localplane.apiserver.authentication.bearer_token import TokenFileInvalid
from localplane.apiserver.long_work import THREAD_SWITCH_SECONDS
from localplane.apiserver.server.listener import CannotListen
from localplane.apiserver.server.options import InvalidOptions
from localplane.apiserver.server.tls import UnusableCertificate
from localplane.apiserver.storage.errors import StorageError
from localplane.client import ClientError
from localplane.compose.cluster import open_cluster
from localplane.compose.options import ClusterOptions
from localplane.files import write_atomically

from .translation import Translation

_MENDABLE = (
    CannotListen,
    ClientError,
    InvalidOptions,
    OSError,
    PolicyInvalid,
    StorageError,
    TokenFileInvalid,
    UnusableCertificate,
)


class Failed(Exception):
    """Why there is no server."""


def serve(translation: Translation, *, embedded: bool) -> None:
    """Raises Failed."""
    level = logging.WARNING if translation.verbosity < 2 else logging.INFO
    logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s", datefmt="%H:%M:%S", level=level)
    logging.getLogger("localplane").setLevel(logging.DEBUG if translation.verbosity >= 4 else level)
    sys.setswitchinterval(THREAD_SWITCH_SECONDS)
    try:
        options = translation.options
        if translation.certificates is not None:
            _make_certificate(translation.certificates, options)
        if embedded:
            from .stand_in import storage_behind

            options = replace(options, storage=storage_behind(options.storage))
        _run(_until_told(options))
    except _MENDABLE as error:
        raise Failed(str(error)) from error


def _run(work: Coroutine[Any, Any, None]) -> None:
    if sys.platform == "win32":
        asyncio.run(work)
        return
    import uvloop

    uvloop.run(work)


async def _until_told(options: ClusterOptions) -> None:
    """The first signal ends it in order, and the second at once."""
    told = asyncio.Event()
    loop = asyncio.get_running_loop()
    serving = asyncio.current_task()
    assert serving is not None, "it runs in a task"
    is_ready = False

    def stop() -> None:
        if told.is_set():
            os._exit(1)
        told.set()
        if not is_ready:
            serving.cancel()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop)
    # What is made until it is ready is there to stay: to look for garbage in it would take a tenth of the time.
    gc.disable()
    try:
        async with open_cluster(options):
            is_ready = True
            from localplane.apiserver.server.monitoring.garbage import ShortWalks

            ShortWalks().start()
            await told.wait()
    except asyncio.CancelledError:
        if not told.is_set():
            raise


def _make_certificate(directory: Path, options: ClusterOptions) -> None:
    """A serving certificate, with that of the authority that signed it behind it: whoever trusts the file trusts the
    server. The authority's key is not kept."""
    from localplane.apiserver.server.certificates.issuer import Authority
    from localplane.apiserver.server.certificates.self_signed import ALWAYS_SERVED

    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    at = datetime.now(UTC)
    authority = Authority.make(at)
    served = authority.issue_server(tuple(dict.fromkeys((*ALWAYS_SERVED, *options.server.addresses))), at)
    assert options.server.tls.key is not None, "the directory says where it goes"
    assert options.server.tls.certificate is not None, "the directory says where it goes"
    write_atomically(options.server.tls.key, served.key)
    write_atomically(options.server.tls.certificate, served.certificate + authority.certificate_pem)
