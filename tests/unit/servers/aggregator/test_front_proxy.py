"""The front proxy's certificate: kept, private, and renewed in time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from localplane.servers.aggregator.front_proxy import ensure_front_proxy

NOW = datetime.now(UTC)


def test_all_of_it_is_the_owners_alone(tmp_path: Path) -> None:
    directory = tmp_path / "pki"
    ensure_front_proxy(directory)
    assert {oct(path.stat().st_mode & 0o777) for path in directory.iterdir()} == {"0o600"}
    assert oct(directory.stat().st_mode & 0o777) == "0o700"


def test_a_later_start_finds_it_as_it_was(tmp_path: Path) -> None:
    first = ensure_front_proxy(tmp_path, now=NOW).client.read_bytes()
    assert ensure_front_proxy(tmp_path, now=NOW + timedelta(days=300)).client.read_bytes() == first


def test_it_is_renewed_in_its_last_month_and_its_authority_stays(tmp_path: Path) -> None:
    files = ensure_front_proxy(tmp_path, now=NOW)
    authority, client = files.authority.read_bytes(), files.client.read_bytes()
    ensure_front_proxy(tmp_path, now=NOW + timedelta(days=340))
    assert files.authority.read_bytes() == authority
    assert files.client.read_bytes() != client


def test_a_start_that_was_killed_is_no_obstacle(tmp_path: Path) -> None:
    files = ensure_front_proxy(tmp_path, now=NOW)
    (tmp_path / ".front-proxy-client.key.new").write_bytes(b"half")
    (tmp_path / "front-proxy.json").unlink()
    client = files.client.read_bytes()
    ensure_front_proxy(tmp_path, now=NOW)
    assert files.client.read_bytes() != client
