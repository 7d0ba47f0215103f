"""Which port a plane listens on: the one that was asked for, or the first free one from 6443 on."""

from __future__ import annotations

from dataclasses import dataclass

from localplane.apiserver.server.listener import CannotListen, open_sockets

from .errors import PlaneError
from .options import UpOptions

DEFAULT_PORT = 6443
_LOOK_AT = 100


@dataclass(frozen=True, slots=True)
class Port:
    number: int
    notes: tuple[str, ...] = ()


def free_port(options: UpOptions, *, wanted: int | None) -> Port:
    """Raises PlaneError if the port that was asked for can't be had, before anything else is opened."""
    if options.port is not None:
        _try(options, options.port)
        return Port(options.port or wanted or 0)
    first = wanted or DEFAULT_PORT
    for number in range(first, min(first + _LOOK_AT, 65536)):
        try:
            _bind(options, number)
        except CannotListen:
            continue
        notes = (f"port {DEFAULT_PORT} is taken, so this is {number}",) if number > DEFAULT_PORT else ()
        return Port(number, notes)
    raise PlaneError(f"no port from {first} on is free: name one with --port; 0 takes any")


def _try(options: UpOptions, number: int) -> None:
    try:
        _bind(options, number)
    except CannotListen as error:
        raise PlaneError(f"{error}: choose another --port; 0 takes a free one") from error


def _bind(options: UpOptions, number: int) -> None:
    for socket in open_sockets(options.cluster.server.addresses, number):
        socket.close()
