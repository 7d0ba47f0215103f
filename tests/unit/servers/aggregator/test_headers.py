"""What is told to another server of a request, and what of its answer comes back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from localplane.apiserver.request import Query, Request, User
from localplane.servers.aggregator.headers import identity, incoming, outgoing, wants_upgrade


async def nothing(_: int) -> bytes:
    return b""


def request(headers: Mapping[str, Sequence[str]]) -> Request:
    return Request(
        "GET",
        "/apis/example.com/v1",
        Query({}),
        {name: values[0] for name, values in headers.items()},
        nothing,
        header_values=lambda name: headers.get(name, ()),
        remote="192.0.2.7",
        notes={},
    )


def test_the_user_is_told_with_groups_and_extra() -> None:
    user = User("jane", uid="7", groups=("devs", "ops"), extra={"example.com/Scope%": ("read", "write")})
    assert identity(user) == [
        ("X-Remote-User", "jane"),
        ("X-Remote-Uid", "7"),
        ("X-Remote-Group", "devs"),
        ("X-Remote-Group", "ops"),
        ("X-Remote-Extra-example.com%2FScope%25", "read"),
        ("X-Remote-Extra-example.com%2FScope%25", "write"),
    ]


@pytest.mark.parametrize(
    "name",
    [
        "authorization",
        "x-remote-user",
        "x-remote-extra-scope",
        "impersonate-user",
        "connection",
        "transfer-encoding",
        "content-length",
        "host",
        "x-named-by-connection",
    ],
)
def test_a_client_cannot_say_who_it_is_nor_how_we_connect(name: str) -> None:
    asked = request({"connection": ["keep-alive, X-Named-By-Connection"], name: ["forged"]})
    if name == "connection":
        asked = request({"connection": ["keep-alive"]})
    sent = [(key.lower(), value) for key, value in outgoing(asked, User("jane"))]
    assert (name, "forged") not in sent
    assert [value for key, value in sent if key == "x-remote-user"] == ["jane"]
    assert "connection" not in dict(sent)


def test_all_else_is_passed_on_with_all_its_values() -> None:
    sent = outgoing(request({"accept": ["application/json", "text/plain"], "audit-id": ["42"]}), User("jane"))
    assert sent == [
        ("accept", "application/json"),
        ("accept", "text/plain"),
        ("Audit-Id", "42"),
        ("X-Forwarded-For", "192.0.2.7"),
        ("X-Remote-User", "jane"),
    ]


def test_an_answers_repeated_headers_become_one() -> None:
    said = [("warning", '299 - "a"'), ("Warning", '299 - "b"'), ("Date", "now"), ("content-encoding", "gzip")]
    assert incoming(dict(said), said) == {"Warning": '299 - "a", 299 - "b"', "Content-Encoding": "gzip"}


@pytest.mark.parametrize(
    ("connection", "upgrades"), [("Upgrade", True), ("keep-alive, upgrade", True), ("close", False)]
)
def test_an_upgrade_is_seen_in_any_spelling(connection: str, upgrades: bool) -> None:  # noqa: FBT001 - of a table
    assert wants_upgrade(request({"connection": [connection]})) is upgrades
