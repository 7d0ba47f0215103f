"""What -v tells about requests."""

from __future__ import annotations

import re

import pytest

from kctl.session.wire_log import WireLog
from localplane.client.transport.driver import drive
from localplane.client.transport.interface import BufferedResponse, Pairs


class Answering:
    def __init__(self, body: bytes) -> None:
        self._body = body

    async def request(
        self, method: str, path: str, *, query: Pairs = (), headers: Pairs = (), body: bytes | None = None
    ) -> BufferedResponse:
        del method, path, query, headers, body
        return BufferedResponse(201, [("content-type", "text/plain"), ("x-a", "b")], self._body)

    async def close(self) -> None:
        """Nothing is open."""


def told(level: int, body: bytes = b"hello", sent: bytes | None = None) -> list[str]:
    lines: list[str] = []
    log = WireLog(
        Answering(body),
        server="https://h",
        level=level,
        log=lambda place, text: lines.append(f"{place.partition(':')[0]} {text}"),
        fixed=[("Authorization", "Bearer secret"), ("User-Agent", "me")],
    )

    async def ask() -> None:
        response = await log.request("POST", "/x", query=[("a", "b c")], headers=[("Accept", "y")], body=sent)
        await response.read()
        await log.close()

    drive(ask)
    return [re.sub(r"milliseconds=\d+", "milliseconds=N", line) for line in lines]


URL = 'verb="POST" url="https://h/x?a=b+c"'
HEADERS = "headers=<\n\tAccept: y\n\tAuthorization: Bearer <masked>\n\tUser-Agent: me\n >"


def test_six_is_a_line_for_each_request() -> None:
    assert told(6) == [f'round_trippers.go "Response" {URL} status="201 Created" milliseconds=N']


def test_seven_shows_headers_and_no_secret() -> None:
    assert told(7) == [
        f'round_trippers.go "Request" {URL} {HEADERS}',
        'round_trippers.go "Response" status="201 Created" milliseconds=N',
    ]


def test_eight_shows_bodies() -> None:
    assert told(8, sent=b'{"a":1}') == [
        'helper.go "Request Body" body="{\\"a\\":1}"',
        f'round_trippers.go "Request" {URL} {HEADERS}',
        (
            'round_trippers.go "Response" status="201 Created" headers=<\n\tContent-Type: text/plain\n\tX-A: b\n > '
            "milliseconds=N"
        ),
        'helper.go "Response Body" body="hello"',
    ]


def test_nine_is_a_line_for_curl() -> None:
    assert told(9)[1] == (
        'round_trippers.go "Request" curlCommand=<\n\tcurl -v -XPOST  -H "Accept: y" '
        '-H "Authorization: Bearer <masked>" -H "User-Agent: me" \'https://h/x?a=b+c\'\n >'
    )


@pytest.mark.parametrize(("level", "limit"), [(8, 1024), (9, 10240), (10, 20000)])
def test_long_bodies_are_cut_less_the_more_one_wants_to_know(level: int, limit: int) -> None:
    shown = told(level, b"x" * 20000)[-1]
    tail = f" [truncated {20000 - limit} chars]" if limit < 20000 else ""
    assert shown == f'helper.go "Response Body" body="{"x" * limit}{tail}"'


def test_lines_of_a_body_are_indented() -> None:
    assert told(8, b"a\nb\n")[-1] == 'helper.go "Response Body" body=<\n\ta\n\tb\n >'
