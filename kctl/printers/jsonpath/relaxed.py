"""Paths as people type them into --sort-by and custom-columns: with or without braces and the first dot."""

from __future__ import annotations

import re

from kctl.errors import KctlError

_FORM = re.compile(r"^\{\.?([^{}]+)\}$|^\.?([^{}]+)$")


def relaxed(text: str) -> str:
    """`{.metadata.name}` for all of its spellings. Kubernetes: get.RelaxedJSONPathExpression."""
    if not text:
        return text
    found = _FORM.match(text)
    if found is None:
        raise KctlError(
            "unexpected path string, expected a 'name1.name2' or '.name1.name2' or '{name1.name2}' or '{.name1.name2}'"
        )
    return f"{{.{found[1] or found[2]}}}"
