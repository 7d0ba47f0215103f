"""The Common Expression Language as Kubernetes 1.37 speaks it: rules of custom resources, and of admission policies.

    compile_rules(schema)          x-kubernetes-validations of a whole schema: errors of the definition, and the rules
    CompiledRules.validate         what the rules have against an object
    checked, Expression            a single expression, for whoever has variables of their own (`object`, `request`)
    base_environment, dynamic      the functions there are; JSON without a schema as a value

Within, in the order a text passes: `tokens`, `parser` (`macros`, `literals`; `syntax_errors` says what it refuses),
`syntax`, `checker` (`types`, `unification`, `declarations`), `literal_checks`, `costs`, `compiling` (`calls`,
`comprehensions`, `access`), and `library`, the functions. `declared` and `objects` are a schema's types and values,
`rule`, `rules`, `budgets`, `correlation` and `evaluating` what custom resources add.

It follows cel-go, to its messages and its costs. Custom resources call it when a definition and when an object is
validated. It does no I/O, knows no kind by name, and builds nothing until the first expression comes.
"""

from .compiling import InstantiationFailed, Program
from .environment import base_environment
from .errors import CostExceeded, EvaluationError
from .evaluating import Unfinished
from .expressions import Expression, checked
from .objects import dynamic
from .rules import CompiledRules, Review, compile_rules
from .source import CompilationFailed

__all__ = [
    "CompilationFailed",
    "CompiledRules",
    "CostExceeded",
    "EvaluationError",
    "Expression",
    "InstantiationFailed",
    "Program",
    "Review",
    "Unfinished",
    "base_environment",
    "checked",
    "compile_rules",
    "dynamic",
]
