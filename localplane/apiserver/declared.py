"""Whether names and values of a declaration can be served: what `resource` asks of all that is declared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from localplane.apimachinery.names import dns1035_label, dns1123_subdomain
from localplane.apimachinery.schema import DeclarationError


def require(is_so: bool, otherwise: str, *values: object) -> None:  # noqa: FBT001 - a claim
    """Values are put into the sentence when somebody has to be told: some are large."""
    if not is_so:
        raise DeclarationError(otherwise.format(*values) if values else otherwise)


def require_once(what: str, names: Sequence[str]) -> None:
    twice = next((name for name, count in Counter(names).items() if count > 1), None)
    if twice is not None:
        raise DeclarationError(f"{what} {twice} is declared twice")


def check_label(key: str, name: Any) -> None:
    """A name that stands in paths: lower case, digits and dashes, a letter first."""
    require(isinstance(name, str), "{} is {!r}, which is no text", key, name)
    for why in dns1035_label(name):
        raise DeclarationError(f"{key} {name!r}: {why}")


def check_kind(key: str, kind: Any) -> None:
    """As definitions have it: it would be a name in a path if it were lower case."""
    require(isinstance(kind, str), "{} is {!r}, which is no text", key, kind)
    for why in dns1035_label(kind.lower()):
        raise DeclarationError(f"{key} {kind!r}, in lower case: {why}")


def check_group(name: Any) -> None:
    require(isinstance(name, str), "its name is {!r}, which is no text", name)
    for why in dns1123_subdomain(name) if name else ():
        raise DeclarationError(f"its name: {why}")


def check_items(key: str, items: Any, wanted: type) -> None:
    """A list, and of what it should hold."""
    require(
        isinstance(items, Sequence) and not isinstance(items, str),
        "{} is {!r}: it is a list of {}",
        key,
        items,
        wanted.__name__,
    )
    for item in items:
        if not isinstance(item, wanted):
            check_instance(f"one of {key}", item, wanted)


def check_instance(key: str, value: Any, wanted: type, *, optional: bool = False) -> None:
    if isinstance(value, wanted) or (optional and value is None):
        return
    if isinstance(value, type) and issubclass(value, wanted):
        raise DeclarationError(f"{key} is the class {value.__name__}: give an instance, {value.__name__}()")
    raise DeclarationError(f"{key} is {value!r}: it is a {wanted.__name__}")
