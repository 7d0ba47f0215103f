"""An expression from its text to something that can be run: the one entrance for rules and policies."""

from __future__ import annotations

from dataclasses import dataclass

from .checker import check
from .compiling import Program, compiled
from .declarations import Environment
from .literal_checks import literal_issues
from .parser import parse
from .source import CompilationFailed
from .syntax import Expr
from .types import Type


@dataclass(frozen=True, slots=True)
class Expression:
    """A checked expression. `names` are the variables (and types) that it refers to."""

    text: str
    tree: Expr
    names: frozenset[str]

    @property
    def type(self) -> Type:
        return self.tree.type

    def program(self, environment: Environment) -> Program:
        """Raises InstantiationFailed."""
        return compiled(self.tree, environment)


def checked(text: str, environment: Environment, *, binds: bool = False) -> Expression:
    """Parses and type checks. `binds`: there is cel.bind. Raises CompilationFailed."""
    tree = parse(text, binds=binds)
    names = check(text, tree, environment)
    issues = literal_issues(tree)
    if issues:
        raise CompilationFailed(text, issues)
    return Expression(text, tree, names)
