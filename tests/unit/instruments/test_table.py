"""Who is let to the instruments of a plane, and what he is told who is not."""

from __future__ import annotations

import pytest

from localplane.apimachinery.errors import BadRequest, Forbidden, MethodNotAllowed, NotFound
from localplane.apiserver.request import Answer, Query, Request, whole_body
from localplane.instruments.table import Instruments, allow, answer_json, read_json


def request(path: str, *, method: str = "GET", remote: str = "127.0.0.1", body: bytes = b"") -> Request:
    async def read_body(_: int) -> bytes:
        return body

    return Request(method, path, Query({}), {}, read_body, remote=remote)


async def echo(request: Request, rest: str) -> Answer:
    allow(request, "GET", "POST")
    return answer_json({"rest": rest, "body": await read_json(request) if request.method == "POST" else None})


@pytest.fixture
def instruments() -> Instruments:
    table = Instruments()
    table.mount("echo", echo)
    return table


async def body_of(answer: Answer | None) -> bytes:
    assert answer is not None
    return await whole_body(answer.body)  # type: ignore[union-attr]


async def test_an_instrument_gets_what_is_below_its_name(instruments: Instruments) -> None:
    assert await body_of(await instruments.handle(request("/localplane/v1/echo"))) == b'{"rest":"","body":null}'
    assert await body_of(await instruments.handle(request("/localplane/v1/echo/a/b"))) == b'{"rest":"a/b","body":null}'
    sent = request("/localplane/v1/echo", method="POST", body=b'{"a":1}')
    assert await body_of(await instruments.handle(sent)) == b'{"rest":"","body":{"a":1}}'


@pytest.mark.parametrize("path", ["/localplane", "/localplane/v2/echo", "/localplane/v1", "/api/v1/pods"])
async def test_other_paths_are_for_other_routers(instruments: Instruments, path: str) -> None:
    assert await instruments.handle(request(path)) is None


@pytest.mark.parametrize("address", ["127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1", ""])
async def test_this_machine_is_let(instruments: Instruments, address: str) -> None:
    assert await instruments.handle(request("/localplane/v1/echo", remote=address)) is not None


@pytest.mark.parametrize("address", ["10.0.0.1", "fe80::1%eth0", "::ffff:10.0.0.1", "nonsense"])
async def test_other_machines_are_not(instruments: Instruments, address: str) -> None:
    with pytest.raises(Forbidden, match="on its own machine"):
        await instruments.handle(request("/localplane/v1/echo", remote=address))


async def test_what_there_is_not_is_told(instruments: Instruments) -> None:
    with pytest.raises(NotFound, match='there is no instrument "ecko"; there are: echo'):
        await instruments.handle(request("/localplane/v1/ecko"))
    with pytest.raises(MethodNotAllowed, match="this path takes GET and POST, not PUT"):
        await instruments.handle(request("/localplane/v1/echo", method="PUT"))
    with pytest.raises(BadRequest, match="the body is not JSON"):
        await instruments.handle(request("/localplane/v1/echo", method="POST", body=b"{"))


async def test_one_name_is_one_instrument(instruments: Instruments) -> None:
    with pytest.raises(ValueError, match="two instruments named echo"):
        instruments.mount("echo", echo)
