"""The next free port where nobody asked for one, and a refusal where somebody did."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from localplane.apiserver.server.options import ServerOptions
from localplane.cli import ports
from localplane.cli.errors import PlaneError
from localplane.cli.options import UpOptions
from localplane.cli.ports import Port, free_port
from localplane.compose.options import ClusterOptions


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """A port that is in use, and stands for 6443."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        number = server.getsockname()[1]
        monkeypatch.setattr(ports, "DEFAULT_PORT", number)
        yield number


def test_a_taken_port_is_passed_over_and_that_is_told(taken: int) -> None:
    found = free_port(UpOptions(), wanted=None)
    assert found.number > taken
    assert found.notes == (f"port {taken} is taken, so this is {found.number}",)


def test_a_taken_port_that_was_asked_for_is_an_error(taken: int) -> None:
    with pytest.raises(PlaneError) as caught:
        free_port(UpOptions(port=taken), wanted=None)
    assert str(caught.value) == (
        f"cannot listen on 127.0.0.1:{taken}: Address already in use: choose another --port; 0 takes a free one"
    )


def test_the_next_round_gets_the_same_port(taken: int) -> None:
    first = free_port(UpOptions(), wanted=None)
    assert free_port(UpOptions(), wanted=first.number).number == first.number
    assert free_port(UpOptions(port=0), wanted=first.number) == Port(first.number)


def test_the_address_that_was_asked_for_is_the_one_that_is_tried(taken: int) -> None:
    options = UpOptions(cluster=ClusterOptions(server=ServerOptions(addresses=("127.0.0.2",))))
    assert free_port(options, wanted=taken).number == taken
