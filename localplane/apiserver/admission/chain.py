"""All plugins in their order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .attributes import Attributes, Operation
from .plugin import Initializer, MutatingPlugin, Plugin, ValidatingPlugin


class AdmissionChain:
    """Sorted by operation once, so that a write that nobody asks about costs a dictionary look-up."""

    def __init__(self, plugins: Sequence[Plugin] = ()) -> None:
        names = [plugin.name for plugin in plugins]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"admission plugins are registered twice: {', '.join(twice)}")
        self.plugins = tuple(plugins)
        self._mutating = {
            operation: [p for p in plugins if operation in p.operations and isinstance(p, MutatingPlugin)]
            for operation in Operation
        }
        self._validating = {
            operation: [p for p in plugins if operation in p.operations and isinstance(p, ValidatingPlugin)]
            for operation in Operation
        }

    def initialize(self, provided: Any) -> None:
        for plugin in self.plugins:
            if isinstance(plugin, Initializer):
                plugin.initialize(provided)

    def handles(self, operation: Operation) -> bool:
        return bool(self._mutating[operation] or self._validating[operation])

    async def admit(self, attributes: Attributes) -> None:
        for plugin in self._mutating[attributes.operation]:
            await plugin.admit(attributes)

    async def validate(self, attributes: Attributes) -> None:
        for plugin in self._validating[attributes.operation]:
            await plugin.validate(attributes)
