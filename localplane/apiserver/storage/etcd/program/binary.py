"""Which etcd binary is used, and whether it may be trusted with data.

The first of these that is there: `--etcd PATH`, the variable KCTL_ETCD, `etcd` on PATH, our own cache. One that was
named and does not fit is an error; one that merely stood on PATH is passed over, and remembered for the message.
"""

from __future__ import annotations

import errno
import os
import platform
import re
import shutil
import subprocess
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from localplane.apiserver.storage.errors import StorageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Source: TypeAlias = Literal["--etcd", "KCTL_ETCD", "PATH", "cache"]

# Before it: 3.4 drops DELETE events when a compaction meets them, 3.5.0 to 3.5.2 lose acknowledged writes when killed.
MINIMUM_VERSION = (3, 5, 16)

HOW_TO_GET_ONE = "run `kctl etcd install`, or name another with --etcd PATH or KCTL_ETCD"

_ANSWER_WITHIN = timedelta(seconds=10)
_VERSION_LINE = re.compile(r"^etcd Version: (\S+)$", re.MULTILINE)
_NUMBERS = re.compile(r"v?(\d+)\.(\d+)\.(\d+)(?![\d.])")
_PROGRAM_MAGIC = (b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe", b"MZ")


class EtcdUnusable(StorageError):
    """An etcd was named or found, and can't be used; the message says why and what to do."""


class EtcdNotFound(EtcdUnusable):
    """Nobody named an etcd, and none was found."""


@dataclass(frozen=True, slots=True)
class EtcdBinary:
    """An etcd that ran and told its version. `source` says who chose it."""

    path: Path
    version: str
    source: Source


def find_etcd(
    *, explicit: Path | None = None, allow_unsafe: bool = False, environ: Mapping[str, str] = os.environ
) -> EtcdBinary:
    """The etcd to use; raises EtcdUnusable with a sentence for people.

    `allow_unsafe` lets versions pass that are known to lose data, for those who want to see it.
    """
    if explicit is not None:
        return _fit(explicit, "--etcd", allow_unsafe=allow_unsafe)
    if named := environ.get("KCTL_ETCD"):
        return _fit(Path(named).expanduser(), "KCTL_ETCD", allow_unsafe=allow_unsafe)

    passed_over: list[str] = []
    for path, source in _candidates(environ):
        try:
            return _fit(path, source, allow_unsafe=allow_unsafe)
        except EtcdUnusable as error:
            passed_over.append(str(error).removesuffix(f"; {HOW_TO_GET_ONE}"))
    if passed_over:
        raise EtcdUnusable(f"no usable etcd: {'; '.join(passed_over)}; {HOW_TO_GET_ONE}")
    raise EtcdNotFound(f"no etcd on PATH or in {cache_directory(environ)}; {HOW_TO_GET_ONE}")


def cache_directory(environ: Mapping[str, str] = os.environ) -> Path:
    """Where `kctl etcd install` puts binaries, each as VERSION/etcd."""
    base = Path(environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()
    return base / "kctl" / "etcd"


def version_numbers(version: str) -> tuple[int, int, int] | None:
    """`3.5.16` or `v3.6.0-rc.1` as numbers that compare; None for what is no version."""
    match = _NUMBERS.match(version)
    return (int(match[1]), int(match[2]), int(match[3])) if match else None


def ask_version(path: Path) -> str:
    """Run `etcd --version`; raises EtcdUnusable for whatever is not an etcd that runs here."""
    # etcd takes every flag from an ETCD_ variable too, and complains about those it does not know.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ETCD_")}
    try:
        answer = subprocess.run(
            [path.absolute(), "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            encoding="utf-8",
            errors="replace",
            env=environment,
            timeout=_ANSWER_WITHIN.total_seconds(),
        )
    except subprocess.TimeoutExpired:
        seconds = _ANSWER_WITHIN.total_seconds()
        raise EtcdUnusable(f"{path} did not answer --version within {seconds:.0f} s") from None
    except OSError as error:
        raise EtcdUnusable(_why_not_started(path, error)) from error
    match = _VERSION_LINE.search(answer.stdout)
    if match is None or version_numbers(match[1]) is None:
        said = (answer.stdout or answer.stderr).strip().partition("\n")[0][:100]
        raise EtcdUnusable(f"{path} is not etcd: to --version it answered {said!r}")
    return match[1]


def _candidates(environ: Mapping[str, str]) -> Iterator[tuple[Path, Source]]:
    if on_path := shutil.which("etcd", path=environ.get("PATH", os.defpath)):
        yield Path(on_path), "PATH"
    cached = [(version_numbers(path.parent.name), path) for path in cache_directory(environ).glob("*/etcd")]
    for _, path in sorted(((numbers, path) for numbers, path in cached if numbers), reverse=True):
        yield path, "cache"


def _fit(path: Path, source: Source, *, allow_unsafe: bool) -> EtcdBinary:
    named = f"{source}: " if source in {"--etcd", "KCTL_ETCD"} else ""
    try:
        version = ask_version(path)
    except EtcdUnusable as error:
        raise EtcdUnusable(f"{named}{error}; {HOW_TO_GET_ONE}") from error
    if (version_numbers(version) or (0, 0, 0)) < MINIMUM_VERSION and not allow_unsafe:
        wanted = ".".join(map(str, MINIMUM_VERSION))
        raise EtcdUnusable(
            f"{named}{path} is etcd {version}, and {wanted} or later is needed, because earlier ones lose "
            f"acknowledged writes or watch events; {HOW_TO_GET_ONE}"
        )
    return EtcdBinary(path=path.absolute(), version=version, source=source)


def _why_not_started(path: Path, error: OSError) -> str:
    if path.is_dir():
        return f"{path} is a directory, not a program"
    if isinstance(error, FileNotFoundError):
        return f"{path} needs a loader or interpreter that is missing" if path.exists() else f"{path} does not exist"
    if isinstance(error, PermissionError):
        return f"{path} may not be executed: it lacks the permission, or its file system is mounted noexec"
    if error.errno != errno.ENOEXEC:
        return f"{path} can't be started: {error.strerror}"
    if _starts_like_a_program(path):
        return f"{path} is built for another machine than this one ({platform.system()} {platform.machine()})"
    return f"{path} is not a program"


def _starts_like_a_program(path: Path) -> bool:
    try:
        with path.open("rb") as program:
            return program.read(4).startswith(_PROGRAM_MAGIC)
    except OSError:
        return False
