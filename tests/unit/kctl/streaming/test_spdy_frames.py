"""SPDY/3.1 as it is on the wire."""

from __future__ import annotations

import hashlib

from kctl.streaming.spdy import (
    DATA,
    FIN,
    GOAWAY,
    PING,
    RST_STREAM,
    SYN_REPLY,
    SYN_STREAM,
    FrameReader,
    HeaderReader,
    HeaderWriter,
    _dictionary,
    data_frame,
    go_away_frame,
    ping_frame,
    reset_frame,
)


def test_the_dictionary_is_the_one_of_the_protocol() -> None:
    dictionary = _dictionary()
    assert len(dictionary) == 1423
    assert hashlib.sha256(dictionary).hexdigest() == (
        "51d27341373f923f3cd88e1eb7162aeaa3723d7585ff2399201dc06498407f02"
    )


def test_frames_have_the_protocols_bytes() -> None:
    assert data_frame(3, b"hi") == bytes.fromhex("00000003 00000002 6869")
    assert data_frame(3, b"", last=True) == bytes.fromhex("00000003 01000000")
    assert ping_frame(1) == bytes.fromhex("80030006 00000004 00000001")
    assert reset_frame(5) == bytes.fromhex("80030003 00000008 00000005 00000005")
    assert go_away_frame() == bytes.fromhex("80030007 00000008 00000000 00000000")


def test_what_one_side_says_the_other_reads_in_whatever_pieces() -> None:
    writer, reader, frames = HeaderWriter(), HeaderReader(), FrameReader()
    first = [("StreamType", "error"), ("port", "80"), ("requestID", "0")]
    sent = (
        writer.syn_stream(1, first)
        + writer.syn_stream(3, [("streamtype", "data")])
        + writer.syn_reply(1, [])
        + data_frame(1, b"x" * 1000, last=True)
        + ping_frame(2)
        + reset_frame(3)
        + go_away_frame()
    )
    found = []
    for at in range(0, len(sent), 7):
        frames.feed(sent[at : at + 7])
        found += list(frames.frames())
    assert [(one.type, one.stream, one.flags) for one in found] == [
        (SYN_STREAM, 1, 0),
        (SYN_STREAM, 3, 0),
        (SYN_REPLY, 1, 0),
        (DATA, 1, FIN),
        (PING, 2, 0),
        (RST_STREAM, 3, 0),
        (GOAWAY, 0, 0),
    ]
    assert reader.read(found[0].data[6:]) == {"streamtype": "error", "port": "80", "requestid": "0"}
    assert reader.read(found[1].data[6:]) == {"streamtype": "data"}
    assert reader.read(found[2].data) == {}
    assert found[3].data == b"x" * 1000
