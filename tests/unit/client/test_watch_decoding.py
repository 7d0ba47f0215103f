"""Events off the wire, in pieces of any size."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localplane.apimachinery.errors import Expired
from localplane.client.errors import ConnectionLost, InvalidAnswer
from localplane.client.rest import watch as watching
from localplane.client.rest.watch import LineDecoder, WatchEvent, WatchStream
from localplane.client.transport.interface import BufferedResponse


@given(lines=st.lists(st.binary(min_size=1).filter(lambda line: b"\n" not in line and line.strip())), data=st.data())
def test_lines_are_the_same_however_they_are_cut(lines: list[bytes], data: st.DataObject) -> None:
    stream = b"".join(line + b"\n" for line in lines)
    decoder, found = LineDecoder(), list[bytes]()
    while stream:
        size = data.draw(st.integers(1, len(stream)))
        found += decoder.feed(stream[:size])
        stream = stream[size:]
    assert found == lines
    assert decoder.take_rest() == b""


def _stream(body: bytes) -> WatchStream:
    async def opener() -> BufferedResponse:
        return BufferedResponse(200, [], body)

    return WatchStream(opener)


def _line(kind: str, version: str) -> bytes:
    return json.dumps({"type": kind, "object": {"metadata": {"resourceVersion": version}}}).encode() + b"\n"


async def test_a_huge_event_is_one_event() -> None:
    huge = {"type": "ADDED", "object": {"data": "x" * 5_000_000}}
    stream = _stream(json.dumps(huge).encode() + b"\n")
    assert [event async for event in stream] == [WatchEvent("ADDED", huge["object"])]  # type: ignore[arg-type] # inferred too widely


async def test_an_event_without_an_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "LONGEST_EVENT", 100)
    with pytest.raises(InvalidAnswer, match="more than"):
        await anext(_stream(b"x" * 101))


async def test_a_stream_that_stops_in_an_event_is_a_lost_connection() -> None:
    stream = _stream(_line("ADDED", "1") + _line("ADDED", "2")[:-5])
    assert (await anext(stream)).resource_version == "1"
    with pytest.raises(ConnectionLost):
        await anext(stream)


async def test_a_last_line_without_its_end_counts_if_it_is_whole() -> None:
    stream = _stream(_line("ADDED", "1") + _line("ADDED", "2")[:-1])
    assert [event.resource_version async for event in stream] == ["1", "2"]


async def test_an_error_event_is_raised_after_what_came_before_it() -> None:
    error = {"type": "ERROR", "object": {"kind": "Status", "reason": "Expired", "code": 410, "message": "too old"}}
    stream = _stream(_line("ADDED", "1") + json.dumps(error).encode() + b"\n")
    assert (await anext(stream)).type == "ADDED"
    with pytest.raises(Expired, match="too old"):
        await anext(stream)


@pytest.mark.parametrize("line", [b"no json\n", b"[]\n", b'{"type":"ADDED"}\n', b'{"type":"ADDED","object":[]}\n'])
async def test_what_is_no_event_is_refused(line: bytes) -> None:
    with pytest.raises(InvalidAnswer):
        await anext(_stream(line))
