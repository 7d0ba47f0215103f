"""What somebody may do to an object: leave a field out, repeat one, misspell it, or put another value there.

Half of the changes follow the schema, so that most of them are sensible: fields that the sample leaves out come in.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from localplane.apimachinery.schema import Node

_TEXTS: Final = (
    *("", "a", "A", "x" * 64, "x" * 254, "a.b", "a/b", "a b", "-a", "a-", "1", "-1", "1.5", "true", "null", "é", "a_b"),
    *("10.0.0.1", "::1", "http://a", "1Gi", "100m", "2026-01-02T03:04:05Z", "*", "a,b", "$(A)", "../a", "a\nb", " a"),
)
_NUMBERS: Final = (0, 1, -1, 2, 80, 65535, 65536, 2**31 - 1, 2**31, 2**63 - 1, -(2**63), 1.5, 1e20)
_OTHERS: Final[tuple[Any, ...]] = (None, True, False, [], {}, [None], {"a": None}, [[]], {"": ""})
_CODECS: Final = {
    "time": ("2026-01-02T03:04:05Z", "yesterday", None),
    "microTime": ("2026-01-02T03:04:05.000000Z", "2026-01-02T03:04:05Z"),
    "duration": ("1s", "1h30m", "1"),
    "quantity": ("1", "100m", "1Gi", "1.5e3", "-1", "0", "1Zi"),
    "intOrString": (1, "http", "50%", "", -1),
    "rawJSON": ({"a": 1}, [1]),
}
_SERVER_FIELDS: Final = frozenset({"managedFields", "creationTimestamp", "deletionTimestamp", "uid", "selfLink"})
_DEEPEST: Final = 5


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a value stands in its object: what holds it, under which key, and the schema of both, if there is one."""

    holder: Any
    key: Any
    node: Node | None
    holder_node: Node | None

    @property
    def value(self) -> Any:
        return self.holder[self.key]


def spots(value: Any, node: Node | None) -> Iterator[Spot]:
    """All of them, but for what says what the object is and how it is called."""
    node = node.load() if node is not None else None
    if isinstance(value, dict):
        entries: list[tuple[Any, Any]] = list(value.items())
    elif isinstance(value, list):
        entries = list(enumerate(value))
    else:
        return
    for key, item in entries:
        below = child_of(node, key)
        yield Spot(value, key, below, node)
        yield from spots(item, below)


def child_of(node: Node | None, key: Any) -> Node | None:
    if node is None:
        return None
    if isinstance(key, int):
        return node.items
    found = node.properties.get(key)
    return found.node if found is not None else node.values


def mutated(obj: Any, node: Node | None, chance: random.Random, times: int) -> Any:
    """A copy that was changed so often. Its name and type stay, most of the time."""
    result = copy.deepcopy(obj)
    for _ in range(times):
        candidates = [spot for spot in spots(result, node) if _may_change(result, spot, chance)]
        if candidates:
            chance.choice(_CHANGES)(chance.choice(candidates), chance)
    return result


def _may_change(obj: Any, spot: Spot, chance: random.Random) -> bool:
    if spot.holder is obj and spot.key in ("apiVersion", "kind", "metadata"):
        return chance.random() < 0.02
    is_name = isinstance(obj, dict) and spot.holder is obj.get("metadata") and spot.key in ("name", "namespace")
    return not is_name or chance.random() < 0.1


def _leave_out(spot: Spot, _chance: random.Random) -> None:
    del spot.holder[spot.key]


def _replace(spot: Spot, chance: random.Random) -> None:
    spot.holder[spot.key] = chance.choice((chance.choice(_TEXTS), chance.choice(_NUMBERS), chance.choice(_OTHERS)))


def _fit(spot: Spot, chance: random.Random) -> None:
    """Another value of the type that belongs there."""
    spot.holder[spot.key] = made(spot.node, chance)


def _repeat(spot: Spot, chance: random.Random) -> None:
    if isinstance(spot.holder, list):
        spot.holder.append(copy.deepcopy(spot.value))
    else:
        _fit(spot, chance)


def _add_field(spot: Spot, chance: random.Random) -> None:
    """One that the type has and the object has not."""
    holder, node = (spot.value, spot.node) if isinstance(spot.value, dict) else (spot.holder, spot.holder_node)
    if not isinstance(holder, dict):
        return
    node = node.load() if node is not None else None
    missing = [name for name in node.properties if name not in holder] if node is not None else []
    missing = [name for name in missing if name not in _SERVER_FIELDS]
    if missing and node is not None:
        name = chance.choice(missing)
        holder[name] = made(node.properties[name].node, chance)
    elif node is None or node.values is not None:
        holder[chance.choice(_TEXTS)] = made(node.values if node is not None else None, chance)


def _misspell(spot: Spot, chance: random.Random) -> None:
    if isinstance(spot.holder, dict):
        name = chance.choice((f"{spot.key}s", str(spot.key).title(), f"x{spot.key}"))
        spot.holder[name] = spot.holder.pop(spot.key)


Change = Callable[[Spot, random.Random], None]
_CHANGES: Final[tuple[Change, ...]] = (
    *(_leave_out, _replace, _fit, _fit, _repeat),
    *(_add_field, _add_field, _add_field, _add_field, _misspell),
)


def made(node: Node | None, chance: random.Random, depth: int = 0) -> Any:
    """A value of a type: what it requires, and a few of its other fields."""
    if node is None:
        return chance.choice(_TEXTS)
    node = node.load()
    if node.limits.enum and chance.random() < 0.8:
        return chance.choice(node.limits.enum)
    match node.shape:
        case "struct":
            return _made_struct(node, chance, depth)
        case "map":
            keys = chance.sample(("a", "b", "example.com/c", "A B"), chance.randint(0, 2))
            return {key: made(node.values, chance, depth + 1) for key in keys}
        case "list":
            count = chance.choice((0, 1, 1, 2)) if depth < _DEEPEST else 0
            return [made(node.items, chance, depth + 1) for _ in range(count)]
        case "integer" | "number":
            return chance.choice(_NUMBERS[:-2])
        case "boolean":
            return chance.choice((True, False))
        case "bytes":
            return chance.choice(("YQ==", "", "?"))
        case "codec" if node.codec is not None:
            return chance.choice(_CODECS.get(node.codec.name, (None,)))
        case "int-or-string":
            return chance.choice(_CODECS["intOrString"])
    return chance.choice(_TEXTS)


def _made_struct(node: Node, chance: random.Random, depth: int) -> dict[str, Any]:
    names = [name for name in node.properties if name not in _SERVER_FIELDS]
    wanted = [name for name in node.required if name in node.properties and chance.random() < 0.9]
    if depth < _DEEPEST:
        wanted += chance.sample(names, min(len(names), chance.randint(0, 2)))
    return {name: made(node.properties[name].node, chance, depth + 1) for name in dict.fromkeys(wanted)}
