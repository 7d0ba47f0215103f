"""Changing a kubeconfig file as its other users expect it: under the lock that kubectl and kind take, all or nothing,
and with every key that nobody here knows still in it.

Kubernetes: client-go/tools/clientcmd, config.go (PathOptions.GetDefaultFilename, ModifyConfig), loader.go (lockFile).
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.serializers.errors import SerializationError
from localplane.apimachinery.serializers.yaml import parse_yaml
from localplane.apimachinery.serializers.yaml_writer import to_yaml
from localplane.client.errors import ConfigError
from localplane.files import write_atomically

from .fields import KINDS, checked, completed
from .loader import default_paths

_WAIT_FOR_LOCK = 3.0


def file_to_edit(explicit: Path | None = None, *, environment: Mapping[str, str] | None = None) -> Path:
    """Where new entries go: of several files in $KUBECONFIG the first that exists, or the last if none does."""
    if explicit is not None:
        return explicit
    paths = default_paths(environment)
    return next((path for path in paths if path.exists()), paths[-1])


def edit(path: Path, change: Callable[[JSONObject], None]) -> None:
    """Read the file, let `change` have its way with the document, and replace the file if anything is different.

    A link is followed, and what it leads to is replaced. The new file is its owner's alone. Raises ConfigError.
    """
    real = path.resolve() if path.is_symlink() else path
    try:
        real.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _locked(real):
            document = _read(real)
            before = to_yaml(completed(document, unknown=True))
            change(document)
            after = to_yaml(completed(document, unknown=True))
            if after != before:
                write_atomically(real, after, shared=True)
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise ConfigError(f"open {error.filename or path}: {why}") from error


def _read(path: Path) -> JSONObject:
    try:
        found = path.stat()
    except FileNotFoundError:
        return _with_lists({})
    if not stat.S_ISREG(found.st_mode):
        raise ConfigError(f"{path} is no ordinary file")
    if not os.access(path, os.W_OK):
        raise ConfigError(f"open {path}: permission denied")
    try:
        document = checked(parse_yaml(path.read_bytes()).value)
    except (SerializationError, ConfigError) as error:
        raise ConfigError(f'error loading config file "{path}": {error}') from error
    return _with_lists(document)


def _with_lists(document: JSONObject) -> JSONObject:
    """Whoever changes it need not ask whether they are there."""
    for name in KINDS:
        document[name] = document.get(name) or []
    return document


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    lock = path.with_name(f"{path.name}.lock")
    give_up = time.monotonic() + _WAIT_FOR_LOCK
    while not _taken(lock):
        if time.monotonic() > give_up:
            raise ConfigError(f"open {lock}: file exists")
        time.sleep(0.02)
    try:
        yield
    finally:
        lock.unlink(missing_ok=True)


def _taken(lock: Path) -> bool:
    with suppress(FileExistsError):
        os.close(os.open(lock, os.O_CREAT | os.O_EXCL, 0o600))
        return True
    return False
