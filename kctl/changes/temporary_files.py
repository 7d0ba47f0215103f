"""Files and directories of ours alone, named as kubectl names its own: a word and a number."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def new_directory(prefix: str) -> Path:
    while True:
        path = _path(prefix, "")
        try:
            path.mkdir(mode=0o700)
        except FileExistsError:
            continue
        return path


def new_file(prefix: str, suffix: str, data: bytes) -> Path:
    while True:
        path = _path(prefix, suffix)
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            continue
        with os.fdopen(descriptor, "wb") as opened:
            opened.write(data)
        return path


def _path(prefix: str, suffix: str) -> Path:
    return Path(tempfile.gettempdir()) / f"{prefix}{int.from_bytes(os.urandom(4), 'big')}{suffix}"
