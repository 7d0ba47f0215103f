"""Which type fits which, with type parameters bound on the way. Upstream: checker/types.go."""

from __future__ import annotations

from collections.abc import Sequence

from localplane.apimachinery.cel.types import DYN, SIMPLE, Kind, Type, list_of, map_of, type_of

_PARAMETERISED = frozenset({Kind.OPAQUE, Kind.LIST, Kind.MAP})
_NULLABLE = frozenset({Kind.OPAQUE, Kind.STRUCT, Kind.DURATION, Kind.TIMESTAMP})


class TypeBindings:
    """What type parameters stand for. A match that fails leaves no trace."""

    __slots__ = ("_bound",)

    def __init__(self) -> None:
        self._bound: dict[str, Type] = {}

    def fits(self, one: Type, other: Type) -> bool:
        return self.all_fit((one,), (other,))

    def all_fit(self, ones: Sequence[Type], others: Sequence[Type]) -> bool:
        before = dict(self._bound) if self._bound else None
        if self._list_fits(ones, others):
            return True
        self._bound = before if before is not None else {}
        return False

    def _list_fits(self, ones: Sequence[Type], others: Sequence[Type]) -> bool:
        if len(ones) != len(others):
            return False
        for one, other in zip(ones, others, strict=True):  # noqa: SIM110 - the busiest loop of the checker
            if not self._fits(one, other):
                return False
        return True

    def _fits(self, one: Type, other: Type) -> bool:
        if one.kind in SIMPLE and other.kind in SIMPLE:
            return one.kind is other.kind
        if other.kind is Kind.TYPE_PARAMETER:
            valid, known = self._substitutes(one, other)
            if valid or known:
                return valid
        if one.kind is Kind.TYPE_PARAMETER:
            return self._substitutes(other, one)[0]
        if one.kind in (Kind.DYN, Kind.ERROR) or other.kind in (Kind.DYN, Kind.ERROR):
            return True
        if one.kind is Kind.NULL:
            return other.kind is Kind.NULL or other.kind in _NULLABLE
        if other.kind is Kind.NULL:
            return one.kind in _NULLABLE
        if one.kind in _PARAMETERISED:
            same = one.kind is other.kind and one.name == other.name
            return same and self._list_fits(one.parameters, other.parameters)
        return one.kind is other.kind and (one.kind is Kind.TYPE or one.name == other.name)

    def _substitutes(self, one: Type, parameter: Type) -> tuple[bool, bool]:
        """Whether the parameter may stand for this type, and whether it stands for one already."""
        if one.kind is parameter.kind and one.name == parameter.name:
            return True, True
        bound = self._bound.get(parameter.name)
        if bound is not None:
            if one.is_exactly(bound):
                return True, True
            if not self._fits(one, bound):
                return False, True
            general = most_general(one, bound)
            if not self._occurs(parameter, general):
                self._bound[parameter.name] = general
            return True, True
        if self._occurs(parameter, one):
            return False, False
        self._bound[parameter.name] = one
        return True, False

    def _occurs(self, parameter: Type, within: Type) -> bool:
        if within.kind is Kind.TYPE_PARAMETER:
            if within.name == parameter.name:
                return True
            bound = self._bound.get(within.name)
            return bound is not None and self._occurs(parameter, bound)
        return any(self._occurs(parameter, each) for each in within.parameters)

    def resolved(self, of: Type, *, unbound_to_dyn: bool = False) -> Type:
        """The type with its parameters replaced by what they stand for."""
        if of.kind is Kind.TYPE_PARAMETER:
            bound = self._bound.get(of.name)
            if bound is not None:
                return self.resolved(bound, unbound_to_dyn=unbound_to_dyn)
            return DYN if unbound_to_dyn else of
        if not of.parameters:
            return of
        parameters = tuple(self.resolved(each, unbound_to_dyn=unbound_to_dyn) for each in of.parameters)
        if all(new is old for new, old in zip(parameters, of.parameters, strict=True)):
            return of
        return Type(of.kind, of.name, parameters, of.declared)


def instantiated(of: Type, names: dict[str, Type]) -> Type:
    """The type of an overload with fresh parameters."""
    if of.kind is Kind.TYPE_PARAMETER:
        return names[of.name]
    if not of.parameters:
        return of
    parameters = [instantiated(each, names) for each in of.parameters]
    match of.kind:
        case Kind.LIST:
            return list_of(parameters[0])
        case Kind.MAP:
            return map_of(*parameters)
        case Kind.TYPE:
            return type_of(parameters[0])
    return Type(of.kind, of.name, tuple(parameters))


def most_general(one: Type, other: Type) -> Type:
    """Of two types that fit, the one that says less."""
    return one if _says_no_more(one, other) else other


def _says_no_more(one: Type, other: Type) -> bool:
    if one.is_dyn or one.kind is Kind.TYPE_PARAMETER:
        return True
    if other.is_dyn or other.kind is Kind.TYPE_PARAMETER or one.kind is not other.kind:
        return False
    if one.kind is Kind.TYPE:
        return True
    if one.kind in _PARAMETERISED:
        same = one.name == other.name and len(one.parameters) == len(other.parameters)
        return same and all(_says_no_more(a, b) for a, b in zip(one.parameters, other.parameters, strict=True))
    return one.is_exactly(other)
