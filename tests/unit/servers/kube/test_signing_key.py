"""The key that signs tokens is made once, kept, and never silently replaced."""

from __future__ import annotations

from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from localplane.apiserver.storage.data_directory import DataDirectoryUnusable
from localplane.compose.credentials import admin_token
from localplane.servers.kube.tokens import ServiceAccountTokens


async def test_what_one_start_signed_the_next_believes(tmp_path: Path) -> None:
    path = tmp_path / "pki" / "sa.key"
    token = (await ServiceAccountTokens.open(path)).sign({"sub": "me"})
    assert (path.stat().st_mode & 0o777, [each.name for each in path.parent.iterdir()]) == (0o600, ["sa.key"])
    assert (await ServiceAccountTokens.open(path)).claims_of(token) is not None


@pytest.mark.parametrize("content", [b"", b"\x00" * 1704, b"-----BEGIN PRIVATE KEY-----\nMIIE", b"no key at all"])
async def test_a_damaged_key_is_named_and_stays(tmp_path: Path, content: bytes) -> None:
    """A power cut may leave an empty file, and a new key would refuse every token that is out there."""
    path = tmp_path / "sa.key"
    path.write_bytes(content)
    with pytest.raises(DataDirectoryUnusable) as refused:
        await ServiceAccountTokens.open(path)
    assert str(refused.value).startswith(f"the key that signs tokens can't be read from {path} (")
    assert path.read_bytes() == content


async def test_a_key_of_another_kind_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "sa.key"
    other = ec.generate_private_key(ec.SECP256R1())
    path.write_bytes(other.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    with pytest.raises(DataDirectoryUnusable, match="holds no RSA key"):
        await ServiceAccountTokens.open(path)


@pytest.mark.parametrize("content", [b"", b"short", b"\xff" * 43, b"a" * 43 + b"\x00"])
def test_a_damaged_administrators_token_lets_nobody_in(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "admin.token").write_bytes(content)
    made = admin_token(tmp_path)
    assert len(made) >= 43
    assert made.encode() != content
    assert admin_token(tmp_path) == made
