"""The words after a verb: types, names, `type/name`, comma lists. Kubernetes: Builder.ResourceTypeOrNameArgs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kctl.errors import KctlError
from localplane.apimachinery.light_typing import NamedTuple

_NO_NEED = (
    "there is no need to specify a resource type as a separate argument when passing arguments in resource/name form "
    "(e.g. 'kctl get resource/<resource_name>' instead of 'kctl get resource resource/<resource_name>'"
)


class Words(NamedTuple):
    """Either `pairs` of type and name, or `types` with or without `names`."""

    pairs: tuple[tuple[str, str], ...] = ()
    types: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


def read(arguments: Sequence[str], expand: Callable[[str], str]) -> Words:
    """`expand` makes a list of types of a category (`all`), and leaves everything else as it is."""
    words = _one_by_one(list(arguments))
    slashes = sum("/" in word for word in words)
    if slashes:
        if slashes != len(words):
            raise KctlError(_NO_NEED)
        return Words(pairs=tuple(_pair(word) for word in words))
    if not words:
        return Words()
    types = ",".join(expand(one) for one in words[0].split(","))
    return Words(types=_split(types), names=tuple(words[1:]))


def named(resource: str, names: Sequence[str]) -> list[str]:
    """Names of one type, each of which may say that it is of another. Kubernetes: Builder.ResourceNames."""
    return [name if "/" in name else f"{resource}/{name}" for name in names]


def has_names(arguments: Sequence[str]) -> bool:
    """Whether single objects are named, not whole types."""
    words = _one_by_one(list(arguments))
    return any("/" in word for word in words) or len(words) > 1


def _split(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text.split(",")))


def _one_by_one(words: list[str]) -> list[str]:
    """`cm,secret a b` is cm/a cm/b secret/a secret/b."""
    if len(words) > 1 and len(types := _split(words[0])) > 1:
        return [f"{one}/{name}" for one in types for name in words[1:]]
    return words


def _pair(word: str) -> tuple[str, str]:
    parts = word.split("/")
    if len(parts) != 2:
        raise KctlError("arguments in resource/name form may not have more than one slash")
    if not parts[0] or not parts[1] or len(_split(parts[0])) != 1:
        raise KctlError("arguments in resource/name form must have a single resource and name")
    return parts[0], parts[1]
