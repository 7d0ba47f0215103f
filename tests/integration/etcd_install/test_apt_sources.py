"""Reading apt's configuration: which of its sources is the Debian archive."""

from __future__ import annotations

from pathlib import Path

import pytest

from localplane.apiserver.storage.etcd.program.install.apt_sources import AptSource, debian_archives

ARCHIVE = "http://archive.example.com/debian"


def sources(tmp_path: Path, *, lines: str = "", stanzas: str = "") -> list[AptSource]:
    (tmp_path / "sources.list.d").mkdir()
    (tmp_path / "sources.list").write_text(lines)
    (tmp_path / "sources.list.d" / "debian.sources").write_text(stanzas)
    return debian_archives(tmp_path)


def test_a_line_names_the_archive(tmp_path: Path) -> None:
    assert sources(tmp_path, lines=f"deb {ARCHIVE} bookworm main\n") == [AptSource(ARCHIVE)]


def test_a_line_may_carry_options(tmp_path: Path) -> None:
    line = f"deb [ arch=amd64 signed-by=/usr/share/keyrings/a.gpg ] {ARCHIVE} stable main contrib # ours"
    assert sources(tmp_path, lines=line) == [AptSource(ARCHIVE, "/usr/share/keyrings/a.gpg")]


def test_a_stanza_names_the_archive(tmp_path: Path) -> None:
    stanza = f"Types: deb deb-src\n# a comment\nURIs: {ARCHIVE}/\nSuites: trixie trixie-updates\nComponents: main\n"
    assert sources(tmp_path, stanzas=stanza) == [AptSource(f"{ARCHIVE}/")]


def test_a_stanza_may_be_folded_and_carry_a_whole_key(tmp_path: Path) -> None:
    stanza = f"Types: deb\nURIs:\n {ARCHIVE}\nSuites: sid\nComponents: main\nSigned-By:\n -----BEGIN PGP-----\n abc\n"
    assert sources(tmp_path, stanzas=stanza) == [AptSource(ARCHIVE)]


def test_a_stanza_that_is_switched_off_is_not_used(tmp_path: Path) -> None:
    stanza = f"Enabled: no\nTypes: deb\nURIs: {ARCHIVE}\nSuites: trixie\nComponents: main\n"
    assert sources(tmp_path, stanzas=stanza) == []


@pytest.mark.parametrize(
    "line",
    [
        f"# deb {ARCHIVE} bookworm main",
        f"deb-src {ARCHIVE} bookworm main",
        "deb http://archive.example.com/debian-security bookworm-security main",
        "deb http://security.example.com/debian bookworm main",
        "deb http://tools.example.com/linux/debian bookworm stable",
        "deb http://tools.example.com/apt cloud-bookworm main",
        "deb http://archive.example.com/ubuntu noble main",
        "deb cdrom:[Debian GNU/Linux 12]/ bookworm main",
    ],
)
def test_what_is_not_the_debian_archive_is_left_alone(line: str, tmp_path: Path) -> None:
    assert sources(tmp_path, lines=line) == []


def test_the_archive_comes_before_others_that_use_its_names_and_only_once(tmp_path: Path) -> None:
    lines = f"""
deb http://tools.example.com/packages stable main
deb {ARCHIVE} bookworm main
deb {ARCHIVE}/ bookworm-updates main
deb {ARCHIVE}/ bookworm main
"""
    found = sources(tmp_path, lines=lines)
    assert [source.uri for source in found] == [ARCHIVE, "http://tools.example.com/packages"]


def test_a_machine_without_apt_has_no_archive(tmp_path: Path) -> None:
    assert debian_archives(tmp_path / "missing") == []
