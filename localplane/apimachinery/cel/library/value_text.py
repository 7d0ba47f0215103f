"""How cel-go prints values in its messages: Go's %v of them."""

from __future__ import annotations

from typing import Any

from localplane.apimachinery.cel.values import MISSING, Mapper, Optional
from localplane.apimachinery.golang.text import go_plain

from .conversions import text_of


def shown(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bytes():
            return go_plain(list(value))
        case Optional():
            return "optional.none()" if value.value is MISSING else f"optional({shown(value.value)})"
        case list():
            return f"[{', '.join(shown(each) for each in value)}]"
        case Mapper():
            return f"{{{', '.join(f'{shown(key)}: {shown(value.find(key))}' for key in value.each_key())}}}"
    return text_of(value)
