"""What was in use before, for `kctl ctx -` and `kctl ns -`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from kctl.session import Session


def recall(session: Session, what: str) -> str:
    return str(_read(_file(session)).get(what, ""))


def remember(session: Session, what: str, value: str) -> None:
    """It is a convenience: that it could not be written is nobody's problem."""
    file = _file(session)
    known = _read(file) | {what: value}
    try:
        file.parent.mkdir(mode=0o750, parents=True, exist_ok=True)
        file.write_text(json.dumps(known))
    except OSError:
        return


def _file(session: Session) -> Path:
    from pathlib import Path

    return Path(session.cache_directory, "kctl", "previous.json")


def _read(file: Path) -> dict[str, str]:
    try:
        known = json.loads(file.read_text())
    except (OSError, ValueError):
        return {}
    return known if isinstance(known, dict) else {}
