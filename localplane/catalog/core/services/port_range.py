"""The node ports that are taken, in one object that all servers on a store change by compare-and-swap.

It is a RangeAllocation, with a bit for each port, under the key and in the form that kube-apiserver has it. What is not
there yet is made of the Services that are stored. Kubernetes: pkg/registry/core/service/{allocator,portallocator}.

One object for all is a bottleneck, so those of one server who want something at the same time are served by one write.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
from collections.abc import Awaitable, Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Final
from uuid import uuid4

from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.storage.errors import KeyNotFound, StorageError, Unavailable
from localplane.apiserver.storage.interface import Preconditions, Storage, UpdateOptions

from .bands import Band

PREFIX: Final = "/ranges/"
KEY: Final = f"{PREFIX}servicenodeports"

Change = Callable[[int], int]
"""From the bits that are set to those that should be. May run more than once: what the last run said counts."""


@dataclass(frozen=True, slots=True)
class _Waiting:
    change: Change
    done: asyncio.Future[None]


class PortRange:
    """`stored_ports` tells which ports the stored Services hold, as they are now."""

    def __init__(self, storage: Storage, band: Band, stored_ports: Callable[[], Awaitable[Collection[int]]]) -> None:
        self._storage = storage
        self._band = band
        self._stored_ports = stored_ports
        self._waiting: list[_Waiting] = []
        self._writing = asyncio.Lock()

    async def take(self, port: int) -> bool:
        """Whether it was free, and is the caller's now. Raises StorageError."""
        return await self._take(lambda bits: None if bits & self._bit(port) else port) is not None

    async def take_any(self) -> int | None:
        """One that was free. Raises StorageError."""
        return await self._take(lambda bits: self._band.free(lambda port: bool(bits & self._bit(port))))

    async def release(self, ports: Iterable[int], *, while_true: Callable[[], bool]) -> None:
        """Nothing is released if it is too late for that when it is about to be written. Raises StorageError."""
        gone = self._bits(ports)
        if gone:
            await self._change(lambda bits: bits & ~gone if while_true() else bits)

    async def release_at(self, version: str, ports: Iterable[int]) -> None:
        """If nothing was taken or released since the object had this version. Raises PreconditionFailed."""
        gone = self._bits(ports)
        async with self._writing:
            await self._write(lambda bits: bits & ~gone, Preconditions(resource_version=version))

    async def taken(self) -> frozenset[int]:
        """Those that are taken now; nothing is written. Raises StorageError."""
        try:
            current = (await self._storage.get(KEY)).decode()
        except KeyNotFound:
            current = {}
        return self._ports(await self._bits_in(current))

    def read(self, obj: JSONObject) -> frozenset[int]:
        """The ports in a stored object; one that can't be read tells nothing."""
        return self._ports(self._decoded(obj) or 0)

    async def _take(self, choose: Callable[[int], int | None]) -> int | None:
        chosen: int | None = None

        def claim(bits: int) -> int:
            nonlocal chosen
            chosen = choose(bits)
            return bits if chosen is None else bits | self._bit(chosen)

        await self._change(claim)
        return chosen

    async def _change(self, change: Change) -> None:
        """Whoever comes first writes for all who have come until then."""
        waiting = _Waiting(change, asyncio.get_running_loop().create_future())
        self._waiting.append(waiting)
        try:
            async with self._writing:
                if not waiting.done.done():
                    await self._write_all()
            await waiting.done
        except asyncio.CancelledError:
            if waiting in self._waiting:
                self._waiting.remove(waiting)
            raise

    async def _write_all(self) -> None:
        batch, self._waiting = self._waiting, []

        def changed(bits: int) -> int:
            for each in batch:
                bits = each.change(bits)
            return bits

        failure: StorageError | None = Unavailable("whoever wrote the node ports has gone", may_have_happened=True)
        try:
            await self._write(changed)
            failure = None
        except StorageError as error:
            failure = error
        finally:
            for each in batch:
                if each.done.done():
                    continue
                if failure is None:
                    each.done.set_result(None)
                else:
                    each.done.set_exception(failure)

    async def _write(self, change: Change, preconditions: Preconditions | None = None) -> None:
        async def changed(current: JSONObject) -> JSONObject:
            before = await self._bits_in(current)
            after = change(before)
            return current if after == before == self._decoded(current) else self._written(current, after)

        options = UpdateOptions(ignore_not_found=True, preconditions=preconditions)
        await self._storage.guaranteed_update(KEY, changed, options, suggestion=self._storage.peek(KEY))

    async def _bits_in(self, obj: JSONObject) -> int:
        known = self._decoded(obj)
        return self._bits(await self._stored_ports()) if known is None else known

    def _decoded(self, obj: JSONObject) -> int | None:
        """None if it is of another range, or can't be read."""
        if obj.get("range") != self._words:
            return None
        try:
            return int.from_bytes(base64.b64decode(obj.get("data") or "", validate=True), "big")
        except (binascii.Error, TypeError, ValueError):
            return None

    def _written(self, current: JSONObject, bits: int) -> JSONObject:
        data = base64.b64encode(bits.to_bytes((bits.bit_length() + 7) // 8, "big")).decode()
        named = {"kind": "RangeAllocation", "apiVersion": "v1"}
        # Two servers may take the same port at the same time. The uid tells whose write it was that was stored.
        metadata = (current.get("metadata") or {}) | {"uid": str(uuid4())}
        return {**named, **current, "metadata": metadata, "range": self._words, "data": data}

    def _bit(self, port: int) -> int:
        return 1 << (port - self._band.first)

    def _bits(self, ports: Iterable[int]) -> int:
        bits = 0
        for port in ports:
            if port in self._band:
                bits |= self._bit(port)
        return bits

    def _ports(self, bits: int) -> frozenset[int]:
        return frozenset(port for port in range(self._band.first, self._band.last + 1) if bits & self._bit(port))

    @property
    def _words(self) -> str:
        return f"{self._band.first}-{self._band.last}"
