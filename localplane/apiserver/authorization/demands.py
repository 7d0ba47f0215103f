"""What everybody has asked for so far, whether he may or not: enough to say which permissions somebody needs.

Unlike a log it forgets nothing, so it holds no request twice: the same user, verb, resource and namespace are one
Demand, which counts. What is new beyond the bounds is only counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Final

from .interface import Attributes, Authorizer, Decision

_MOST_OF_ONE: Final = 10_000
_MOST: Final = 50_000
_MOST_NAMES: Final = 256
_MOST_NAMES_OF_ALL: Final = 100_000
_LONGEST: Final = 1024


class Demand:
    """Something that a user has asked for: a verb on a resource in a namespace, or on a path. `names` are those of the
    objects, None if there were too many of them; `unnamed` tells that it was asked without a name, too."""

    __slots__ = ("count", "group", "names", "namespace", "path", "resource", "subresource", "unnamed", "verb")

    def __init__(self, asked: Attributes) -> None:
        self.verb = asked.verb
        self.group = asked.group
        self.resource = asked.resource
        self.subresource = asked.subresource
        self.namespace = asked.namespace
        self.path = "" if asked.is_resource else asked.path
        self.count = 0
        self.names: set[str] | None = set()
        self.unnamed = False

    def copy(self) -> Demand:
        twin = copy(self)
        twin.names = None if self.names is None else set(self.names)
        return twin


class Demands:
    def __init__(self) -> None:
        self._by_user: dict[str, dict[tuple[str, ...], Demand]] = {}
        self._count = 0
        self._names = 0
        self.forgotten = 0

    def note(self, asked: Attributes) -> None:
        name = asked.name
        if asked.is_resource:
            key: tuple[str, ...] = (asked.verb, asked.group, asked.resource, asked.subresource, asked.namespace)
        else:
            key = (asked.verb, asked.path)
        try:
            demand = self._by_user[asked.user.name][key]
        except KeyError:
            found = self._begin(asked, key)
            if found is None:
                return
            demand = found
        demand.count += 1
        if not name:
            demand.unnamed = True
        elif demand.names is not None and name not in demand.names:
            self._add_name(demand, name)

    def _begin(self, asked: Attributes, key: tuple[str, ...]) -> Demand | None:
        of_user = self._by_user.get(asked.user.name)
        too_long = sum(map(len, (*key, asked.user.name))) > _LONGEST
        if too_long or self._count >= _MOST or (of_user is not None and len(of_user) >= _MOST_OF_ONE):
            self.forgotten += 1
            return None
        self._count += 1
        demand = self._by_user.setdefault(asked.user.name, {})[key] = Demand(asked)
        return demand

    def _add_name(self, demand: Demand, name: str) -> None:
        assert demand.names is not None
        if len(demand.names) >= _MOST_NAMES or self._names >= _MOST_NAMES_OF_ALL or len(name) > _LONGEST:
            self._names -= len(demand.names)
            demand.names = None
            return
        self._names += 1
        demand.names.add(name)

    def users(self) -> Sequence[str]:
        return sorted(self._by_user)

    def of(self, user: str) -> Sequence[Demand]:
        """As they are now: later requests don't change them. Nothing, if he has not asked for anything."""
        return [demand.copy() for demand in self._by_user.get(user, {}).values()]


class DemandingAuthorizer:
    """What it is asked counts as demanded: for those whose question is a part of what a request needs, and not for
    those who ask on somebody's behalf."""

    def __init__(self, authorizer: Authorizer, demands: Demands) -> None:
        self._authorizer = authorizer
        self._demands = demands

    async def authorize(self, attributes: Attributes) -> Decision:
        self._demands.note(attributes)
        return await self._authorizer.authorize(attributes)
