"""The keys that detach from a terminal."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kctl.errors import KctlError
from kctl.streaming.terminal import key_bytes, until_typed


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("ctrl-p,ctrl-q", b"\x10\x11"),
        ("a", b"a"),
        ("ctrl-@,ctrl-_,DEL", b"\x00\x1f\x7f"),
        ("ctrl-[,x", b"\x1bx"),
    ],
)
def test_keys_are_named_as_docker_names_them(keys: str, expected: bytes) -> None:
    assert key_bytes(keys) == expected


@pytest.mark.parametrize("keys", ["nope", "ctrl-P", "ctrl-1", "", "a,,b", "é"])
def test_other_names_are_refused(keys: str) -> None:
    with pytest.raises(KctlError, match="could not bind detach keys: Unknown character: '"):
        key_bytes(keys)


def reading(*pieces: bytes) -> Callable[[], bytes]:
    left = list(pieces)
    return lambda: left.pop(0) if left else b""


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        ((b"abc",), b"abc"),
        ((b"ab\x10\x11cd",), b"ab"),
        ((b"ab\x10", b"\x11", b"cd"), b"ab"),
        ((b"\x10", b"x", b"\x10\x11"), b"\x10x"),
        ((b"\x10\x10", b"\x11", b"cd"), b"\x10"),
        ((b"a\x10",), b"a\x10"),
        ((b"\x10\x11",), b""),
    ],
)
def test_what_is_typed_is_passed_on_until_the_keys_come(pieces: tuple[bytes, ...], expected: bytes) -> None:
    read, found = until_typed(reading(*pieces), b"\x10\x11"), b""
    while piece := read():
        found += piece
    assert found == expected
    assert read() == b""
