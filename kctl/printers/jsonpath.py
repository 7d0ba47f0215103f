"""kubectl's JSONPath, applied: templates like `{range .items[*]}{.metadata.name}{"\\n"}{end}`, as text or as JSON.

The language itself is `localplane.apimachinery.jsonpath`; what it found is printed here.
"""

from __future__ import annotations

import re
from typing import Any

from kctl.errors import KctlError
from kctl.printers.objects import go_indented
from localplane.apimachinery.jsonpath import JSONPathError, JSONPathSyntaxError, Template, find, parse, text_of

__all__ = ["JSONPathError", "JSONPathSyntaxError", "Template", "execute", "find", "is_relaxed", "parse", "relaxed"]

_FORM = re.compile(r"\{\.?([^{}]+)\}|\.?([^{}]+)")


def execute(template: Template, obj: Any, *, allow_missing: bool = True, as_json: bool = False) -> str:
    """The text. `as_json` makes an indented array of each part's values. Raises JSONPathError."""
    parts = find(template, obj, allow_missing=allow_missing)
    if as_json:
        return "".join(go_indented(values) + "\n" for values in parts)
    return "".join(" ".join(text_of(value) for value in values) for values in parts)


def is_relaxed(text: str) -> bool:
    """Whether `relaxed` takes it."""
    return not text or _FORM.fullmatch(text) is not None


def relaxed(text: str) -> str:
    """`{.metadata.name}` for all of its spellings, with or without braces and the first dot, as people type them into
    --sort-by and custom-columns. Kubernetes: get.RelaxedJSONPathExpression."""
    if not text:
        return text
    found = _FORM.fullmatch(text)
    if found is None:
        raise KctlError(
            "unexpected path string, expected a 'name1.name2' or '.name1.name2' or '{name1.name2}' or '{.name1.name2}'"
        )
    return f"{{.{found[1] or found[2]}}}"
