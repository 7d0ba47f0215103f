"""Keys and values out of files, directories, literals and environment files, for config maps and secrets.

Kubernetes: kubectl/pkg/util/util.go, kubectl/pkg/cmd/util/env_file.go.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from kctl.errors import KctlError
from kctl.flags import Flag, switch
from localplane.apimachinery.gotext import go_quote

from .keys import env_var_name

if TYPE_CHECKING:
    from kctl.flags import Given

Add = Callable[[str, bytes], None]


def source_flags(what: str) -> tuple[Flag, ...]:
    """`what` is configmap or secret."""
    return (
        Flag(
            "from-file",
            "slice",
            (),
            "Key file can be specified using its file path, in which case file basename will be used as "
            f"{what} key, or optionally with a key and file path, in which case the given key will be used.  Specifying "
            f"a directory will iterate each named file in the directory whose basename is a valid {what} key.",
        ),
        Flag(
            "from-literal", "array", (), f"Specify a key and literal value to insert in {what} (i.e. mykey=somevalue)"
        ),
        Flag(
            "from-env-file",
            "slice",
            (),
            f"Specify the path to a file to read lines of key=val pairs to create a {what}.",
        ),
        append_hash(what),
    )


def append_hash(what: str) -> Flag:
    return switch("append-hash", f"Append a hash of the {what} to its name.")


def check_sources(given: Given) -> None:
    if given.texts("from-env-file") and (given.texts("from-file") or given.texts("from-literal")):
        raise KctlError("from-env-file cannot be combined with from-file or from-literal")


def add_literals(literals: list[str], add: Add) -> None:
    for literal in literals:
        key, equals, value = literal.partition("=")
        if not key or not equals:
            raise KctlError(f"invalid literal source {literal}, expected key=value")
        add(key, value.strip("\"'").encode())


def add_files(sources: list[str], add: Add) -> None:
    for source in sources:
        key, path = _split(source)
        if not _checked(path).is_dir():
            add(key, _read(Path(path)))
            continue
        if "=" in source:
            raise KctlError("cannot give a key name for a directory path")
        for entry in sorted(os.scandir(path), key=lambda one: one.name):
            if entry.is_file(follow_symlinks=False):
                add(entry.name, _read(Path(path, entry.name)))


def add_env_files(paths: list[str], add: Add, *, what: str) -> None:
    for path in paths:
        if _checked(path).is_dir():
            raise KctlError(f"env {what} file cannot be a directory")
        for key, value in _env_lines(path):
            add(key, value.encode())


def _split(source: str) -> tuple[str, str]:
    separators = source.count("=")
    if not separators:
        return os.path.basename(source.rstrip("/")) or source, source  # noqa: PTH119 - of the text as it was given
    if separators > 1:
        raise KctlError("key names or file paths cannot contain '='")
    key, _, path = source.partition("=")
    if not key:
        raise KctlError(f"key name for file path {path} missing")
    if not path:
        raise KctlError(f"file path for key name {key} missing")
    return key, path


def _checked(path: str) -> Path:
    try:
        Path(path).stat()
    except OSError as error:
        raise KctlError(f"error reading {path}: {(error.strerror or str(error)).lower()}") from error
    return Path(path)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise KctlError(f"open {path}: {(error.strerror or str(error)).lower()}") from error


def _env_lines(path: str) -> Iterator[tuple[str, str]]:
    for number, raw in enumerate(_read(Path(path)).removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        try:
            line = raw.removesuffix(b"\r").decode().lstrip()
        except UnicodeDecodeError as error:
            shown = " ".join(str(byte) for byte in raw)
            raise KctlError(f"env file {path} contains invalid utf8 bytes at line {number}: [{shown}]") from error
        if not line or line.startswith("#"):
            continue
        key, equals, value = line.partition("=")
        if problems := env_var_name(key):
            raise KctlError(f"{go_quote(key)} is not a valid key name: {';'.join(problems)}")
        yield key, value if equals else os.environ.get(key, "")
