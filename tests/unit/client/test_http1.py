"""HTTP/1.1 answers, in whatever pieces they come."""

from __future__ import annotations

import gzip

import pytest

from localplane.client.errors import InvalidAnswer
from localplane.client.transport.http1 import Incoming, IncompleteAnswer, request_bytes

WITH_LENGTH = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-A: b\r\n\r\nhello"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\nTrailer: x\r\n\r\n"
_PACKED = gzip.compress(b"hello", mtime=0)
PACKED = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s" % (len(_PACKED), _PACKED)
AFTER_CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n" + WITH_LENGTH


def received(answer: bytes, size: int, method: str = "GET") -> tuple[Incoming, bytes]:
    incoming = Incoming(method)
    body = b""
    for start in range(0, len(answer), size):
        incoming.feed(answer[start : start + size])
        body += incoming.body()
    return incoming, body


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
@pytest.mark.parametrize("answer", [WITH_LENGTH, CHUNKED, PACKED, AFTER_CONTINUE], ids=range(4))
def test_an_answer_is_the_same_in_pieces_of_any_size(answer: bytes, size: int) -> None:
    incoming, body = received(answer, size)
    assert body == b"hello"
    assert incoming.complete
    assert incoming.head is not None
    assert incoming.head.status == 200


def test_a_body_without_length_ends_with_the_connection() -> None:
    incoming, body = received(b"HTTP/1.1 200 OK\r\n\r\nhello", 9)
    assert body == b"hello"
    assert not incoming.complete
    incoming.end()
    assert incoming.complete


@pytest.mark.parametrize("answer", [WITH_LENGTH[:-1], CHUNKED[:-7]], ids=range(2))
def test_an_answer_that_is_cut_is_not_taken_for_whole(answer: bytes) -> None:
    incoming, _ = received(answer, 5)
    with pytest.raises(IncompleteAnswer):
        incoming.end()


@pytest.mark.parametrize("status", [b"204 No Content", b"304 Not Modified"])
def test_some_answers_have_no_body_whatever_they_say(status: bytes) -> None:
    incoming, body = received(b"HTTP/1.1 %s\r\nContent-Length: 5\r\n\r\n" % status, 100)
    assert (incoming.complete, body) == (True, b"")


@pytest.mark.parametrize("answer", [b"SSH-2.0-x\r\n\r\n", b"HTTP/1.1 abc\r\n\r\n"])
def test_what_is_no_http_is_refused(answer: bytes) -> None:
    with pytest.raises(InvalidAnswer):
        received(answer, 100)


def test_a_header_can_not_smuggle_another_one() -> None:
    message = request_bytes("GET", "/", [("X", "a\r\nAuthorization: b")], None)
    assert message == b"GET / HTTP/1.1\r\nX: a  Authorization: b\r\n\r\n"


def test_a_write_without_a_body_says_so() -> None:
    assert b"Content-Length: 0\r\n" in request_bytes("POST", "/", [], None)
    assert b"Content-Length" not in request_bytes("GET", "/", [], None)
