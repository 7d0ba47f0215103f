"""CEL expressions in webhooks and policies: that they are there, that they compile, and that what is named has a name.

Kubernetes: pkg/apis/admissionregistration/validation, validateMatchConditions and validateVariable.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from localplane.apimachinery.fieldpath import FieldError, Path, duplicate, internal, invalid, required, too_many
from localplane.apimachinery.names import qualified_name

if TYPE_CHECKING:
    from .compiler import Compiled, ExpressionCompiler

JSONObject = Mapping[str, Any]

_CONDITIONS_MAX = 64
_is_identifier = re.compile("[_a-zA-Z][_a-zA-Z0-9]*").fullmatch


def cel_compile_errors(compiled: Compiled, path: Path) -> Iterator[FieldError]:
    """What the compiler has against an expression."""
    if compiled.is_internal:
        yield internal(path, compiled.wrong)
    elif compiled.wrong:
        yield invalid(path, compiled.text, compiled.wrong)


def expression_errors(
    expression: str, path: Path, compiled: Callable[[str], Compiled], *, missing: str = ""
) -> Iterator[FieldError]:
    """Of an expression that must be there. `missing` is what is said of one that is not."""
    if not expression.strip():
        yield required(path, missing)
    else:
        yield from cel_compile_errors(compiled(expression), path)


def match_condition_errors(
    conditions: Sequence[JSONObject], path: Path, *, has_params: bool = False
) -> Iterator[FieldError]:
    if not conditions:
        return
    from .compiler import CONDITION, ExpressionCompiler  # large, and few have conditions

    compiler = ExpressionCompiler(has_params=has_params)
    if len(conditions) > _CONDITIONS_MAX:
        yield too_many(path, len(conditions), _CONDITIONS_MAX)
    seen: set[str] = set()
    for index, condition in enumerate(conditions):
        place, name = path[index], condition.get("name") or ""
        expression = (condition.get("expression") or "").strip()
        yield from expression_errors(expression, place / "expression", lambda text: compiler.compile(text, CONDITION))
        if not name:
            yield required(place / "name")
            continue
        yield from (invalid(place / "name", name, problem) for problem in qualified_name(name))
        if name in seen:
            yield duplicate(place / "name", name)
        seen.add(name)


def variable_errors(variables: Sequence[JSONObject], path: Path, compiler: ExpressionCompiler) -> Iterator[FieldError]:
    """Afterwards the compiler knows them."""
    from localplane.apimachinery.cel.parser.field_names import (
        RESERVED,  # CEL is only loaded where there is an expression
    )

    for index, variable in enumerate(variables):
        place, name = path[index], variable.get("name") or ""
        if not name.strip():
            yield required(place / "name", "name is not specified")
        elif not _is_identifier(name) or name in RESERVED:
            yield invalid(place / "name", name, "must be a valid CEL identifier")
        expression = variable.get("expression") or ""
        yield from expression_errors(
            expression,
            place / "expression",
            partial(compiler.add_variable, name),
            missing="expression is not specified",
        )
