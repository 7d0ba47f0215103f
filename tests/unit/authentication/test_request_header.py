"""A proxy is believed because of who vouches for its certificate, and never because of what it says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from localplane.apiserver.authentication import (
    CertificateVerifier,
    ClientCertificateAuthenticator,
    RequestHeaderAuthenticator,
    Unauthenticated,
)
from localplane.apiserver.request import Query, Request, User
from tests.unit.tls.papers import CLIENT, Paper, issue

NOW = datetime.now(UTC)
PROXIES = issue("front-proxy-ca", ca=True)
BELOW = issue("below", PROXIES, ca=True)
CLIENTS = issue("client-ca", ca=True)
PROXY = issue("front-proxy-client", PROXIES, purposes=[CLIENT])
SAID = {
    "x-remote-user": ["jane"],
    "x-remote-uid": ["7"],
    "x-remote-group": ["devs", "", "ops"],
    "x-remote-extra-example.com%2fscope": ["read", "write"],
}


def verifier(directory: Path, authority: Paper) -> CertificateVerifier:
    file = directory / f"{authority.certificate.serial_number}.crt"
    file.write_bytes(authority.pem)
    return CertificateVerifier(file)


@pytest.fixture
def proxies(tmp_path: Path) -> CertificateVerifier:
    return verifier(tmp_path, PROXIES)


def request(*shown: Paper, headers: Mapping[str, Sequence[str]] = SAID) -> Request:
    async def nothing(_: int) -> bytes:
        return b""

    return Request(
        "GET",
        "/apis",
        Query({}),
        {name: values[0] for name, values in headers.items()},
        nothing,
        header_values=lambda name: headers.get(name, ()),
        peer_certificates=tuple(paper.der for paper in shown),
    )


@pytest.mark.parametrize(
    "shown", [(PROXY,), (issue("front-proxy-client", BELOW), BELOW)], ids=["a root's", "an intermediate's"]
)
async def test_it_speaks_for_whom_it_says(proxies: CertificateVerifier, shown: tuple[Paper, ...]) -> None:
    authenticator = RequestHeaderAuthenticator(proxies, allowed_names=["front-proxy-client"])
    user = await authenticator.authenticate(request(*shown))
    assert user == User("jane", uid="7", groups=("devs", "ops"), extra={"example.com/scope": ("read", "write")})


async def test_without_a_certificate_or_a_name_nothing_is_said(proxies: CertificateVerifier) -> None:
    authenticator = RequestHeaderAuthenticator(proxies)
    assert await authenticator.authenticate(request()) is None
    assert await authenticator.authenticate(request(PROXY, headers={})) is None


async def test_a_client_says_nothing_whatever_its_name(proxies: CertificateVerifier) -> None:
    with pytest.raises(Unauthenticated, match="x509: certificate signed by unknown authority"):
        await RequestHeaderAuthenticator(proxies).authenticate(request(issue("front-proxy-client", CLIENTS)))


async def test_another_name_is_not_allowed(proxies: CertificateVerifier) -> None:
    authenticator = RequestHeaderAuthenticator(proxies, allowed_names=["front-proxy-client"])
    with pytest.raises(Unauthenticated, match="x509: subject with cn=other is not in the allowed list"):
        await authenticator.authenticate(request(issue("other", PROXIES)))


@pytest.mark.parametrize(
    "shown",
    [(issue("admin", PROXIES),), (issue("admin", BELOW), BELOW), (PROXIES,)],
    ids=["a root's", "an intermediate's", "the root itself"],
)
async def test_a_proxy_is_no_user_by_itself(tmp_path: Path, shown: tuple[Paper, ...]) -> None:
    clients = ClientCertificateAuthenticator(verifier(tmp_path, CLIENTS))
    with pytest.raises(Unauthenticated, match="x509: certificate signed by unknown authority"):
        await clients.authenticate(request(*shown, headers={}))
    user = await clients.authenticate(request(issue("admin", CLIENTS), headers={}))
    assert user is not None
    assert user.name == "admin"
