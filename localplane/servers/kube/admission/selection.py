"""From --enable-admission-plugins and --disable-admission-plugins to plugins in their order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from localplane.apiserver.admission import Plugin

from .namespace_lifecycle import NamespaceLifecycle

PLUGINS: Final[tuple[Callable[[], Plugin], ...]] = (NamespaceLifecycle,)
"""In the order in which they are asked."""

_OFF: Final[frozenset[str]] = frozenset()
"""Those that must be asked for."""


class UnknownPlugin(ValueError):
    def __init__(self, name: str) -> None:
        super().__init__(f"there is no admission plugin {name!r}; those there are: {', '.join(sorted(plugin_names()))}")


def plugin_names() -> tuple[str, ...]:
    return tuple(plugin().name for plugin in PLUGINS)


def select_plugins(*, enabled: Sequence[str] = (), disabled: Sequence[str] = ()) -> list[Plugin]:
    """Those that are on by default, more and less. What is both enabled and disabled is a contradiction."""
    made = [plugin() for plugin in PLUGINS]
    known = {plugin.name for plugin in made}
    for name in (*enabled, *disabled):
        if name not in known:
            raise UnknownPlugin(name)
    both = sorted(set(enabled) & set(disabled))
    if both:
        raise ValueError(f"{', '.join(both)} in enable-admission-plugins and disable-admission-plugins overlapped")
    on = (known - _OFF | set(enabled)) - set(disabled)
    return [plugin for plugin in made if plugin.name in on]
