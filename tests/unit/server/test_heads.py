"""The head of an answer, byte by byte."""

from __future__ import annotations

import pytest

from localplane.apiserver.server.http.response_writer import HeadWriter, _slices


def test_a_head_is_a_status_line_headers_and_an_empty_line() -> None:
    head = HeadWriter().head(200, "application/json", {"A": "b"}, framing="Content-Length: 3\r\n", connection="close")
    lines = head.split(b"\r\n")
    assert lines[0] == b"HTTP/1.1 200 OK"
    assert lines[1].startswith(b"Date: ")
    assert lines[2:] == [
        b"Content-Length: 3",
        b"Content-Type: application/json",
        b"A: b",
        b"X-Content-Type-Options: nosniff",
        b"Connection: close",
        b"",
        b"",
    ]


def test_a_status_nobody_has_named_is_still_a_status() -> None:
    assert HeadWriter().head(299, "", {}, framing="").startswith(b"HTTP/1.1 299 status code 299\r\n")


@pytest.mark.parametrize("value", ["a\r\nB: c", "a\nB: c", "a\rB: c", "a\0b"])
def test_a_value_with_a_line_break_is_not_written(value: str) -> None:
    with pytest.raises(ValueError, match="line break"):
        HeadWriter().head(200, "text/plain", {"A": value}, framing="")
    with pytest.raises(ValueError, match="line break"):
        HeadWriter().head(200, value, {}, framing="")


@pytest.mark.parametrize(
    "sizes", [[], [1], [100_000], [10] * 5, [700_000, 700_000], [10, 5_000_000, 10], [60_000] * 40, [0, 0, 70_000]]
)
def test_slices_are_the_body_in_order_and_never_too_large(sizes: list[int]) -> None:
    body = [bytes([index % 256]) * size for index, size in enumerate(sizes)]
    slices = [bytes(piece) for piece in _slices(body)]
    assert b"".join(slices) == b"".join(body)
    assert all(len(piece) < (1 << 20) + (64 << 10) for piece in slices)


def test_a_large_body_is_sliced_without_copying() -> None:
    body = bytes(3_000_000)
    slices = list(_slices((body,)))
    assert [type(piece) for piece in slices] == [memoryview] * 3
    assert all(isinstance(piece, memoryview) and piece.obj is body for piece in slices)
