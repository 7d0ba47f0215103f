"""Modules that are loaded when something in them is first used: a command pays for what it does, and imports stand at
the top of every file all the same.

`install` is called once, by `cli`, before anything else is imported. From then on a module of the command line's half
of this distribution, or one of the few of Python's own that are slow to load, is an empty module until somebody looks
for a name in it. So `from kctl.views import describe` costs next to nothing, and `describe.page(...)` loads it; `from
kctl.views.describe import page` loads it at once, which is right for what is needed anyway. Names that stand only in
annotations load nothing: `describe.Page` is never looked up.

Without `install` (in a library's process, in tests) all of these are ordinary imports, so nothing may depend on this
for its order: tests/architecture imports every module without it. Python 3.15 has `lazy import` (PEP 810), and that
is what this file becomes when it is the oldest Python we run on.
"""

from __future__ import annotations

import sys
from _thread import RLock
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from importlib.abc import Loader
    from typing import Any

_PACKAGES = (
    "kctl.",
    "localplane.apimachinery.",
    "localplane.apis.",
    "localplane.apiserver.storage.etcd.",  # which `kctl etcd` installs
    "localplane.cli.",
    "localplane.client.",
    "localplane.tls.",
)
# fmt: off
_SLOW = frozenset((
    "base64", "calendar", "copy", "datetime", "decimal", "difflib", "fnmatch",
    "getpass", "hashlib", "ipaddress", "json", "pathlib", "queue", "re", "secrets", "shutil", "signal", "socket",
    "subprocess", "tempfile", "textwrap", "threading", "traceback", "urllib.parse",
))
# fmt: on


class _Unloaded(ModuleType):
    """A module before its first use. Only names that it hasn't got come to `__getattr__`.

    Each has a lock of its own, which is held while its code runs. So a thread waits only for what it needs, as with
    ordinary imports, and two wait for one another only where modules import each other in a circle.
    """

    def __getattr__(self, name: str) -> object:
        if name in ("__path__", "__file__", "__cached__"):  # importlib asks before it sets them: that is no use of it
            raise AttributeError(name)
        with _lock(self):
            if type(self) is _Unloaded:
                _load(self)
            elif type(self) is _Loading:
                raise AttributeError(f"module {self.__name__!r} has no attribute {name!r} yet", name=name, obj=self)
        return getattr(self, name)


class _Loading(_Unloaded):
    """While its code runs. Who imports it in a circle finds what is there so far; other threads wait."""


def _lock(module: ModuleType) -> RLock:
    loader: Any = module.__spec__.loader  # type: ignore[union-attr]  # it came from `find_spec` below
    lock: RLock = loader.lock
    return lock


def _load(module: ModuleType) -> None:
    loader: Any = module.__spec__.loader  # type: ignore[union-attr]  # it came from `find_spec` below
    module.__loader__ = loader.loader
    module.__class__ = _Loading
    try:
        loader.loader.exec_module(module)
    except BaseException:
        module.__class__ = _Unloaded
        raise
    module.__class__ = ModuleType


def _load_unless_another_does(module: ModuleType) -> None:
    """For one who imports something, and must not wait: the other may be waiting for just that."""
    lock = _lock(module)
    if lock.acquire(blocking=False):
        try:
            if type(module) is _Unloaded:
                _load(module)
        finally:
            lock.release()


class _Loader:
    """Makes a module, and leaves it at that. For all other questions there is the `loader` that fills it."""

    def __init__(self, loader: Loader) -> None:
        self.loader = loader
        self.lock = RLock()

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return sys.modules.get(spec.name) or _Unloaded(spec.name)  # its package may have imported it meanwhile

    def exec_module(self, module: ModuleType) -> None:
        """At its first use."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self.loader, name)


class _Finder:
    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        if not name.startswith(_PACKAGES) and name not in _SLOW:
            return None
        package = sys.modules.get(name.rpartition(".")[0])
        if type(package) is _Unloaded:  # always before what is in it, or it would be loaded in the midst of that
            _load_unless_another_does(package)
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader)  # type: ignore[assignment]  # it is one, if no subclass
        return spec


def install() -> None:
    if _Finder not in sys.meta_path:
        sys.meta_path.insert(0, _Finder)


def is_loaded(module: ModuleType) -> bool:
    return type(module) is not _Unloaded
