"""Lists with a limit, and lists whose items differ. Of one that is too long nothing else is said.

Kubernetes: pkg/apis/resource/validation, validateSlice, validateSet and validateMap.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, duplicate, too_many

Rule = Callable[[Any, Path], Iterable[FieldError]]
KeyOf = Callable[[Any], Any]

_KEY_MIN = 16


def slice_errors(items: Sequence[Any], limit: int, rule: Rule, path: Path) -> Iterator[FieldError]:
    if len(items) > limit:
        yield too_many(path, len(items), limit)
        return
    for index, item in enumerate(items):
        yield from rule(item, path[index])


def set_errors(
    items: Sequence[Any], limit: int, rule: Rule, key_of: KeyOf, path: Path, *, shows_key: bool = False
) -> Iterator[FieldError]:
    """A duplicate shows all of the item, as tags declare it, or only its key. A limit below 0 is none."""
    if 0 <= limit < len(items):
        yield too_many(path, len(items), limit)
        return
    for index, item in enumerate(items):
        yield from rule(item, path[index])
    seen = set()
    for index, item in enumerate(items):
        key = key_of(item)
        if key in seen:
            yield duplicate(path[index], key if shows_key else item)
        seen.add(key)


def name_of(item: Mapping[str, Any]) -> str:
    return item.get("name") or ""


def itself(item: Any) -> Any:
    return item


def map_errors(
    items: Mapping[str, Any], limit: int, key_rule: Rule, rule: Rule, path: Path, *, key_max: int
) -> Iterator[FieldError]:
    """What is wrong with a key is said of the map. A limit below 0 is none."""
    if 0 <= limit < len(items):
        yield too_many(path, len(items), limit)
        return
    for key in sorted(items):
        yield from key_rule(key, path)
        yield from rule(items[key], path[_shortened(key, key_max)])


def _shortened(key: str, limit: int) -> str:
    limit = max(limit, _KEY_MIN)
    if len(key) <= limit:
        return key
    rest = limit - len("...")
    return f"{key[: (rest + 1) // 2]}...{key[len(key) - rest // 2 :]}"
