"""What an edited file says, apart from its comments. Kubernetes: StripComments in kubectl/pkg/cmd/util/helpers.go."""

from __future__ import annotations

from typing import Any


def meaning(text: str) -> str:
    """Equal for files that say the same: their JSON, or the text of one that is no YAML."""
    value = _value(text)
    if value is _BROKEN:
        return without_comments(text)
    from kctl.printers.objects import sorted_keys
    from localplane.apimachinery.gotext import go_json

    return go_json(sorted_keys(value))


def parsed(text: str) -> Any:
    """The first document. Raises SerializationError."""
    from localplane.apimachinery.serializers import parse_yaml

    value = _value(text)
    return parse_yaml(without_comments(text)).value if value is _BROKEN else value


def without_comments(text: str) -> str:
    """Lines that begin with a hash are gone, unless they could be a script's first."""
    lines = text.split("\n")
    return "\n".join(line for line in lines if not line.strip().startswith("#") or line.strip().startswith("#!"))


def has_lines(text: str) -> bool:
    return any(line.strip() and not line.strip().startswith("#") for line in text.splitlines())


_BROKEN = object()


def _value(text: str) -> Any:
    from localplane.apimachinery.serializers import SerializationError, parse_yaml

    try:
        return parse_yaml(text).value
    except SerializationError:
        return _BROKEN
