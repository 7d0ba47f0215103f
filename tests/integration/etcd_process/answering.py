"""How these tests ask etcd whether it is ready: its own health page, read from the socket by hand."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


async def answers(socket: Path) -> bool:
    """True when etcd says that it is healthy, which it does after a read through its consensus."""
    return b'"health":"true"' in await page(socket, "/health")


async def page(socket: Path, path: str, *, method: str = "GET") -> bytes:
    reader, writer = await asyncio.open_unix_connection(str(socket))
    try:
        writer.write(f"{method} {path} HTTP/1.1\r\nHost: etcd\r\nConnection: close\r\n\r\n".encode())
        return await reader.read()
    finally:
        writer.close()
        await writer.wait_closed()
