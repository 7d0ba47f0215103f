"""A certificate is believed where Go believes it, and refused in Go's words where Go refuses it."""

from __future__ import annotations

import base64
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_network
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import rsa

from localplane.tls.authorities import NoAuthorities, certificates_in
from localplane.tls.contexts import judging, verifying
from localplane.tls.verification import Pool, Purpose, Untrusted, verify
from tests.unit.tls.papers import CLIENT, SERVER, Paper, issue

ROOT = issue("root", ca=True)
INTERMEDIATE = issue("intermediate", ROOT, ca=True)
LEAF = issue("leaf", INTERMEDIATE, hosts=["hook.example.com", "127.0.0.1"])
DIRECT = issue("direct", ROOT, hosts=["hook.example.com", "127.0.0.1"])
NAMELESS_ROOT = issue("", ca=True)
NAMELESS = issue("", NAMELESS_ROOT, hosts=["hook.example.com"])
SELF_SIGNED = issue("alone", hosts=["hook.example.com"])
UNKNOWN = "x509: certificate signed by unknown authority"
HOST = "hook.example.com"


@dataclass(frozen=True)
class Layout:
    """What a server shows, whom the caller trusts, and what Go says; nothing if it says nothing."""

    shown: tuple[Paper, ...]
    trusted: tuple[Paper, ...]
    problem: str = ""
    host: str = HOST
    openssl_differs: bool = False


def small_rsa() -> Paper:
    key = rsa.generate_private_key(65537, 1024)
    return issue("small", ROOT, hosts=[HOST], key=key)


LAYOUTS = {
    "a root": Layout((DIRECT,), (ROOT,)),
    "a root and an intermediate that is sent": Layout((LEAF, INTERMEDIATE), (ROOT,)),
    "a root, and the intermediate is missing": Layout((LEAF,), (ROOT,), UNKNOWN),
    "the leaf itself": Layout((LEAF,), (LEAF,)),
    "the leaf itself, with its chain sent": Layout((LEAF, INTERMEDIATE), (LEAF,)),
    "an intermediate": Layout((LEAF,), (INTERMEDIATE,)),
    "an intermediate that is sent too": Layout((LEAF, INTERMEDIATE), (INTERMEDIATE,)),
    "both": Layout((LEAF,), (ROOT, INTERMEDIATE)),
    "a certificate that signed itself": Layout((SELF_SIGNED,), (SELF_SIGNED,)),
    "another that signed itself": Layout(
        (SELF_SIGNED,),
        (issue("alone", hosts=[HOST]),),
        f'{UNKNOWN} (possibly because of "x509: invalid signature: parent certificate cannot sign this kind of '
        'certificate" while trying to verify candidate authority certificate "alone")',
    ),
    "nobody who matters": Layout((DIRECT,), (issue("other", ca=True),), UNKNOWN),
    "names that are empty": Layout((NAMELESS,), (NAMELESS_ROOT,), openssl_differs=True),
    "a root of the same name and another key": Layout(
        (DIRECT,),
        (issue("root", ca=True),),
        f'{UNKNOWN} (possibly because of "x509: ECDSA verification failure" while trying to verify candidate authority '
        'certificate "root")',
    ),
    "a root among others of its name": Layout((DIRECT,), (issue("root", ca=True), ROOT), openssl_differs=True),
    "a leaf is no authority": Layout(
        (issue("below", DIRECT, hosts=[HOST]),),
        (DIRECT,),
        f'{UNKNOWN} (possibly because of "x509: invalid signature: parent certificate cannot sign this kind of '
        'certificate" while trying to verify candidate authority certificate "direct")',
    ),
    "an RSA key of 1024 bits": Layout((small_rsa(),), (ROOT,)),
    "a name, and no alternative ones": Layout(
        (issue(HOST, ROOT),),
        (ROOT,),
        "x509: certificate relies on legacy Common Name field, use SANs instead",
    ),
    "no name at all": Layout(
        (issue("x", ROOT),), (ROOT,), f"x509: certificate is not valid for any names, but wanted to match {HOST}"
    ),
    "another host": Layout(
        (DIRECT,),
        (ROOT,),
        "x509: certificate is valid for hook.example.com, not other.example.com",
        "other.example.com",
    ),
    "an address": Layout((DIRECT,), (ROOT,), host="127.0.0.1"),
    "another address": Layout(
        (DIRECT,), (ROOT,), "x509: certificate is valid for 127.0.0.1, not 127.0.0.2", "127.0.0.2"
    ),
    "an address, and only names": Layout(
        (NAMELESS,),
        (NAMELESS,),
        "x509: cannot validate certificate for 127.0.0.1 because it doesn't contain any IP SANs",
        "127.0.0.1",
    ),
    "a wildcard": Layout((issue("wild", ROOT, hosts=["*.example.com"]),), (ROOT,)),
    "a wildcard for one part only": Layout(
        (issue("wild", ROOT, hosts=["*.example.com"]),),
        (ROOT,),
        "x509: certificate is valid for *.example.com, not a.hook.example.com",
        "a.hook.example.com",
    ),
    "a client's certificate": Layout(
        (issue("client", ROOT, hosts=[HOST], purposes=[CLIENT]),),
        (ROOT,),
        "x509: certificate specifies an incompatible key usage",
    ),
    "an authority for clients only": Layout(
        (issue("leaf", clients := issue("clients", ROOT, ca=True, purposes=[CLIENT]), hosts=[HOST]), clients),
        (ROOT,),
        "x509: certificate specifies an incompatible key usage",
    ),
    "too long a way": Layout(
        (
            issue(
                "leaf", deep := issue("deep", short := issue("short", ca=True, path_length=0), ca=True), hosts=[HOST]
            ),
            deep,
        ),
        (short,),
        f'{UNKNOWN} (possibly because of "x509: too many intermediates for path length constraint" while trying to '
        'verify candidate authority certificate "short")',
    ),
    "a name that the authority may not speak for": Layout(
        (
            issue(
                "leaf",
                bound := issue(
                    "bound",
                    ca=True,
                    extensions=[(x509.NameConstraints([x509.DNSName("example.org")], None), True)],
                ),
                hosts=[HOST],
            ),
        ),
        (bound,),
        "x509: a root or intermediate certificate is not authorized to sign for this name: "
        'DNS name "hook.example.com" is not permitted by any constraint',
    ),
    "a name that is excluded": Layout(
        (
            issue(
                "leaf",
                excluding := issue(
                    "excluding",
                    ca=True,
                    extensions=[(x509.NameConstraints(None, [x509.IPAddress(ip_network("127.0.0.0/8"))]), True)],
                ),
                hosts=[HOST, "127.0.0.1"],
            ),
        ),
        (excluding,),
        "x509: a root or intermediate certificate is not authorized to sign for this name: "
        'IP address "127.0.0.1" is excluded by constraint "127.0.0.0/8"',
    ),
    "an extension that nobody understands": Layout(
        (
            issue(
                "odd",
                ROOT,
                hosts=[HOST],
                extensions=[(x509.UnrecognizedExtension(x509.ObjectIdentifier("1.2.3.4"), b"\x05\x00"), True)],
            ),
        ),
        (ROOT,),
        "x509: unhandled critical extension",
    ),
    "a signature of a kind that Go does not know": Layout(
        (issue("odd", ROOT, hosts=[HOST], digest=hashes.SHA224()),),
        (ROOT,),
        f'{UNKNOWN} (possibly because of "x509: cannot verify signature: algorithm unimplemented" while trying to '
        'verify candidate authority certificate "root")',
        openssl_differs=True,
    ),
}


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_a_certificate_is_believed_where_go_believes_it(layout: Layout) -> None:
    roots = Pool.of_bundle(b"".join(paper.pem for paper in layout.trusted))
    shown = [paper.der for paper in layout.shown]
    if not layout.problem:
        trusted = verify(shown, roots, purpose=Purpose.SERVER, host=layout.host)
        assert trusted.certificate.raw == shown[0]
        return
    with pytest.raises(Untrusted) as refused:
        verify(shown, roots, purpose=Purpose.SERVER, host=layout.host)
    assert str(refused.value) == layout.problem


def shaken(server: ssl.SSLContext, client: ssl.SSLContext, host: str) -> None:
    """A handshake in memory. Raises what the client raises."""
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    ours = client.wrap_bio(to_client, to_server, server_hostname=host)
    theirs = server.wrap_bio(to_server, to_client, server_side=True)
    done = {ours: False, theirs: False}
    for _ in range(10):
        for side in (ours, theirs):
            if not done[side]:
                try:
                    side.do_handshake()
                    done[side] = True
                except ssl.SSLWantReadError:
                    continue
        if all(done.values()):
            return
    raise AssertionError("the handshake does not end")


@pytest.mark.parametrize("make", [verifying, judging])
@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_a_handshake_ends_as_go_s_would(
    layout: Layout, make: Callable[[bytes], ssl.SSLContext], tmp_path: Path
) -> None:
    """With OpenSSL as the judge too, where it can be told to judge as Go does."""
    if make is verifying and layout.openssl_differs:
        pytest.skip("OpenSSL can't be told so")
    leaf, *above = layout.shown
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.set_ciphers("ALL:@SECLEVEL=0")
    server.load_cert_chain(*leaf.written(tmp_path, "server", *above))
    client = make(b"".join(paper.pem for paper in layout.trusted))
    if not layout.problem:
        shaken(server, client, layout.host)
        return
    with pytest.raises(ssl.SSLCertVerificationError) as refused:
        shaken(server, client, layout.host)
    if make is judging:
        assert str(refused.value) == layout.problem


@pytest.mark.parametrize(
    ("paper", "problem"),
    [
        (issue("over", ROOT, hosts=[HOST], age=timedelta(hours=3), lasts=-timedelta(hours=1)), "after"),
        (issue("early", ROOT, hosts=[HOST], age=-timedelta(hours=1)), "before"),
    ],
    ids=["over", "early"],
)
def test_time_is_told(paper: Paper, problem: str) -> None:
    at = datetime.now(UTC)
    with pytest.raises(Untrusted) as refused:
        verify([paper.der], Pool.of_bundle(ROOT.pem), purpose=Purpose.SERVER, host=HOST, at=at)
    limit = paper.certificate.not_valid_after_utc if problem == "after" else paper.certificate.not_valid_before_utc
    shown = [each.isoformat(timespec="seconds").replace("+00:00", "Z") for each in (at.astimezone(), limit)]
    assert str(refused.value) == (
        f"x509: certificate has expired or is not yet valid: current time {shown[0]} is {problem} {shown[1]}"
    )


def test_an_authority_that_is_over_is_a_hint() -> None:
    over = issue("over", ca=True, age=timedelta(hours=3), lasts=-timedelta(hours=1))
    leaf = issue("leaf", over, hosts=[HOST])
    with pytest.raises(Untrusted, match=r"unknown authority \(possibly because of .*expired.*certificate .over.\)"):
        verify([leaf.der], Pool.of_bundle(over.pem), purpose=Purpose.SERVER)
    assert (
        verify([leaf.der], Pool.of_bundle(leaf.pem), purpose=Purpose.SERVER).until
        == leaf.certificate.not_valid_after_utc
    )


def test_it_is_good_for_as_long_as_the_whole_chain() -> None:
    brief = issue("brief", ROOT, ca=True, lasts=timedelta(minutes=1))
    leaf = issue("leaf", brief)
    until = verify([leaf.der, brief.der], Pool.of_bundle(ROOT.pem), purpose=Purpose.SERVER).until
    assert until == brief.certificate.not_valid_after_utc


def test_a_server_s_certificate_is_no_client_s() -> None:
    for purpose, wrong in ((SERVER, Purpose.CLIENT), (CLIENT, Purpose.SERVER)):
        paper = issue("leaf", ROOT, purposes=[purpose])
        with pytest.raises(Untrusted, match="incompatible key usage"):
            verify([paper.der], Pool.of_bundle(ROOT.pem), purpose=wrong)


def test_a_search_has_an_end() -> None:
    """Authorities that all have one name and vouch for one another in circles."""
    keys = [issue("round", ca=True) for _ in range(12)]
    papers = [
        issue("round", issuer, ca=True, key=holder.key) for issuer in keys for holder in keys if issuer is not holder
    ]
    leaf = issue("leaf", keys[0])
    with pytest.raises(Untrusted):
        verify([leaf.der, *(paper.der for paper in papers)], Pool.of_bundle(ROOT.pem), purpose=Purpose.SERVER)


@pytest.mark.parametrize("shown", [b"", b"rubbish", ROOT.der[:-1], ROOT.der + b"x"])
def test_what_can_not_be_read_is_not_believed(shown: bytes) -> None:
    with pytest.raises(Untrusted, match="malformed certificate"):
        verify([shown], Pool.of_bundle(ROOT.pem), purpose=Purpose.SERVER)


@pytest.mark.parametrize(
    ("bundle", "problem"),
    [
        (b"", "unable to parse bytes as PEM block"),
        (b"rubbish", "unable to parse bytes as PEM block"),
        (ROOT.pem[:-10], "unable to parse bytes as PEM block"),
        (ROOT.key_pem, "no valid certificate authority data seen"),
        (
            b"-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n",
            "failed to parse certificate: x509: malformed certificate",
        ),
        (
            b"-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----\n",
            "failed to parse certificate: x509: malformed certificate",
        ),
        (
            ROOT.pem.replace(b"CERTIFICATE-----\n", b"CERTIFICATE-----\nProc-Type: 4\n\n", 1),
            "no valid certificate authority data seen",
        ),
    ],
)
def test_a_bundle_without_a_certificate_is_told_as_client_go_tells_it(bundle: bytes, problem: str) -> None:
    for make in (Pool.of_bundle, *((verifying, judging) if bundle else ())):
        with pytest.raises(NoAuthorities) as refused:
            make(bundle)
        assert str(refused.value) == f"unable to load root certificates: {problem}"


def test_what_can_not_be_read_in_a_bundle_is_passed_over() -> None:
    broken = b"-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----\n"
    unended = b"-----BEGIN CERTIFICATE-----\n"
    bundle = (
        b"# ours\n" + broken + ROOT.key_pem + ROOT.pem + b"text" + INTERMEDIATE.pem.replace(b"\n", b"\r\n") + unended
    )
    assert certificates_in(bundle) == [ROOT.der, INTERMEDIATE.der]
    verify([LEAF.der], Pool.of_bundle(bundle), purpose=Purpose.SERVER)


def test_a_bundle_is_read_in_time_that_grows_with_its_size() -> None:
    """Each opening that has no end of its own would be a search to the end of all."""
    opening = b"-----BEGIN A-----\n" * 100_000
    with pytest.raises(NoAuthorities):
        certificates_in(opening)
    with pytest.raises(NoAuthorities):
        certificates_in(opening + b"-----END B-----\n")
    packed = base64.b64encode(b"\x30" * 300_000)
    with pytest.raises(NoAuthorities):
        certificates_in(b"-----BEGIN CERTIFICATE-----\n" + packed + b"\n-----END CERTIFICATE-----\n")
