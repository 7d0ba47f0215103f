"""All plugins in their order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from localplane.apimachinery.errors import ServiceUnavailable
from localplane.apimachinery.groups import GroupResource
from localplane.apiserver.request import User

from .attributes import Attributes, Operation
from .entrances import Entrances
from .plugin import Doorkeeper, Dormant, Initializer, MutatingPlugin, Personal, Plugin, Selective, ValidatingPlugin

_LOOKS: Final = 10
"""How often it may happen that a namespace is shut at the last look, and open again when somebody says why."""


class _Sleepers(NamedTuple):
    """Whether anybody is awake: `always`, or as long as one of these is, or for some users."""

    always: bool
    sometimes: tuple[Dormant, ...]
    for_some: tuple[Personal, ...]

    @classmethod
    def among(cls, plugins: Sequence[object]) -> _Sleepers:
        sometimes = tuple(plugin for plugin in plugins if isinstance(plugin, Dormant))
        for_some = tuple(plugin for plugin in plugins if isinstance(plugin, Personal))
        return cls(len(sometimes) + len(for_some) < len(plugins), sometimes, for_some)

    def are_awake(self, user: User | None) -> bool:
        # Mostly there is nobody to ask, and an `any` of nobody takes as long as the rest of this.
        return (
            self.always
            or (bool(self.sometimes) and any(not plugin.is_dormant() for plugin in self.sometimes))
            or (bool(self.for_some) and any(plugin.is_about(user) for plugin in self.for_some))
        )


class _Asked(NamedTuple):
    """Who has a say in one kind of write."""

    mutating: tuple[MutatingPlugin, ...]
    validating: tuple[ValidatingPlugin, ...]
    mutators: _Sleepers
    validators: _Sleepers


class AdmissionChain:
    """Sorted by operation and resource once, so that a write that nobody asks about costs a dictionary look-up."""

    def __init__(self, plugins: Sequence[Plugin] = ()) -> None:
        names = [plugin.name for plugin in plugins]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"admission plugins are registered twice: {', '.join(twice)}")
        self.plugins = tuple(plugins)
        self.entrances = Entrances()
        self._doorkeepers = tuple(plugin for plugin in plugins if isinstance(plugin, Doorkeeper))
        self._asked: dict[tuple[Operation, GroupResource], _Asked] = {}

    def initialize(self, provided: Any) -> None:
        for plugin in self.plugins:
            if isinstance(plugin, Initializer):
                plugin.initialize(provided)

    def handles(self, operation: Operation, resource: GroupResource, user: User | None = None) -> bool:
        asked = self._about(operation, resource)
        return asked.mutators.are_awake(user) or asked.validators.are_awake(user)

    def mutates(self, operation: Operation, resource: GroupResource, user: User | None = None) -> bool:
        return self._about(operation, resource).mutators.are_awake(user)

    def validates(self, operation: Operation, resource: GroupResource, user: User | None = None) -> bool:
        return self._about(operation, resource).validators.are_awake(user)

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

    @property
    def keeps_doors(self) -> bool:
        """Whether there is a last look before something is created in a namespace."""
        return bool(self._doorkeepers)

    async def enter(self, attributes: Callable[[], Attributes], namespace: str) -> None:
        """The last look. Whoever passes it is on the last step, and says so when it is over (`entrances.leave`)."""
        for _ in range(_LOOKS):
            refusing = next((each for each in self._doorkeepers if not each.may_enter(namespace)), None)
            if refusing is None:
                self.entrances.enter(namespace)
                return
            await refusing.admit(attributes())
        raise ServiceUnavailable(f"nobody can tell what becomes of namespace {namespace}", retry_after_seconds=1)

    def _about(self, operation: Operation, resource: GroupResource) -> _Asked:
        found = self._asked.get((operation, resource))
        if found is None:
            concerned = [plugin for plugin in self.plugins if _concerns(plugin, operation, resource)]
            mutating = tuple(plugin for plugin in concerned if isinstance(plugin, MutatingPlugin))
            validating = tuple(plugin for plugin in concerned if isinstance(plugin, ValidatingPlugin))
            found = self._asked[operation, resource] = _Asked(
                mutating, validating, _Sleepers.among(mutating), _Sleepers.among(validating)
            )
        return found


def _concerns(plugin: Plugin, operation: Operation, resource: GroupResource) -> bool:
    if operation not in plugin.operations:
        return False
    return not isinstance(plugin, Selective) or plugin.concerns(operation, resource)
