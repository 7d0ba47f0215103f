"""The user's editor. Kubernetes: kubectl/pkg/cmd/util/editor/editor.go."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from kctl import program
from kctl.changes.temporary_files import new_file
from kctl.errors import KctlError
from localplane.apimachinery.golang.text import go_quote


def command() -> list[str]:
    """What KUBE_EDITOR or EDITOR says; a shell makes sense of quotes."""
    said = os.environ.get("KUBE_EDITOR") or os.environ.get("EDITOR") or "vi"
    if " " not in said:
        return [said]
    if not any(character in said for character in "\"'\\"):
        return said.split(" ")
    return [os.environ.get("SHELL") or "/bin/bash", "-c", said]


def edit(data: bytes, suffix: str) -> Path:
    """A file with this in it, once the user has closed it. Raises KctlError if the editor failed."""
    path = new_file(f"{program.name()}-edit-", suffix, data)
    words = command()
    shell = words[1:2] == ["-c"]
    words = [*words[:2], f"{words[2]} {go_quote(str(path))}"] if shell else [*words, str(path)]
    sys.stdout.flush()
    try:
        code = subprocess.run(words, check=False).returncode
    except FileNotFoundError as error:
        raise KctlError(f"unable to launch the editor {go_quote(' '.join(command()))}") from error
    except OSError as error:
        raise KctlError(f"there was a problem with the editor {go_quote(' '.join(command()))}") from error
    if code:
        raise KctlError(f"there was a problem with the editor {go_quote(' '.join(command()))}")
    return path


def content(path: Path) -> str:
    """What is in the file now. Raises KctlError if the user took it away."""
    try:
        return path.read_text(errors="replace")
    except OSError as error:
        raise KctlError(f"open {path}: {(error.strerror or str(error)).lower()}") from error
