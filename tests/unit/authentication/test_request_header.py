"""A proxy is believed because of who signed its certificate, and never because of what it says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509 import load_pem_x509_certificate

from localplane.apiserver.authentication import (
    ClientCertificateAuthenticator,
    ClientsOnly,
    FrontProxyAuthority,
    RequestHeaderAuthenticator,
    Unauthenticated,
)
from localplane.apiserver.request import Query, Request, User
from localplane.apiserver.server.issuing import Authority

NOW = datetime.now(UTC)
PROXIES = Authority.make(NOW, name="front-proxy-ca")
CLIENTS = Authority.make(NOW)
SAID = {
    "x-remote-user": ["jane"],
    "x-remote-uid": ["7"],
    "x-remote-group": ["devs", "", "ops"],
    "x-remote-extra-example.com%2fscope": ["read", "write"],
}


@pytest.fixture
def authority(tmp_path: Path) -> FrontProxyAuthority:
    file = tmp_path / "front-proxy-ca.crt"
    file.write_bytes(PROXIES.certificate_pem)
    return FrontProxyAuthority(file)


def certificate(authority: Authority, name: str) -> bytes:
    issued = authority.issue_client(name, "", NOW)
    return load_pem_x509_certificate(issued.certificate).public_bytes(Encoding.DER)


def request(shown: bytes | None, headers: Mapping[str, Sequence[str]] = SAID) -> Request:
    async def nothing(_: int) -> bytes:
        return b""

    return Request(
        "GET",
        "/apis",
        Query({}),
        {name: values[0] for name, values in headers.items()},
        nothing,
        header_values=lambda name: headers.get(name, ()),
        peer_certificate=shown,
    )


async def test_it_speaks_for_whom_it_says(authority: FrontProxyAuthority) -> None:
    authenticator = RequestHeaderAuthenticator(authority, allowed_names=["front-proxy-client"])
    user = await authenticator.authenticate(request(certificate(PROXIES, "front-proxy-client")))
    assert user == User("jane", uid="7", groups=("devs", "ops"), extra={"example.com/scope": ("read", "write")})


@pytest.mark.parametrize("shown", [None, certificate(CLIENTS, "front-proxy-client")], ids=["nobody", "a client"])
async def test_others_say_nothing_whatever_their_name(authority: FrontProxyAuthority, shown: bytes | None) -> None:
    assert await RequestHeaderAuthenticator(authority).authenticate(request(shown)) is None


async def test_another_name_is_not_allowed(authority: FrontProxyAuthority) -> None:
    authenticator = RequestHeaderAuthenticator(authority, allowed_names=["front-proxy-client"])
    with pytest.raises(Unauthenticated, match="x509: subject with cn=other is not in the allowed list"):
        await authenticator.authenticate(request(certificate(PROXIES, "other")))


async def test_a_proxy_is_no_user_by_itself(authority: FrontProxyAuthority) -> None:
    clients = ClientsOnly(ClientCertificateAuthenticator(), authority)
    assert await clients.authenticate(request(certificate(PROXIES, "admin"), {})) is None
    user = await clients.authenticate(request(certificate(CLIENTS, "admin"), {}))
    assert user is not None
    assert user.name == "admin"
