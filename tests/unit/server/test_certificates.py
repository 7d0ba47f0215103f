"""Certificates: made once, renewed in time, and readable by nobody else."""

from __future__ import annotations

import stat
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from localplane.apiserver.server.certificates.self_signed import ensure_certificates

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
NAMES = ["ca.crt", "ca.key", "server.crt", "server.key", "admin.crt", "admin.key"]


def contents(directory: Path) -> dict[str, bytes]:
    return {name: (directory / name).read_bytes() for name in NAMES}


def certificate(path: Path) -> x509.Certificate:
    return x509.load_pem_x509_certificate(path.read_bytes())


def test_the_server_s_certificate_names_this_machine_for_a_year(tmp_path: Path) -> None:
    server = certificate(ensure_certificates(tmp_path, addresses=("192.0.2.7",), now=NOW).server)
    names = server.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.DNSName) == ["localhost"]
    addresses = ["127.0.0.1", "::1", "192.0.2.7"]
    assert names.get_values_for_type(x509.IPAddress) == [ip_address(text) for text in addresses]
    assert server.not_valid_before_utc == NOW - timedelta(hours=24)
    assert server.not_valid_after_utc == NOW + timedelta(days=365)
    key = server.public_key()
    assert isinstance(key, ec.EllipticCurvePublicKey)
    assert key.curve.name == "secp256r1"


def test_the_administrator_s_certificate_says_who_and_which_group(tmp_path: Path) -> None:
    admin = certificate(ensure_certificates(tmp_path).admin).subject
    assert admin.get_attributes_for_oid(NameOID.COMMON_NAME)[0].value == "kubernetes-admin"
    assert admin.get_attributes_for_oid(NameOID.ORGANIZATION_NAME)[0].value == "system:masters"


def test_only_the_owner_can_read_them(tmp_path: Path) -> None:
    directory = tmp_path / "pki"
    ensure_certificates(directory)
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in directory.iterdir()} == {0o600}


def test_they_are_made_once(tmp_path: Path) -> None:
    ensure_certificates(tmp_path, now=NOW)
    before = contents(tmp_path)
    ensure_certificates(tmp_path, now=NOW + timedelta(days=334))
    assert contents(tmp_path) == before


def test_a_start_that_finds_them_does_not_pay_for_cryptography(tmp_path: Path) -> None:
    ensure_certificates(tmp_path)
    code = (
        "import sys, pathlib; from localplane.apiserver.server.certificates.self_signed import ensure_certificates;"
        f"ensure_certificates(pathlib.Path({str(tmp_path)!r})); sys.exit('cryptography' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_less_than_a_month_before_the_end_they_are_renewed_under_the_same_authority(tmp_path: Path) -> None:
    ensure_certificates(tmp_path, now=NOW)
    before = contents(tmp_path)
    ensure_certificates(tmp_path, now=NOW + timedelta(days=336))
    after = contents(tmp_path)
    assert [name for name in NAMES if before[name] == after[name]] == ["ca.crt", "ca.key"]


def test_a_new_address_renews_them(tmp_path: Path) -> None:
    ensure_certificates(tmp_path, now=NOW)
    before = contents(tmp_path)
    ensure_certificates(tmp_path, now=NOW, addresses=("192.0.2.7",))
    assert contents(tmp_path)["server.crt"] != before["server.crt"]
    before = contents(tmp_path)
    ensure_certificates(tmp_path, now=NOW)
    assert contents(tmp_path) == before


@pytest.mark.parametrize("lost", [*NAMES, "issued.json"])
def test_what_is_lost_is_made_again(tmp_path: Path, lost: str) -> None:
    ensure_certificates(tmp_path, now=NOW)
    (tmp_path / lost).unlink()
    files = ensure_certificates(tmp_path, now=NOW)
    certificate(files.server).verify_directly_issued_by(certificate(files.authority))
    certificate(files.admin).verify_directly_issued_by(certificate(files.authority))


@pytest.mark.parametrize("name", ["ca.crt", "ca.key", "issued.json"])
def test_a_damaged_file_is_replaced(tmp_path: Path, name: str) -> None:
    ensure_certificates(tmp_path, now=NOW)
    (tmp_path / name).write_text("garbage")
    (tmp_path / "issued.json").write_text("garbage")
    files = ensure_certificates(tmp_path, now=NOW)
    certificate(files.server).verify_directly_issued_by(certificate(files.authority))


def test_an_authority_that_ends_is_replaced_with_all_it_signed(tmp_path: Path) -> None:
    ensure_certificates(tmp_path, now=NOW)
    before = contents(tmp_path)
    ensure_certificates(tmp_path, now=NOW + timedelta(days=3640))
    after = contents(tmp_path)
    assert not [name for name in NAMES if before[name] == after[name]]
