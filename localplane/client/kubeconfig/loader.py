"""Which files there are, and how several become one: of two entries with the same name, the first file's counts."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Callable, Mapping, Sequence

from localplane.apimachinery.light_typing import TYPE_CHECKING
from localplane.apimachinery.records import replace
from localplane.client.errors import ConfigError

from .decoder import parse
from .model import Cluster, Kubeconfig, User

if TYPE_CHECKING:
    from pathlib import Path


def default_paths(environment: Mapping[str, str] | None = None) -> tuple[pathlib.Path, ...]:
    """The files of $KUBECONFIG, or ~/.kube/config."""
    return tuple(map(pathlib.Path, _file_names(os.environ if environment is None else environment)))


def _file_names(environment: Mapping[str, str]) -> tuple[str, ...]:
    if listed := environment.get("KUBECONFIG", ""):
        return tuple(dict.fromkeys(name for name in listed.split(os.pathsep) if name))
    home = environment.get("HOME") or os.path.expanduser("~")
    return (os.path.join(home, ".kube", "config"),)


def load(
    explicit: Path | str | None = None,
    *,
    environment: Mapping[str, str] | None = None,
    warn: Callable[[str], None] | None = None,
) -> Kubeconfig:
    """All files merged, with absolute paths inside.

    An explicit file must exist; of $KUBECONFIG's files some may be missing, and `warn` hears when all of them are.
    Raises ConfigError.
    """
    environment = os.environ if environment is None else environment
    if explicit is not None and not os.path.exists(explicit):
        raise ConfigError(f"stat {explicit}: no such file or directory")
    paths = _file_names(environment) if explicit is None else (os.fspath(explicit),)
    found, problems = _read_all(paths)
    if problems:
        raise ConfigError(problems[0] if len(problems) == 1 else f"[{', '.join(problems)}]")
    if not found and explicit is None and environment.get("KUBECONFIG") and warn is not None:
        warn(f"Config not found: {', '.join(paths)}")
    return _merge(found)


def _read_all(paths: Sequence[str]) -> tuple[list[Kubeconfig], list[str]]:
    found, problems = [], []
    for path in paths:
        try:
            found.append(load_file(path))
        except FileNotFoundError:
            continue
        except OSError as error:
            doing = "read" if isinstance(error, IsADirectoryError) else "open"
            problems.append(f'error loading config file "{path}": {doing} {path}: {(error.strerror or "").lower()}')
        except ConfigError as error:
            problems.append(f'error loading config file "{path}": {error}')
    return found, problems


def load_file(path: Path | str) -> Kubeconfig:
    """One file, with its paths made absolute: they are relative to the file. Raises OSError and ConfigError."""
    with open(path, "rb") as file:
        config = parse(file.read())
    base = os.path.dirname(os.path.abspath(path))
    return replace(
        config,
        clusters={name: _absolute_cluster(cluster, base) for name, cluster in config.clusters.items()},
        users={name: _absolute_user(user, base) for name, user in config.users.items()},
    )


def _absolute_cluster(cluster: Cluster, base: str) -> Cluster:
    return replace(cluster, certificate_authority=_absolute(cluster.certificate_authority, base))


def _absolute_user(user: User, base: str) -> User:
    plugin = user.exec
    if plugin is not None and os.sep in plugin.command:  # without one it is looked up in $PATH
        plugin = replace(plugin, command=_absolute(plugin.command, base))
    return replace(
        user,
        client_certificate=_absolute(user.client_certificate, base),
        client_key=_absolute(user.client_key, base),
        token_file=_absolute(user.token_file, base),
        exec=plugin,
    )


def _absolute(name: str, base: str) -> str:
    return os.path.normpath(os.path.join(base, name)) if name else ""


def _merge(configs: Sequence[Kubeconfig]) -> Kubeconfig:
    later_first = configs[::-1]
    return Kubeconfig(
        clusters={name: entry for config in later_first for name, entry in config.clusters.items()},
        users={name: entry for config in later_first for name, entry in config.users.items()},
        contexts={name: entry for config in later_first for name, entry in config.contexts.items()},
        current_context=next((config.current_context for config in configs if config.current_context), ""),
        extensions={name: entry for config in later_first for name, entry in config.extensions.items()},
    )
