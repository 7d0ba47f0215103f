"""What a plugin looks like."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Protocol, runtime_checkable

from localplane.apimachinery.groups import GroupResource
from localplane.apiserver.request import User

from .attributes import Attributes, Operation


class Plugin(Protocol):
    """`name` is what --enable-admission-plugins and messages call it."""

    @property
    def name(self) -> str: ...

    @property
    def operations(self) -> Collection[Operation]:
        """It is asked about these only."""


@runtime_checkable
class MutatingPlugin(Protocol):
    async def admit(self, attributes: Attributes) -> None:
        """Runs on every attempt of a write, before defaulting is validated; may change `attributes.object`.
        Raises an APIError to refuse."""


@runtime_checkable
class ValidatingPlugin(Protocol):
    async def validate(self, attributes: Attributes) -> None:
        """Runs last, on the finished object; changes nothing. Raises an APIError to refuse."""


@runtime_checkable
class Selective(Protocol):
    def concerns(self, operation: Operation, resource: GroupResource) -> bool:
        """Whether it has a say in such writes at all. Asked once for each, so that others cost nothing."""


@runtime_checkable
class Dormant(Protocol):
    def is_dormant(self) -> bool:
        """Whether it has no say in anything at the moment, because nothing is configured. Asked before every write,
        so that those that nobody else is asked about cost no more than that."""


@runtime_checkable
class Personal(Protocol):
    def is_about(self, user: User | None) -> bool:
        """Whether it has a say in what this user writes. Asked before every write, as the dormant are; if others are
        asked anyway, so is it."""


@runtime_checkable
class Doorkeeper(MutatingPlugin, Protocol):
    def may_enter(self, namespace: str) -> bool:
        """Whether something may still be created in a namespace. Asked again right before the write, after everybody
        else has been: it must not wait, and it must know all that this server has written. If not, `admit` is asked
        once more, and says why."""


@runtime_checkable
class Initializer(Protocol):
    def initialize(self, provided: Any) -> None:
        """Runs once, before the server serves: `provided` has what the server gives to plugins (informers, a
        client). A plugin that can't start without something it lacks raises."""


@runtime_checkable
class Closing(Protocol):
    async def close(self) -> None:
        """Runs once, after the server has answered its last request: what was opened is closed. Must not raise."""
