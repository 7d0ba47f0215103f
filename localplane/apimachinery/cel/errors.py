"""What goes wrong while an expression is evaluated. Messages are cel-go's."""

from __future__ import annotations


class EvaluationError(Exception):
    """A value that is an error. `&&`, `||` and the quantifiers may absorb it."""


class CostExceeded(Exception):
    """The budget of one evaluation is used up. Nothing absorbs this."""

    def __init__(self) -> None:
        super().__init__("operation cancelled: actual cost limit exceeded")


def no_such_overload(function: str = "") -> EvaluationError:
    return EvaluationError(f"no such overload: {function}" if function else "no such overload")
