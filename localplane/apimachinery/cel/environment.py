"""What Kubernetes 1.37 lets expressions use. Upstream: apiserver/pkg/cel/environment/base.go.

There is no cel.bind and no math library, because there is none there. Rules of custom resources add `self` and
`oldSelf`, admission policies `object`, `request`, `params` and their like.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from .checker.checker import check
from .checker.literal_checks import literal_issues
from .declarations import Environment, merged
from .interpreter.program import Program, compiled
from .parser.parser import parse
from .parser.source import CompilationFailed
from .parser.tree import Expr
from .types import (
    BOOL,
    BYTES,
    CIDR,
    DOUBLE,
    DURATION,
    INT,
    IP,
    LIST,
    MAP,
    NULL,
    OPTIONAL,
    STRING,
    TIMESTAMP,
    TYPE,
    UINT,
    Type,
)

_TYPES = (BOOL, BYTES, CIDR, DOUBLE, DURATION, INT, IP, LIST, MAP, NULL, OPTIONAL, STRING, TIMESTAMP, TYPE, UINT)


@lru_cache(maxsize=1)
def base_environment() -> Environment:
    """Made when it is first needed, and the library is imported then: most clusters have no expression."""
    from .library.functions import FUNCTIONS

    functions = merged(*FUNCTIONS)
    return Environment(functions, {type_.name: type_ for type_ in _TYPES}, {})


# An expression from its text to something that can be run: the one entrance for rules and policies.


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
