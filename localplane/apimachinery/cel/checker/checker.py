"""Type checking: every node gets its type, every call the overloads it may mean. Upstream: checker/checker.go."""

from __future__ import annotations

from typing import Final

from localplane.apimachinery.cel.declarations import Environment, Function, Overload
from localplane.apimachinery.cel.parser.source import NOWHERE, CompilationFailed, Issue
from localplane.apimachinery.cel.parser.tree import (
    Call,
    Comprehension,
    CreateList,
    CreateMap,
    CreateStruct,
    Expr,
    Ident,
    Literal,
    Select,
    descendants,
)
from localplane.apimachinery.cel.types import (
    BOOL,
    DYN,
    ERROR,
    INT,
    SIMPLE,
    Kind,
    Type,
    list_of,
    map_of,
    optional_of,
    parameter,
    type_of,
)
from localplane.apimachinery.cel.values import type_of_value

from .unification import TypeBindings, instantiated, most_general

_LOGICAL: Final = frozenset({"_&&_", "_||_"})
_EQUALITIES: Final = frozenset({"_==_", "_!=_"})


def check(text: str, tree: Expr, environment: Environment) -> frozenset[str]:
    """Annotates the tree in place; the names that it refers to. Raises CompilationFailed."""
    checker = _Checker(environment)
    try:
        checker.check(tree)
    except RecursionError:
        raise CompilationFailed(text, [Issue(NOWHERE, "expression recursion limit exceeded: 250")]) from None
    if checker.issues:
        raise CompilationFailed(text, checker.issues)
    for node in descendants(tree):
        node.type = checker.bindings.resolved(node.type, unbound_to_dyn=True)
    return frozenset(checker.names)


class _Checker:
    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        self.issues: list[Issue] = []
        self.names: set[str] = set()
        self.bindings = TypeBindings()
        self._scopes: list[dict[str, Type]] = []
        self._fresh = 0

    def _report(self, offset: int, message: str) -> None:
        self.issues.append(Issue(offset, message))

    def _new_parameter(self) -> Type:
        self._fresh += 1
        return parameter(f"_var{self._fresh - 1}")

    def check(self, node: Expr) -> None:
        match node:
            case Select():
                self._check_select(node)
            case Ident():
                self._check_ident(node)
            case Call():
                self._check_call(node)
            case Literal():
                node.type = type_of_value(node.value)
            case Comprehension():
                self._check_comprehension(node)
            case CreateList():
                self._check_list(node)
            case CreateMap():
                self._check_map(node)
            case CreateStruct():
                self._check_struct(node)

    # Names

    def _local(self, name: str) -> Type | None:
        for scope in reversed(self._scopes):
            if name in scope:
                return scope[name]
        return None

    def _global(self, name: str) -> tuple[Type | None, Type | None]:
        """The type of what is declared under this name, and the type that the name is, if it is one."""
        name = name.removeprefix(".")
        variable = self.environment.variables.get(name)
        if variable is not None:
            return variable, None
        denoted = self.environment.types.get(name)
        return (type_of(denoted), denoted) if denoted is not None else (None, None)

    def _check_ident(self, node: Ident) -> None:
        self.names.add(node.name.removeprefix("."))
        local = self._local(node.name)
        if local is not None:
            node.type = local
            return
        found, node.denotes = self._global(node.name)
        if found is None:
            self._undeclared(node.offset, node.name)
            found = ERROR
        node.type = found
        node.name = node.name.removeprefix(".")

    def _undeclared(self, offset: int, name: str) -> None:
        self._report(offset, f"undeclared reference to '{name}' (in container '')")

    def _check_select(self, node: Select) -> None:
        qualified = None if node.is_test else _qualified_name(node)
        if qualified is not None and self._local(qualified.partition(".")[0]) is None:
            found, denoted = self._global(qualified)
            if found is not None:
                node.type, node.denotes = found, denoted
                return
        result = self._select_field(node.offset, node.operand, node.name, optional=False)
        node.type = BOOL if node.is_test else self.bindings.resolved(result)

    def _select_field(self, offset: int, operand: Expr, name: str, *, optional: bool) -> Type:
        self.check(operand)
        target = self.bindings.resolved(operand.type)
        from_optional = target.is_optional
        if from_optional:
            target = target.parameters[0]
        result = self._field_type(offset, target, name)
        return optional_of(result) if optional or from_optional else result

    def _field_type(self, offset: int, target: Type, name: str) -> Type:
        match target.kind:
            case Kind.MAP:
                return target.parameters[1]
            case Kind.STRUCT:
                field = target.declared.field_type(name) if target.declared is not None else None
                if field is None:
                    self._report(offset, f"undefined field '{name}'")
                return field or ERROR
            case Kind.TYPE_PARAMETER:
                self.bindings.fits(DYN, target)
            case Kind.DYN | Kind.ERROR:
                pass
            case _:
                self._report(offset, f"type '{target}' does not support field selection")
        return DYN

    # Calls

    def _check_call(self, node: Call) -> None:
        if node.function == "_?._":
            name = node.args[1]
            assert isinstance(name, Literal)
            name.type = type_of_value(name.value)
            result = self._select_field(node.offset, node.args[0], name.value, optional=True)
            node.type, node.overloads = self.bindings.resolved(result), ("select_optional_field",)
            return
        for argument in node.args:
            self.check(argument)
        function = self._function(node)
        if function is None:
            self._undeclared(node.offset, node.function)
            node.type = ERROR
        else:
            self._resolve(node, function)

    def _function(self, node: Call) -> Function | None:
        functions = self.environment.functions
        if node.target is None:
            found = functions.get(node.function.removeprefix("."))
            if found is not None:
                node.function = found.name
            return found
        prefix = _qualified_name(node.target)
        if prefix is not None:
            namespaced = functions.get(f"{prefix}.{node.function}".removeprefix("."))
            if namespaced is not None:
                node.target, node.function = None, namespaced.name
                return namespaced
        self.check(node.target)
        return functions.get(node.function)

    def _resolve(self, node: Call, function: Function) -> None:
        given = [each.type for each in ([node.target] if node.target is not None else []) + node.args]
        if function.name in _LOGICAL:
            self._resolve_logical(node, given, function.overloads[0].id)
            return
        exact = self._exact(node, function, given)
        if exact is not None:
            node.type, node.overloads = exact.result, (exact.id,)
            return
        found: list[str] = []
        result: Type | None = None
        for overload in function.overloads:
            if overload.member == (node.target is None):
                continue
            wanted, produced = self._instance(overload)
            if not self.bindings.all_fit(given, wanted):
                continue
            found.append(overload.id)
            produced = self.bindings.resolved(produced)
            if result is None:
                result = produced
            elif not result.is_dyn and not produced.is_exactly(result):
                result = DYN
        if result is None:
            shown = [str(self.bindings.resolved(each, unbound_to_dyn=True)) for each in given]
            self._no_overload(node, function.name, shown)
            result = ERROR
        node.type, node.overloads = result, tuple(found)

    def _exact(self, node: Call, function: Function, given: list[Type]) -> Overload | None:
        """The quick way: simple types need no parameters to be bound."""
        kinds = tuple([each.kind for each in given])
        if not SIMPLE.issuperset(kinds):
            return None
        if function.name in _EQUALITIES:
            return function.overloads[0] if kinds[0] is kinds[1] else None
        known = function.by_kinds
        return known.get((node.target is not None, kinds)) if known is not None else None

    def _no_overload(self, node: Call, name: str, shown: list[str]) -> None:
        receiver = f"{shown.pop(0)}." if node.target is not None else ""
        signature = f"{receiver}({', '.join(shown)})"
        self._report(node.offset, f"found no matching overload for '{name}' applied to '{signature}'")

    def _instance(self, overload: Overload) -> tuple[tuple[Type, ...], Type]:
        names = overload.type_parameters
        if not names:
            return overload.arguments, overload.result
        fresh = {name: self._new_parameter() for name in names}
        return tuple(instantiated(each, fresh) for each in overload.arguments), instantiated(overload.result, fresh)

    def _resolve_logical(self, node: Call, given: list[Type], overload: str) -> None:
        wrong = False
        for argument, type_ in zip(node.args, given, strict=True):
            if not self.bindings.fits(type_, BOOL):
                self._report(argument.offset, f"expected type 'bool' but found '{type_}'")
                wrong = True
        node.type = ERROR if wrong else BOOL
        node.overloads = (overload,)

    # Literals with parts

    def _check_list(self, node: CreateList) -> None:
        element: Type | None = None
        for number, each in enumerate(node.elements):
            self.check(each)
            type_ = self._unwrapped(each) if number in node.optional else each.type
            element = self._joined(element, type_)
        node.type = list_of(element if element is not None else self._new_parameter())

    def _check_map(self, node: CreateMap) -> None:
        key: Type | None = None
        value: Type | None = None
        for entry in node.entries:
            self.check(entry.key)
            key = self._joined(key, entry.key.type)
            self.check(entry.value)
            type_ = self._unwrapped(entry.value) if entry.is_optional else entry.value.type
            value = self._joined(value, type_)
        node.type = map_of(key or self._new_parameter(), value or self._new_parameter())

    def _unwrapped(self, node: Expr) -> Type:
        if node.type.is_optional:
            return node.type.parameters[0]
        if not node.type.is_dyn:
            self._mismatch(node, optional_of(node.type), node.type)
        return node.type

    def _joined(self, before: Type | None, type_: Type) -> Type:
        if before is None:
            return type_
        return most_general(before, type_) if self.bindings.fits(before, type_) else DYN

    def _mismatch(self, node: Expr, expected: Type, found: Type) -> None:
        self._report(node.offset, f"expected type '{expected}' but found '{found}'")

    def _check_struct(self, node: CreateStruct) -> None:
        """Messages can't be made: Kubernetes declares none that an expression could fill in."""
        denoted = self.environment.types.get(node.name.removeprefix("."))
        node.type = ERROR
        if denoted is None:
            self._undeclared(node.offset, node.name)
            return
        self._report(node.offset, f"'{denoted.name}' is not a message type")
        for _, value in node.fields:
            self.check(value)

    # Comprehensions

    def _check_comprehension(self, node: Comprehension) -> None:
        self.check(node.range)
        self.check(node.init)
        over = self.bindings.resolved(node.range.type)
        accumulated = node.init.type
        self._scopes.append({node.accumulator: accumulated})
        self._scopes.append(self._loop_variables(node, over))
        self.check(node.condition)
        self._must_be(node.condition, BOOL)
        self.check(node.step)
        self._must_be(node.step, accumulated)
        self._scopes.pop()
        self.check(node.result)
        self._scopes.pop()
        node.type = self.bindings.resolved(node.result.type)

    def _loop_variables(self, node: Comprehension, over: Type) -> dict[str, Type]:
        first = second = DYN
        match over.kind:
            case Kind.LIST:
                first, second = (INT if node.second else over.parameters[0]), over.parameters[0]
            case Kind.MAP:
                first, second = over.parameters
            case Kind.DYN | Kind.ERROR | Kind.TYPE_PARAMETER:
                self.bindings.fits(DYN, over)
            case _:
                message = f"expression of type '{over}' cannot be range of a comprehension"
                self._report(node.range.offset, f"{message} (must be list, map, or dynamic)")
                first = second = ERROR
        return {node.variable: first, node.second: second} if node.second else {node.variable: first}

    def _must_be(self, node: Expr, wanted: Type) -> None:
        if not self.bindings.fits(wanted, node.type):
            self._mismatch(node, wanted, node.type)


def _qualified_name(node: Expr) -> str | None:
    names: list[str] = []
    while isinstance(node, Select) and not node.is_test:
        names.append(node.name)
        node = node.operand
    if not isinstance(node, Ident):
        return None
    return ".".join([node.name, *reversed(names)])
