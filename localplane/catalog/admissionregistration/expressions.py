"""CEL expressions in webhooks and policies: that they are there, and that what is named has a name.

Kubernetes: pkg/apis/admissionregistration/validation, validateMatchConditions and validateVariable.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, duplicate, invalid, required, too_many
from localplane.apimachinery.names import qualified_name

JSONObject = Mapping[str, Any]

_CONDITIONS_MAX = 64
_RESERVED = frozenset(
    {
        "true",
        "false",
        "null",
        "in",
        "as",
        "break",
        "const",
        "continue",
        "else",
        "for",
        "function",
        "if",
        "import",
        "let",
        "loop",
        "package",
        "namespace",
        "return",
        "var",
        "void",
        "while",
    }
)
_is_identifier = re.compile("[_a-zA-Z][_a-zA-Z0-9]*").fullmatch


def cel_compile_errors(expression: str, path: Path) -> Iterator[FieldError]:  # noqa: ARG001 - the place for a compiler
    """What a compiler has against an expression: nothing as yet, since none is asked here."""
    yield from ()


def expression_errors(expression: str, path: Path, *, missing: str = "") -> Iterator[FieldError]:
    """Of an expression that must be there. `missing` is what is said of one that is not."""
    if not expression.strip():
        yield required(path, missing)
    else:
        yield from cel_compile_errors(expression, path)


def match_condition_errors(conditions: Sequence[JSONObject], path: Path) -> Iterator[FieldError]:
    if len(conditions) > _CONDITIONS_MAX:
        yield too_many(path, len(conditions), _CONDITIONS_MAX)
    seen: set[str] = set()
    for index, condition in enumerate(conditions):
        place, name = path[index], condition.get("name") or ""
        yield from expression_errors(condition.get("expression") or "", place / "expression")
        if not name:
            yield required(place / "name")
            continue
        yield from (invalid(place / "name", name, problem) for problem in qualified_name(name))
        if name in seen:
            yield duplicate(place / "name", name)
        seen.add(name)


def variable_errors(variables: Sequence[JSONObject], path: Path) -> Iterator[FieldError]:
    for index, variable in enumerate(variables):
        place, name = path[index], variable.get("name") or ""
        if not name.strip():
            yield required(place / "name", "name is not specified")
        elif not _is_identifier(name) or name in _RESERVED:
            yield invalid(place / "name", name, "must be a valid CEL identifier")
        expression = variable.get("expression") or ""
        yield from expression_errors(expression, place / "expression", missing="expression is not specified")
