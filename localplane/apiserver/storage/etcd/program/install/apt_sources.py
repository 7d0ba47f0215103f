"""Where this machine gets its Debian packages from, read from apt's own configuration.

Both formats are understood: one line per source (`*.list`) and stanzas (`*.sources`). Only the Debian archive itself
is wanted: not its security archive, which holds other files, and nobody else's packages.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_SUITES = frozenset(
    {"bullseye", "bookworm", "trixie", "forky", "duke", "sid"}
    | {"oldoldstable", "oldstable", "stable", "testing", "unstable"}
)
_ONE_LINE = re.compile(r"deb\s+(?:\[(?P<options>[^\]]*)\]\s+)?(?P<uri>\S+)\s+(?P<suite>\S+)\s+(?P<components>.+)")


@dataclass(frozen=True, slots=True)
class AptSource:
    """One archive. `signed_by` is the keyring file that the machine trusts for it, if it names one."""

    uri: str
    signed_by: str = ""


@dataclass(frozen=True, slots=True)
class _Entry:
    uris: list[str]
    suites: list[str]
    components: list[str]
    signed_by: str


def debian_archives(apt_directory: Path) -> list[AptSource]:
    """The Debian archives that are configured, the likeliest first, each once."""
    found: dict[str, AptSource] = {}
    for entry in _entries(apt_directory):
        if not _SUITES.intersection(entry.suites) or "main" not in entry.components:
            continue
        for uri in entry.uris:
            if "security" not in uri and not uri.startswith("cdrom:"):
                found.setdefault(uri.rstrip("/"), AptSource(uri, entry.signed_by))
    # Others publish suites with Debian's names too; the archive itself is a directory called debian.
    return sorted(found.values(), key=lambda source: not _last_segment(source.uri).startswith("debian"))


def _entries(apt_directory: Path) -> Iterator[_Entry]:
    parts = apt_directory / "sources.list.d"
    for path in (apt_directory / "sources.list", *sorted(parts.glob("*.list"))):
        yield from _one_line_entries(_text(path))
    for path in sorted(parts.glob("*.sources")):
        yield from _stanza_entries(_text(path))


def _one_line_entries(text: str) -> Iterator[_Entry]:
    for line in text.splitlines():
        match = _ONE_LINE.match(line.partition("#")[0].strip())
        if match:
            options = dict(option.partition("=")[::2] for option in (match["options"] or "").split())
            yield _Entry(
                [match["uri"]], [match["suite"]], match["components"].split(), _keyring(options.get("signed-by", ""))
            )


def _stanza_entries(text: str) -> Iterator[_Entry]:
    without_comments = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    for stanza in re.split(r"\n\s*\n", without_comments):
        unfolded = re.sub(r"\n[ \t]+", " ", stanza)
        pairs = (line.partition(":")[::2] for line in unfolded.splitlines())
        fields = {name.strip().lower(): value.strip() for name, value in pairs}
        if "deb" in fields.get("types", "").split() and fields.get("enabled", "yes").lower() != "no":
            yield _Entry(
                fields.get("uris", "").split(),
                fields.get("suites", "").split(),
                fields.get("components", "").split(),
                _keyring(fields.get("signed-by", "")),
            )


def _keyring(value: str) -> str:
    """A stanza may carry a whole key in place of a file's name; such a key is of no use to us."""
    return value if value.startswith("/") else ""


def _last_segment(uri: str) -> str:
    return uri.rstrip("/").rpartition("/")[2]


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
