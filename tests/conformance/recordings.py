"""Where the recordings are: in a folder `shared` beside the checkout, or where KCTL_RECORDINGS says."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

_BESIDE = Path(__file__).resolve().parents[3] / "shared"


@dataclass(frozen=True, slots=True)
class Recordings:
    """`api` are conversations with a server, `cli` command lines with what they printed, `corpus` manifests that
    people apply. None for one that is not here."""

    api: Path | None
    cli: Path | None
    corpus: Path | None

    @property
    def missing(self) -> list[str]:
        return [name for name in ("api", "cli", "corpus") if getattr(self, name) is None]


def find_recordings(directory: Path | None = None) -> Recordings:
    where = directory or Path(os.environ.get("KCTL_RECORDINGS", _BESIDE))
    return Recordings(
        api=_with(where / "oracle", "replay"),
        cli=_with(where / "cli-oracle", "replay"),
        corpus=_with(where / "corpus", "run"),
    )


def _with(directory: Path, program: str) -> Path | None:
    return directory if (directory / program).is_file() else None
