"""The Common Expression Language as Kubernetes 1.37 speaks it: rules of custom resources, and of admission policies.

    compile_rules(schema)          x-kubernetes-validations of a whole schema: errors of the definition, and the rules
    CompiledRules.validate         what the rules have against an object
    checked, Expression            a single expression, for whoever has variables of their own (`object`, `request`)
    base_environment, dynamic      the functions there are; JSON without a schema as a value

Within, in the order a text passes:

    parser/        text -> tree
    checker/       tree -> types
    costs/         how much it may cost, and what it has cost
    interpreter/   tree -> program
    library/       the functions
    schema/        a schema's types and values
    rules/         what custom resources add
    environment    all functions that are known, and a single expression compiled with them
    declarations, types, values, errors   the vocabulary of all of these

It follows cel-go, to its messages and its costs. Custom resources call it when a definition and when an object is
validated. It does no I/O, knows no kind by name, and builds nothing until the first expression comes.
"""

from .environment import Expression, base_environment, checked
from .errors import CostExceeded, EvaluationError
from .interpreter.program import InstantiationFailed, Program
from .parser.source import CompilationFailed
from .rules.evaluation import Unfinished
from .rules.rules import CompiledRules, Review, compile_rules
from .schema.objects import dynamic

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
