"""Options are refused with sentences, all of them at once."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from localplane.apiserver.server.config import configure
from localplane.apiserver.server.options import (
    AuditOptions,
    AuthenticationOptions,
    InvalidOptions,
    ServerOptions,
    TLSOptions,
)


def problems(**options: Any) -> list[str]:
    try:
        ServerOptions(**{"tls": TLSOptions(directory=Path("certificates")), **options}).check()
    except InvalidOptions as error:
        return error.problems
    return []


def test_the_defaults_need_only_a_place_for_certificates() -> None:
    assert problems() == []
    assert problems(tls=TLSOptions()) == ["TLS needs a certificate, or a directory in which one can be made"]


def test_other_machines_are_let_in_only_on_purpose() -> None:
    assert problems(addresses=("0.0.0.0", "::1")) == [
        "listening on 0.0.0.0 lets other machines in: allow it explicitly, or listen on 127.0.0.1"
    ]
    assert problems(addresses=("0.0.0.0",), allow_remote=True) == []


def test_plain_http_stays_on_this_machine_even_on_purpose() -> None:
    plain = TLSOptions(enabled=False)
    assert problems(tls=plain) == []
    assert problems(tls=plain, addresses=("192.0.2.1",), allow_remote=True) == [
        "plain HTTP is served on loopback addresses only"
    ]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"addresses": ()}, "the server needs an address to listen on"),
        ({"addresses": ("localhost",)}, "'localhost' is no IP address"),
        ({"port": 65536}, "port 65536 is not between 0 and 65535"),
        ({"port": -1}, "port -1 is not between 0 and 65535"),
        ({"max_requests_in_flight": -1}, "the limits of requests in flight can't be negative; 0 means none"),
        ({"request_timeout": timedelta(0)}, "the request timeout must be longer than nothing"),
        ({"shutdown_delay": timedelta(-1)}, "the shutdown delay and timeout can't be negative"),
        ({"audit": AuditOptions(log=Path("-"))}, "an audit log needs an audit policy: without one nothing is recorded"),
        ({"audit": AuditOptions(policy=Path("/none"))}, "/none is no file"),
        ({"authentication": AuthenticationOptions(token_file=Path("/none"))}, "/none is no file"),
        ({"tls": TLSOptions(enabled=False, key=Path("k"))}, "certificates were given, but TLS is switched off"),
    ],
)
def test_each_mistake_has_its_sentence(options: dict[str, Any], sentence: str) -> None:
    assert problems(**options) == [sentence]


def test_a_certificate_needs_its_key(tmp_path: Path) -> None:
    certificate = tmp_path / "a.crt"
    certificate.touch()
    assert problems(tls=TLSOptions(certificate=certificate)) == [
        "a serving certificate and its key are given together, or not at all"
    ]


def test_all_problems_are_told_together() -> None:
    with pytest.raises(InvalidOptions, match="; ") as caught:
        ServerOptions(port=-1, addresses=("8.8.8.8",)).check()
    assert len(caught.value.problems) == 3


def test_configuring_makes_certificates_for_the_addresses(tmp_path: Path) -> None:
    config = configure(ServerOptions(port=0, tls=TLSOptions(directory=tmp_path / "new")))
    assert config.tls is not None
    assert config.authority == tmp_path / "new" / "ca.crt"
    assert configure(ServerOptions(tls=TLSOptions(enabled=False))).authority is None
