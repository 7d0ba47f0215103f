"""Macros: calls that become something else while they are parsed.

Upstream: parser/macro.go, cel/library.go (optMap), ext/comprehensions.go and ext/lists.go (sortBy). Kubernetes enables
no others, but for cel.bind (ext/bindings.go) in what selects devices; existsOne exists with two variables only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from .tree import ACCUMULATOR, Call, Comprehension, CreateList, CreateMap, Expr, Ident, Literal, Select, copied


class MacroError(ValueError):
    """The arguments don't fit; it points to one of them."""

    def __init__(self, offset: int, message: str) -> None:
        super().__init__(message)
        self.offset = offset


Expander = Callable[[int, str, Expr, list[Expr]], Expr]
_OLD_ACCUMULATOR: Final = "__result__"
_UNUSED: Final = "#unused"


def expanded(offset: int, function: str, target: Expr | None, args: list[Expr], *, binds: bool = False) -> Expr | None:
    """What the call becomes, or None if it is an ordinary one."""
    if target is None:
        return _has(offset, args[0]) if function == "has" and len(args) == 1 else None
    if binds and function == "bind" and len(args) == 3 and isinstance(target, Ident) and target.name == "cel":
        return _bind(offset, *args)
    expander = _MACROS.get((function, len(args)))
    return expander(offset, function, target, args) if expander is not None else None


def _has(offset: int, argument: Expr) -> Expr:
    if not isinstance(argument, Select):
        raise MacroError(argument.offset, "invalid argument to has() macro")
    return Select(offset, argument.operand, argument.name, is_test=True)


def _accumulated(offset: int) -> Ident:
    return Ident(offset, ACCUMULATOR)


def _quantifier(offset: int, function: str, target: Expr, args: list[Expr]) -> Expr:
    variable, second = _variables(args, "argument must be a simple name")
    body = args[-1]
    condition: Expr
    result: Expr = _accumulated(offset)
    if function == "all":
        init = Literal(offset, value=True)
        condition = Call(offset, "@not_strictly_false", None, [_accumulated(offset)])
        step = Call(offset, "_&&_", None, [_accumulated(offset), body])
    elif function == "exists":
        init = Literal(offset, value=False)
        negated = Call(offset, "!_", None, [_accumulated(offset)])
        condition = Call(offset, "@not_strictly_false", None, [negated])
        step = Call(offset, "_||_", None, [_accumulated(offset), body])
    else:
        function = "exists_one"
        init = Literal(offset, 0)
        condition = Literal(offset, value=True)
        more = Call(offset, "_+_", None, [_accumulated(offset), Literal(offset, 1)])
        step = Call(offset, "_?_:_", None, [body, more, _accumulated(offset)])
        result = Call(offset, "_==_", None, [result, Literal(offset, 1)])
    return Comprehension(offset, function, target, variable, second, ACCUMULATOR, init, condition, step, result, body)


def _listing(offset: int, function: str, target: Expr, args: list[Expr]) -> Expr:
    """map, filter and transformList: what passes the filter is transformed and appended."""
    if function == "transformList":
        variable, second = _variables(args[:3], "argument must be a simple name")
        rest = args[2:]
    else:
        variable, second = _variables(args[:2], "argument is not an identifier")
        rest = args[1:]
    test = rest[0] if function == "filter" or len(rest) == 2 else None
    body = args[0] if function == "filter" else rest[-1]
    step = Call(offset, "_+_", None, [_accumulated(offset), CreateList(offset, [body])])
    return _gathering(offset, "map", target, (variable, second), CreateList(offset, []), step, body, test)


def _mapping(offset: int, function: str, target: Expr, args: list[Expr]) -> Expr:
    variable, second = _variables(args[:3], "argument must be a simple name")
    rest = args[2:]
    test = rest[0] if len(rest) == 2 else None
    inserted = [rest[-1]] if function == "transformMapEntry" else [Ident(offset, variable), rest[-1]]
    step = Call(offset, "cel.@mapInsert", None, [_accumulated(offset), *inserted])
    return _gathering(offset, function, target, (variable, second), CreateMap(offset, []), step, rest[-1], test)


def _gathering(  # noqa: PLR0917 - the parts of a loop, in their order
    offset: int,
    macro: str,
    target: Expr,
    variables: tuple[str, str],
    init: Expr,
    step: Expr,
    body: Expr,
    test: Expr | None,
) -> Comprehension:
    if test is not None:
        step = Call(offset, "_?_:_", None, [test, step, _accumulated(offset)])
    condition, result = Literal(offset, value=True), _accumulated(offset)
    return Comprehension(offset, macro, target, *variables, ACCUMULATOR, init, condition, step, result, body, test)


def _variables(args: list[Expr], wrong: str) -> tuple[str, str]:
    """The names before the last argument; the second is empty where there is but one."""
    names: list[str] = []
    for argument in args[:-1]:
        if not isinstance(argument, Ident):
            raise MacroError(argument.offset, wrong)
        names.append(argument.name)
    if len(names) == 2 and names[0] == names[1]:
        raise MacroError(args[1].offset, f"duplicate variable name: {names[0]}")
    for name, argument in zip(names, args, strict=False):
        if name in (ACCUMULATOR, _OLD_ACCUMULATOR):
            raise MacroError(argument.offset, "iteration variable overwrites accumulator variable")
    return names[0], names[1] if len(names) == 2 else ""


def _bound(offset: int, name: str, value: Expr, result: Expr) -> Comprehension:
    """A name for a value within a result: a comprehension that never loops."""
    return Comprehension(
        offset,
        "bind",
        CreateList(offset, []),
        _UNUSED,
        "",
        name,
        value,
        Literal(offset, value=False),
        Ident(offset, name),
        result,
        result,
    )


def _bind(offset: int, name: Expr, value: Expr, result: Expr) -> Expr:
    if not isinstance(name, Ident):
        raise MacroError(name.offset, "cel.bind() variable names must be simple identifiers")
    return _bound(offset, name.name, value, result)


def _optional_map(offset: int, function: str, target: Expr, args: list[Expr]) -> Expr:
    name = args[0]
    if not isinstance(name, Ident):
        raise MacroError(name.offset, f"{function}() variable name must be a simple identifier")
    value = Call(offset, "value", copied(target), [])
    mapped: Expr = _bound(offset, name.name, value, args[1])
    if function == "optMap":
        mapped = Call(offset, "optional.of", None, [mapped])
    has_value = Call(offset, "hasValue", target, [])
    return Call(offset, "_?_:_", None, [has_value, mapped, Call(offset, "optional.none", None, [])])


_SORTED: Final = "@__sortBy_input__"


def _sort_by(offset: int, _: str, target: Expr, args: list[Expr]) -> Expr:
    if isinstance(target, (Literal, CreateMap)):
        message = "sortBy can only be applied to a list, identifier, comprehension, call or select expression"
        raise MacroError(target.offset, message)
    keys = _listing(offset, "map", Ident(offset, _SORTED), args)
    call = Call(offset, "@sortByAssociatedKeys", Ident(offset, _SORTED), [keys])
    return _bound(offset, _SORTED, target, call)


_MACROS: Final[dict[tuple[str, int], Expander]] = {
    ("all", 2): _quantifier,
    ("exists", 2): _quantifier,
    ("exists_one", 2): _quantifier,
    ("map", 2): _listing,
    ("map", 3): _listing,
    ("filter", 2): _listing,
    ("all", 3): _quantifier,
    ("exists", 3): _quantifier,
    ("exists_one", 3): _quantifier,
    ("existsOne", 3): _quantifier,
    ("transformList", 3): _listing,
    ("transformList", 4): _listing,
    ("transformMap", 3): _mapping,
    ("transformMap", 4): _mapping,
    ("transformMapEntry", 3): _mapping,
    ("transformMapEntry", 4): _mapping,
    ("optMap", 2): _optional_map,
    ("optFlatMap", 2): _optional_map,
    ("sortBy", 2): _sort_by,
}
