"""A client's certificate is judged at each request, and remembered only for as long as the answer is the same."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from localplane.apiserver.authentication import CertificateVerifier, ClientCertificateAuthenticator, Unauthenticated
from localplane.apiserver.authentication import certificate_verification as module
from localplane.tls import verification
from tests.unit.filters.requests import make_request
from tests.unit.tls.papers import CLIENT, SERVER, Paper, issue

ROOT = issue("root", ca=True)
INTERMEDIATE = issue("intermediate", ROOT, ca=True)
CLIENT_PAPER = issue("jane", ROOT, purposes=[CLIENT])


class Clock:
    def __init__(self) -> None:
        self.now = CLIENT_PAPER.certificate.not_valid_before_utc.timestamp() + 3600

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def verifier(directory: Path, clock: Clock, *trusted: Paper) -> CertificateVerifier:
    file = directory / "ca.crt"
    file.write_bytes(b"".join(paper.pem for paper in trusted))
    return CertificateVerifier(file, clock=clock)


@pytest.mark.parametrize(
    ("trusted", "shown"),
    [
        (ROOT, (CLIENT_PAPER,)),
        (INTERMEDIATE, (issue("jane", INTERMEDIATE),)),
        (ROOT, (issue("jane", INTERMEDIATE), INTERMEDIATE)),
        (CLIENT_PAPER, (CLIENT_PAPER,)),
    ],
    ids=["a root's", "an intermediate's", "an intermediate's, below a root", "the certificate itself"],
)
def test_whatever_is_in_the_bundle_vouches(
    tmp_path: Path, clock: Clock, trusted: Paper, shown: tuple[Paper, ...]
) -> None:
    verifier(tmp_path, clock, trusted).check(tuple(paper.der for paper in shown))


@pytest.mark.parametrize(
    ("shown", "problem"),
    [
        (issue("jane", issue("other", ca=True)), "certificate signed by unknown authority"),
        (issue("jane"), "certificate signed by unknown authority"),
        (issue("jane", ROOT, purposes=[SERVER]), "incompatible key usage"),
        (issue("jane", INTERMEDIATE), "certificate signed by unknown authority"),
    ],
    ids=["another authority's", "its own", "a server's", "a chain with a gap"],
)
def test_who_is_not_believed_is_told_why(tmp_path: Path, clock: Clock, shown: Paper, problem: str) -> None:
    with pytest.raises(Unauthenticated, match=rf"^verifying certificate SN=\d+, SKID=.* failed: x509: .*{problem}"):
        verifier(tmp_path, clock, ROOT).check((shown.der,))


def test_rubbish_is_not_believed(tmp_path: Path, clock: Clock) -> None:
    with pytest.raises(Unauthenticated, match="malformed certificate"):
        verifier(tmp_path, clock, ROOT).check((b"rubbish",))


@pytest.mark.parametrize("brief", ["leaf", "intermediate"])
def test_a_certificate_is_over_when_its_chain_is(tmp_path: Path, clock: Clock, brief: str) -> None:
    short, long = timedelta(minutes=1), timedelta(hours=1)
    between = issue("between", ROOT, ca=True, lasts=short if brief == "intermediate" else long)
    leaf = issue("jane", between, lasts=short if brief == "leaf" else long)
    shown, believed = (leaf.der, between.der), verifier(tmp_path, clock, ROOT)
    end = min(paper.certificate.not_valid_after_utc.timestamp() for paper in (leaf, between))
    for clock.now in (end - 30, end - 1, end):
        believed.check(shown)
    clock.now = end + 1
    with pytest.raises(Unauthenticated, match="certificate has expired or is not yet valid"):
        believed.check(shown)


def test_what_was_found_out_is_remembered(tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    judged = 0
    verify = verification.verify

    def counted(*given: object, **named: object) -> object:
        nonlocal judged
        judged += 1
        return verify(*given, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "verify", counted)
    believed, stranger = verifier(tmp_path, clock, ROOT), issue("stranger").der
    for _ in range(5):
        believed.check((CLIENT_PAPER.der,))
        with pytest.raises(Unauthenticated):
            believed.check((stranger,))
    assert judged == 2
    clock.now += module._REFUSED_FOR.total_seconds() + 1
    believed.check((CLIENT_PAPER.der,))
    with pytest.raises(Unauthenticated):
        believed.check((stranger,))
    assert judged == 3


def test_only_so_much_is_remembered(tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_REMEMBERED", 3)
    believed = verifier(tmp_path, clock, ROOT)
    for number in range(10):
        with pytest.raises(Unauthenticated):
            believed.check((b"rubbish %d" % number,))
    assert len(believed._findings) == 3


async def test_the_authenticator_asks_the_connection(tmp_path: Path, clock: Clock) -> None:
    authenticator = ClientCertificateAuthenticator(verifier(tmp_path, clock, ROOT))
    assert await authenticator.authenticate(make_request("GET", "/")) is None
    user = await authenticator.authenticate(make_request("GET", "/", peer_certificates=(CLIENT_PAPER.der,)))
    assert user is not None
    assert user.name == "jane"
    again = await authenticator.authenticate(make_request("GET", "/", peer_certificates=(bytes(CLIENT_PAPER.der),)))
    assert again is user
    with pytest.raises(Unauthenticated):
        await authenticator.authenticate(make_request("GET", "/", peer_certificates=(b"rubbish",)))
