"""Go's fmt.Sprintf for the values that JSON has."""

from __future__ import annotations

import re
from typing import Any

from localplane.apimachinery.gotext import go_plain, go_quote

from .values import MISSING, kind_of

_VERB = re.compile(r"%([-+# 0]*)(\d+|\*)?(?:\.(\d+|\*))?(.)?", re.DOTALL)


def sprintf(form: str, *values: Any) -> str:
    rest = [None if value is MISSING else value for value in values]

    def replace(match: re.Match[str]) -> str:
        flags, width, precision, verb = match.groups()
        if verb is None:
            return "%!(NOVERB)"
        if verb == "%":
            return "%"
        wide = _size(width, rest)
        exact = _size(precision, rest)
        if not rest:
            return f"%!{verb}(MISSING)"
        text = _verb(verb, rest.pop(0), flags, exact)
        if wide is None:
            return text
        if "-" in flags:
            return text.ljust(wide)
        zeros = "0" in flags and verb in "deEfFgGxXbo"
        return (
            (text[:1] + text[1:].rjust(wide - 1, "0") if text[:1] in "+-" else text.rjust(wide, "0"))
            if zeros
            else (text.rjust(wide))
        )

    written = _VERB.sub(replace, form)
    if rest:
        extra = ", ".join(f"{kind_of(value)}={go_plain(value)}" if value is not None else "<nil>" for value in rest)
        written += f"%!(EXTRA {extra})"
    return written


def _size(text: str | None, rest: list[Any]) -> int | None:
    if text == "*":
        return int(rest.pop(0)) if rest else None
    return int(text) if text else None


def _verb(verb: str, value: Any, flags: str, precision: int | None) -> str:
    sign = "+" if "+" in flags and type(value) in (int, float) and value >= 0 else ""
    match verb, value:
        case ("v", _) | ("s", list() | dict()):
            return sign + go_plain(value)
        case "s", str():
            return value if precision is None else value[:precision]
        case "q", str():
            return go_quote(value)
        case "x" | "X", str():
            text = value.encode().hex()
            return text.upper() if verb == "X" else text
        case "t", bool():
            return "true" if value else "false"
        case "T", _:
            return "<nil>" if value is None else kind_of(value)
        case "d" | "x" | "X" | "o" | "b", int() if not isinstance(value, bool):
            return sign + format(value, verb)
        case "c", int() if not isinstance(value, bool):
            return chr(value)
        case "f" | "F" | "e" | "E" | "g" | "G", float():
            if verb in "gG" and precision is None:
                return sign + go_plain(value)
            return sign + format(value, f".{6 if precision is None else precision}{verb}")
    if value is None:
        return f"%!{verb}(<nil>)"
    return f"%!{verb}({kind_of(value)}={go_plain(value)})"
