"""The clusters of one pytest process: one that is prepared for each kind that tests ask for, and the branches of it
that the tests get."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any, Final

import pytest

from localplane.compose.options import StorageKind

from .blocking import Cluster, LoopThread
from .manifests import Manifests
from .opening import Settings, storage_kind
from .reports import event_lines

ROOT_CA: Final = "kube-root-ca.crt"
_PATHS: Final = ("crds", "manifests")
_LISTS: Final = ("controllers", "enabled_admission_plugins", "disabled_admission_plugins", *_PATHS)
_NAMES: Final = tuple(field.name for field in fields(Settings))


class Session:
    """All clusters live in one thread. Nothing is opened before somebody asks for it."""

    def __init__(self, config: pytest.Config) -> None:
        self._configured = _configured(config)
        self._root = config.rootpath
        self._stack = ExitStack()
        self._thread: LoopThread | None = None
        self._templates: dict[str, Cluster] = {}
        self._open: set[int] = set()

    def close(self) -> None:
        self._stack.close()
        if self._templates:
            gc.unfreeze()
        self._templates.clear()
        self._thread = None

    def template(self, settings: Settings | None = None) -> Cluster:
        """The one that clusters with these settings are branched from."""
        settings = settings or self._configured
        key = repr(settings)
        if (known := self._templates.get(key)) is None:
            opened = self._stack.enter_context(self._running().holding(settings.opened()))
            known = self._templates[key] = Cluster(self._running(), opened)
            _settle(known, settings)
            gc.collect()
            gc.freeze()  # it stays to the end: no collection has to go through it for each test
        return known

    @contextmanager
    def cluster(self, item: pytest.Item) -> Iterator[Cluster]:
        """One for this test: a branch, or where the store is none in memory one that is started for it."""
        settings = self._settings_of(item)
        with ExitStack() as stack:
            if settings.storage is StorageKind.MEMORY:
                cluster = stack.enter_context(self.template(settings).branch(dict(settings.users)))
            else:
                opened = stack.enter_context(self._running().holding(settings.opened()))
                cluster = Cluster(self._running(), opened)
            self._open.add(id(cluster))
            stack.callback(self._open.discard, id(cluster))
            yield cluster

    def knows(self, cluster: object) -> bool:
        """Whether it is one of ours, and open."""
        return id(cluster) in self._open

    def story(self, cluster: Cluster) -> str:
        """What happened in a cluster, for a test that failed."""
        return "\n".join(("events:", *(event_lines(cluster.events()) or ["  none"])))

    def _running(self) -> LoopThread:
        if self._thread is None:
            self._thread = self._stack.enter_context(LoopThread())
        return self._thread

    def _settings_of(self, item: pytest.Item) -> Settings:
        """Those that are configured, with what markers say otherwise: the nearest counts."""
        said: dict[str, Any] = {}
        for node, marker in reversed(list(item.iter_markers_with_node("localplane"))):
            if marker.args:
                raise pytest.UsageError("the marker localplane takes names with values: localplane(nodes=0)")
            said |= {name: self._value(name, value, node) for name, value in marker.kwargs.items()}
        known = {name: getattr(self._configured, name) for name in _NAMES}
        return Settings(**(known | said)) if said else self._configured

    def _value(self, name: str, value: Any, node: Any) -> Any:
        if name not in _NAMES:
            raise pytest.UsageError(f"the marker localplane has no {name!r}: there are {', '.join(_NAMES)}")
        if name == "storage":
            return storage_kind(value)
        if name == "users":
            return tuple((user, tuple(groups)) for user, groups in value.items())
        if name in _PATHS:
            return tuple(_placed(each, node.path.parent, self._root) for each in _listed(value))
        return tuple(_listed(value)) if name in _LISTS else value


def _settle(cluster: Cluster, settings: Settings) -> None:
    """Until its controllers have done what they do in a fresh cluster: branches need not do it again."""
    if settings.controllers == ("*",):
        cluster.wait_for(f"cm/{ROOT_CA}", timeout=60)


def _listed(value: Any) -> Sequence[Any]:
    return (value,) if isinstance(value, str | Path | Mapping) else tuple(value)


def _placed(manifests: Any, *folders: Path) -> Manifests:
    """A path that names something in one of these folders; whatever else it is, as it is."""
    if isinstance(manifests, Path) or (isinstance(manifests, str) and "\n" not in manifests):
        for folder in folders:
            if (folder / manifests).exists():
                return folder / manifests
    found: Manifests = manifests
    return found


def _configured(config: pytest.Config) -> Settings:
    root = config.inipath.parent if config.inipath else config.rootpath
    text = {name: str(config.getini(f"localplane_{name}")).strip() for name in ("nodes", "seed", "storage")}
    try:
        users = [_user(line) for line in config.getini("localplane_users")]
        return Settings(
            storage=storage_kind(text["storage"] or StorageKind.MEMORY),
            nodes=int(text["nodes"]) if text["nodes"] else None,
            seed=int(text["seed"]) if text["seed"] else None,
            controllers=tuple(config.getini("localplane_controllers")) or ("*",),
            crds=tuple(_placed(each, root) for each in config.getini("localplane_crds")),
            manifests=tuple(_placed(each, root) for each in config.getini("localplane_manifests")),
            users=tuple(users),
        )
    except ValueError as error:
        raise pytest.UsageError(f"pytest's configuration of localplane: {error}") from error


def _user(line: str) -> tuple[str, tuple[str, ...]]:
    """The name may have colons and no equals sign: `ann=dev,ops`."""
    name, _, groups = line.partition("=")
    return name.strip(), tuple(group.strip() for group in groups.split(",") if group.strip())
