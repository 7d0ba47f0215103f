"""A difference between two answers: where it is, to which group it belongs, and the smallest request that shows it."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from tests.differential.normalising import normalised
from tests.differential.servers import NO_ANSWER, Reply, Step

_QUOTED: Final = re.compile(r'\\?"(?:[^"\\]|\\.)*?\\?"')
_NUMBER: Final = re.compile(r"-?\d+(\.\d+)?(e\+?\d+)?")
_INDEX: Final = re.compile(r"\[\d+\]")
_LONGEST: Final = 160
_MOST_TRIES: Final = 40

Compare = Callable[[Step], Awaitable["Difference | None"]]


@dataclass(frozen=True, slots=True)
class Difference:
    """`place` is where in the answer, and `peer` and `ours` what stands there."""

    step: Step
    place: str
    peer: Any
    ours: Any

    @property
    def group(self) -> str:
        """Differences of one kind have one name, whatever the values are."""
        place = _INDEX.sub("[]", self.place)
        return f"{self.step.method} {place}: {_skeleton(self.peer)} | {_skeleton(self.ours)}"


def difference(step: Step, peer: Reply, ours: Reply) -> Difference | None:
    """The first one, in the order in which a reader cares: the code, what is said of it, the rest, the headers. A peer
    that cuts the connection, as Kubernetes' does when it panics, is no model."""
    if peer.status == NO_ANSWER:
        return None
    peer, ours = normalised(peer), normalised(ours)
    if peer == ours:
        return None
    if peer.status != ours.status:
        told = [f"{reply.status} {_message(reply)}" for reply in (peer, ours)]
        return Difference(step, "code", *told)
    if isinstance(peer.value, dict) and peer.value.get("kind") == "Status" and _message(peer) != _message(ours):
        return Difference(step, "message", _message(peer), _message(ours))
    place = next(_places(peer.value, ours.value, ""), None)
    if place is None:
        return Difference(step, "headers", list(peer.headers), list(ours.headers))
    return Difference(step, *place)


def _message(reply: Reply) -> str:
    if isinstance(reply.value, dict) and reply.value.get("kind") == "Status":
        return str(reply.value.get("message", ""))
    return "" if reply.status < 400 else str(reply.value)[:_LONGEST]


def _places(peer: Any, ours: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(peer, dict) and isinstance(ours, dict):
        for key in dict.fromkeys((*peer, *ours)):
            yield from _places(peer.get(key, "<none>"), ours.get(key, "<none>"), f"{path}.{key}")
    elif isinstance(peer, list) and isinstance(ours, list) and len(peer) == len(ours):
        for index, (one, other) in enumerate(zip(peer, ours, strict=True)):
            yield from _places(one, other, f"{path}[{index}]")
    elif peer != ours or type(peer) is not type(ours):
        yield path, peer, ours


def _skeleton(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return _NUMBER.sub("N", _QUOTED.sub("…", text))[:_LONGEST]


async def minimised(found: Difference, compare: Compare) -> Difference:
    """The same difference with less in the request's body, as far as a number of tries goes. Nothing is written by
    them."""
    step = replace(found.step, query=(*(pair for pair in found.step.query if pair[0] != "dryRun"), ("dryRun", "All")))
    if step.method not in ("POST", "PUT", "PATCH") or not isinstance(step.body, dict | list):
        return found
    smallest, tries, is_smaller = found, 0, True
    while is_smaller and tries < _MOST_TRIES:
        is_smaller = False
        for body in _smaller(smallest.step.body):
            tries += 1
            tried = await compare(replace(step, body=body))
            if tried is not None and tried.group == found.group:
                smallest, is_smaller = tried, True
                break
            if tries >= _MOST_TRIES:
                break
    return smallest


def _smaller(body: Any) -> Iterator[Any]:
    """The body without one of its parts, the largest first."""
    paths = sorted(_paths(body, ()), key=len)
    for path in paths:
        if path in (("apiVersion",), ("kind",), ("metadata",), ("metadata", "name")):
            continue
        result = copy.deepcopy(body)
        holder = result
        for key in path[:-1]:
            holder = holder[key]
        del holder[path[-1]]
        yield result


def _paths(value: Any, path: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in entries:
        yield (*path, key)
        yield from _paths(item, (*path, key))
