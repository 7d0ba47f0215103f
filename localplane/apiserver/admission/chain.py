"""All plugins in their order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from localplane.apimachinery.groups import GroupResource

from .attributes import Attributes, Operation
from .plugin import Initializer, MutatingPlugin, Plugin, Selective, ValidatingPlugin


class _Asked(NamedTuple):
    """Who has a say in one kind of write."""

    mutating: tuple[MutatingPlugin, ...]
    validating: tuple[ValidatingPlugin, ...]


class AdmissionChain:
    """Sorted by operation and resource once, so that a write that nobody asks about costs a dictionary look-up."""

    def __init__(self, plugins: Sequence[Plugin] = ()) -> None:
        names = [plugin.name for plugin in plugins]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"admission plugins are registered twice: {', '.join(twice)}")
        self.plugins = tuple(plugins)
        self._asked: dict[tuple[Operation, GroupResource], _Asked] = {}

    def initialize(self, provided: Any) -> None:
        for plugin in self.plugins:
            if isinstance(plugin, Initializer):
                plugin.initialize(provided)

    def handles(self, operation: Operation, resource: GroupResource) -> bool:
        asked = self._about(operation, resource)
        return bool(asked.mutating or asked.validating)

    def mutates(self, operation: Operation, resource: GroupResource) -> bool:
        return bool(self._about(operation, resource).mutating)

    def validates(self, operation: Operation, resource: GroupResource) -> bool:
        return bool(self._about(operation, resource).validating)

    async def admit(self, attributes: Attributes) -> None:
        plugins = self._about(attributes.operation, attributes.resource).mutating
        for plugin in plugins:
            await plugin.admit(attributes)
        if attributes.reinvocation.is_wanted:
            attributes.reinvocation.is_running = True
            for plugin in plugins:
                await plugin.admit(attributes)

    async def validate(self, attributes: Attributes) -> None:
        for plugin in self._about(attributes.operation, attributes.resource).validating:
            await plugin.validate(attributes)

    def _about(self, operation: Operation, resource: GroupResource) -> _Asked:
        found = self._asked.get((operation, resource))
        if found is None:
            concerned = [plugin for plugin in self.plugins if _concerns(plugin, operation, resource)]
            found = self._asked[operation, resource] = _Asked(
                tuple(plugin for plugin in concerned if isinstance(plugin, MutatingPlugin)),
                tuple(plugin for plugin in concerned if isinstance(plugin, ValidatingPlugin)),
            )
        return found


def _concerns(plugin: Plugin, operation: Operation, resource: GroupResource) -> bool:
    if operation not in plugin.operations:
        return False
    return not isinstance(plugin, Selective) or plugin.concerns(operation, resource)
