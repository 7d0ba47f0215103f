"""The messages are etcd's, byte for byte where it matters."""

from __future__ import annotations

from typing import Any

import hpack

from localplane.apiserver.storage.etcd.client import messages
from localplane.apiserver.storage.etcd.client.headers import request_block


def test_a_compare_with_revision_zero_says_zero() -> None:
    """Left out, the number would make etcd take the compare for true."""
    compare = messages.Compare(target=messages.COMPARE_MOD, key=b"k", mod_revision=0)
    assert compare.SerializeToString().endswith(b"\x30\x00")


def test_a_progress_request_is_there_though_it_is_empty() -> None:
    request = messages.WatchRequest(progress_request=messages.WatchProgressRequest())
    assert request.SerializeToString() == b"\x1a\x00"


def test_fields_that_we_do_not_know_are_skipped() -> None:
    unknown = b"\xa2\x06\x03new"  # field 100
    response = messages.RangeResponse.FromString(unknown + messages.RangeResponse(count=3).SerializeToString())
    assert response.count == 3


def test_a_request_block_is_hpack() -> None:
    path = "/" + "p" * 500
    block = request_block(path, authority="a", secure=True)
    fields: list[Any] = list(hpack.Decoder().decode(block))
    assert fields == [
        (":method", "POST"),
        (":scheme", "https"),
        (":path", path),
        (":authority", "a"),
        ("te", "trailers"),
        ("content-type", "application/grpc"),
        ("hasleader", "true"),
    ]
