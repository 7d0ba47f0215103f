"""The folder that test suites take their programs from: kube-apiserver, etcd and kubectl. KUBEBUILDER_ASSETS names it.

It lies in the cache, one for each Python and each choice, and is made anew whenever it is asked for: what is right
already is left alone, and everything else replaced in one step, so suites that start at the same time don't disturb one
another. Nothing is downloaded.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import sys
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from localplane.apiserver.storage.etcd.program.binary import EtcdNotFound, EtcdUnusable, cache_directory, find_etcd
from localplane.files import write_atomically

from .errors import PlaneError

_LONGEST_INTERPRETER = 100
"""Kernels read 127 bytes of a first line, or a little more."""


class EmbeddedStorage(StrEnum):
    SQLITE = "sqlite"
    MEMORY = "memory"


@dataclass(frozen=True, slots=True)
class Assets:
    directory: Path

    @property
    def environment(self) -> dict[str, str]:
        """What envtest and its like look for."""
        return {
            "KUBEBUILDER_ASSETS": str(self.directory),
            "TEST_ASSET_KUBE_APISERVER": str(self.directory / "kube-apiserver"),
            "TEST_ASSET_ETCD": str(self.directory / "etcd"),
            "TEST_ASSET_KUBECTL": str(self.directory / "kubectl"),
        }


def prepare(*, embedded: EmbeddedStorage | None = None, etcd: Path | None = None) -> Assets:
    """The folder, complete. `embedded`: with a stand-in for etcd, and objects kept so. Raises PlaneError."""
    real = None if embedded else _etcd(etcd)
    choice = f"{sys.executable}\0{embedded or real}\0{__file__}"
    name = f"{embedded or 'etcd'}-{hashlib.sha256(choice.encode()).hexdigest()[:12]}"
    directory = cache_directory().parent / "envtest" / name
    try:
        directory.mkdir(parents=True, exist_ok=True)
        stands_in = embedded is not None
        _write(directory / "kube-apiserver", _KUBE_APISERVER.format(embedded=stands_in))
        _write(directory / "kubectl", _KUBECTL)
        if embedded is not None:
            _write(directory / "etcd", _STAND_IN.format(kind=str(embedded)))
        elif real is not None:
            _link(directory / "etcd", real)
    except OSError as error:
        raise PlaneError(f"{directory} can't be prepared: {error.strerror}: {error.filename}") from error
    return Assets(directory)


_KUBE_APISERVER = """\
from localplane.cli.kube_apiserver.program import main
sys.exit(main(sys.argv[1:], embedded={embedded}))
"""
_STAND_IN = """\
from localplane.cli.kube_apiserver.stand_in import main
sys.exit(main(sys.argv[1:], kind="{kind}"))
"""
_KUBECTL = """\
from kctl.cli import main
sys.exit(main())
"""


def _etcd(explicit: Path | None) -> Path:
    try:
        return find_etcd(explicit=explicit).path.absolute()
    except EtcdNotFound as error:
        raise PlaneError(f"{error}; or use `kctl envtest --embedded`, which needs none") from error
    except EtcdUnusable as error:
        raise PlaneError(str(error)) from error


def _write(path: Path, program: str) -> None:
    """A program of this Python's. Where its name is no first line of a script's, a shell finds it."""
    interpreter = sys.executable
    if len(interpreter) > _LONGEST_INTERPRETER or " " in interpreter:
        first = f"#!/bin/sh\n'''exec' {shlex.quote(interpreter)} -P \"$0\" \"$@\"\n' '''\n"
    else:
        first = f"#!{interpreter} -P\n"
    content = f"{first}import sys\n\n{program}"
    if _is_there(path, content):
        return
    temporary = _temporary(path)
    write_atomically(temporary, content.encode())
    temporary.chmod(0o755)
    temporary.replace(path)


def _is_there(path: Path, content: str) -> bool:
    try:
        return not path.is_symlink() and path.read_text("utf-8") == content and os.access(path, os.X_OK)
    except (OSError, UnicodeDecodeError):
        return False


def _link(path: Path, target: Path) -> None:
    if path.is_symlink() and path.readlink() == target:
        return
    temporary = _temporary(path)
    temporary.unlink(missing_ok=True)
    temporary.symlink_to(target)
    temporary.replace(path)


def _temporary(path: Path) -> Path:
    """Nobody else's."""
    return path.with_name(f".{path.name}-{os.getpid()}")
