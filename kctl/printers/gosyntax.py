"""Go's %#v of JSON values, for the one message of kubectl's that has it."""

from __future__ import annotations

from typing import Any

from localplane.apimachinery.gotext import go_plain, go_quote


def go_syntax(value: Any) -> str:
    match value:
        case None:
            return "interface {}(nil)"
        case dict():
            inner = ", ".join(f"{go_quote(key)}:{go_syntax(value[key])}" for key in sorted(value))
            return f"map[string]interface {{}}{{{inner}}}"
        case list():
            return "[]interface {}{" + ", ".join(map(go_syntax, value)) + "}"
        case str():
            return go_quote(value)
    return go_plain(value)
