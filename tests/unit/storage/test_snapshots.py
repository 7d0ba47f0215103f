"""The file of a snapshot: whole or refused."""

from __future__ import annotations

import hashlib
import json

import pytest

from localplane.apiserver.storage.backend import KeyValue
from localplane.apiserver.storage.snapshot import Header, Snapshot, SnapshotDamaged, check, decode, encode, read_header

OBJECTS = [KeyValue("/configmaps/default/a", b'{"a": 1}', 7), KeyValue("/configmaps/default/ü", b"\x00\xff", 9)]


def _file(contents: list[KeyValue] = OBJECTS, **said: int) -> bytes:
    header = Header(said.get("revision", 9), said.get("objects", len(contents)), "2026-01-01T00:00:00Z", "p", "s", "1")
    return b"".join(encode(header, contents))


def _resealed(content: bytes) -> bytes:
    return content + hashlib.sha256(content).digest()


def test_what_was_written_is_read() -> None:
    data = _file()
    header = Header(9, 2, "2026-01-01T00:00:00Z", "p", "s", "1")
    assert decode(data) == Snapshot(header, OBJECTS)
    assert check(data) == read_header(data[:-1]) == header


def test_an_empty_one_is_one() -> None:
    assert decode(_file([])).objects == []


def test_it_comes_in_pieces() -> None:
    objects = [KeyValue(f"/pods/{number:03}", b"x" * 10_000, number) for number in range(200)]
    pieces = list(encode(Header(1, 200), objects))
    assert len(pieces) == 3
    assert decode(b"".join(pieces)).objects == objects


def test_no_byte_may_be_another_or_missing() -> None:
    data = _file()
    for at in range(len(data)):
        with pytest.raises(SnapshotDamaged):
            decode(data[:at])
        with pytest.raises(SnapshotDamaged):
            decode(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])


def test_another_file_is_not_a_snapshot() -> None:
    for data in (b"", b"apiVersion: v1\n", b"localplane snapshot one\n{}", b"localplane snapshot " + b"1" * 100):
        with pytest.raises(SnapshotDamaged, match="is not a snapshot"):
            decode(data)


def test_one_of_a_newer_release_says_so() -> None:
    data = (_file()).replace(b"snapshot 1\n", b"snapshot 2\n", 1)
    with pytest.raises(SnapshotDamaged, match="of version 2, and this release knows 1"):
        decode(data)


@pytest.mark.parametrize(
    ("objects", "said", "why"),
    [
        (list(reversed(OBJECTS)), {}, "not in order"),
        ([OBJECTS[0], OBJECTS[0]], {}, "not in order"),
        (OBJECTS, {"objects": 3}, "has 2 objects and says that it has 3"),
        ([KeyValue("configmaps", b"", 1)], {}, "none of ours"),
        ([KeyValue("/a/../b", b"", 1)], {}, "none of ours"),
        (OBJECTS, {"revision": -1}, "header"),
    ],
)
def test_what_was_sealed_and_is_wrong_is_refused(objects: list[KeyValue], said: dict[str, int], why: str) -> None:
    with pytest.raises(SnapshotDamaged, match=why):
        decode(_file(objects, **said))


@pytest.mark.parametrize("line", [b"[]", b"{", b'{"revision": "1", "objects": 0}', b"{}", b"[" * 30_000])
def test_a_header_that_is_none_is_refused(line: bytes) -> None:
    with pytest.raises(SnapshotDamaged, match="header"):
        decode(_resealed(b"localplane snapshot 1\n" + line + b"\n"))


def test_a_header_may_say_more_than_is_known() -> None:
    line = json.dumps({"revision": 1, "objects": 0, "later": True}).encode()
    assert decode(_resealed(b"localplane snapshot 1\n" + line + b"\n")).header == Header(1, 0)
