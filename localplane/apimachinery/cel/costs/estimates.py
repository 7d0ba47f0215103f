"""The most that an expression may cost, from its types and the limits of the schema. Upstream: checker/cost.go.

Only the upper end is computed, for it is what limits are compared to. Sizes have both ends: a replacement is longest
where what it replaces is shortest.
"""

from __future__ import annotations

from dataclasses import dataclass

from localplane.apimachinery.cel.parser.tree import (
    ACCUMULATOR,
    Call,
    Comprehension,
    CreateList,
    CreateMap,
    CreateStruct,
    Expr,
    Ident,
    Literal,
    Select,
)
from localplane.apimachinery.cel.schema.declared_types import DeclaredType
from localplane.apimachinery.cel.types import SCALARS, Kind, Type

from .call_estimates import call_estimate
from .numbers import LIST_COST, MAP_COST, MOST, STRUCT_COST, UNKNOWN, Size, fixed, plus, times
from .operands import Entries, Operand, Path


def estimated(tree: Expr, root: DeclaredType | None) -> int:
    """`root` is the type that paths start from: `self` and `oldSelf` are both of it."""
    return _Estimator(root).cost(tree)


@dataclass(frozen=True, slots=True)
class _Local:
    path: Path
    size: Size | None
    entries: Entries | None = None


class _Estimator:
    def __init__(self, root: DeclaredType | None) -> None:
        self._root = root
        self._paths: dict[int, Path] = {}
        self._locals: dict[str, list[_Local]] = {}
        self._sizes: dict[int, Size] = {}
        self._entries: dict[int, Entries] = {}

    def cost(self, node: Expr) -> int:
        match node:
            case Ident():
                local = self._local(node.name)
                self._paths[id(node)] = local.path if local is not None else (node.name,)
                return 1
            case Select():
                return self._select(node)
            case Call():
                return self._call(node)
            case CreateList():
                return self._list(node)
            case CreateMap():
                return self._map(node)
            case CreateStruct():
                return plus(sum(self.cost(value) for _, value in node.fields), STRUCT_COST)
            case Comprehension():
                return self._bind(node) if node.macro == "bind" else self._loop(node)
        return 0

    # Where a value stands, and how large it is

    def _local(self, name: str) -> _Local | None:
        known = self._locals.get(name)
        return known[-1] if known else None

    def _path(self, node: Expr) -> Path:
        if isinstance(node, Ident):
            local = self._local(node.name)
            if local is not None:
                return local.path
        return self._paths.get(id(node), ())

    def declared_size(self, path: Path) -> Size | None:
        """What the schema says of this place."""
        current = self._root
        if current is None or not path:
            return None
        for name in path[1:]:
            if name in ("@items", "@values"):
                current = current.element
            elif name == "@keys":
                current = current.key
            else:
                current = current.field(name)
            if current is None:
                return None
        return Size(0, current.max_elements)

    def _size(self, node: Expr) -> Size | None:
        known = self._sizes.get(id(node))
        if known is not None:
            return known
        size = _literal_size(node)
        if size is not None:
            return size
        size = self.declared_size(self._path(node))
        if size is not None:
            self._sizes[id(node)] = size
            return size
        if _is_scalar(node.type):
            return fixed(1)
        local = self._local(node.name) if isinstance(node, Ident) else None
        return local.size if local is not None else None

    def _size_or_unknown(self, node: Expr) -> Size:
        return self._size(node) or UNKNOWN

    def _entries_of(self, node: Expr) -> Entries | None:
        known = self._entries.get(id(node))
        if known is not None or not isinstance(node, Ident):
            return known
        local = self._local(node.name)
        return local.entries if local is not None else None

    def _operand(self, node: Expr) -> Operand:
        path = self._path(node)
        if path and path[0] == ACCUMULATOR:
            path = ()
        return Operand(node, path, self._size(node), self._entries_of(node), self)

    # The kinds of nodes

    def _select(self, node: Select) -> int:
        total = self.cost(node.operand)
        if node.is_test:
            return total
        if node.denotes is not None:
            return 1
        if node.operand.type.kind in (Kind.MAP, Kind.STRUCT):
            total = plus(total, 1)
        self._paths[id(node)] = (*self._path(node.operand), node.name)
        return total

    def _call(self, node: Call) -> int:
        if node.function == "dyn":
            return self._dyn(node)
        costs = [self.cost(argument) for argument in node.args]
        operands = [self._operand(argument) for argument in node.args]
        if not node.overloads:
            return 0
        total, target = 0, None
        if node.target is not None:
            total = self.cost(node.target)
            target = self._operand(node.target)
        most, size = 0, None
        for overload in node.overloads:
            estimate = call_estimate(node.function, overload, target, operands, costs)
            most = max(most, estimate.cost)
            if estimate.size is not None:
                size = estimate.size if size is None else size | estimate.size
            if estimate.entries is not None:
                self._entries[id(node)] = estimate.entries
            if overload in ("index_list", "index_map"):
                size = self._indexed(node, overload)
            if size is None:
                size = self._size(node)
        if size is not None:
            self._sizes[id(node)] = size
        return plus(total, most)

    def _indexed(self, node: Call, overload: str) -> Size | None:
        entries = self._entries_of(node.args[0])
        self._paths[id(node)] = (*self._path(node.args[0]), "@items" if overload == "index_list" else "@values")
        return entries.value if entries is not None else None

    def _dyn(self, node: Call) -> int:
        argument = node.args[0]
        total = plus(self.cost(argument), 1)
        self._copy_sizes(node, argument)
        return total

    def _copy_sizes(self, to: Expr, source: Expr) -> None:
        size, entries = self._size(source), self._entries_of(source)
        if size is not None:
            self._sizes[id(to)] = size
        if entries is not None:
            self._entries[id(to)] = entries

    def _list(self, node: CreateList) -> int:
        total = LIST_COST
        element = Size(MOST if node.elements else 0, 0)
        for each in node.elements:
            total = plus(total, self.cost(each))
            element |= self._size_or_unknown(each)
        self._entries[id(node)] = Entries(Kind.LIST, fixed(1), element)
        return total

    def _map(self, node: CreateMap) -> int:
        total = MAP_COST
        key = value = Size(MOST if node.entries else 0, 0)
        for entry in node.entries:
            total = plus(total, plus(self.cost(entry.key), self.cost(entry.value)))
            key |= self._size_or_unknown(entry.key)
            value |= self._size_or_unknown(entry.value)
        self._entries[id(node)] = Entries(Kind.MAP, key, value)
        return total

    def _push(self, name: str, local: _Local) -> None:
        self._locals.setdefault(name, []).append(local)

    def _push_bound(self, name: str, node: Expr) -> None:
        self._push(name, _Local(self._path(node), self._size(node), self._entries_of(node)))

    def _push_variables(self, node: Comprehension) -> None:
        entries, path = self._entries_of(node.range), self._path(node.range)
        is_list = (entries.kind if entries is not None else node.range.type.kind) is Kind.LIST
        key, value = (entries.key, entries.value) if entries is not None else (None, None)
        if node.second:
            self._push(node.variable, _Local((*path, "@indices" if is_list else "@keys"), key))
            self._push(node.second, _Local((*path, "@items" if is_list else "@values"), value))
        else:
            self._push(node.variable, _Local((*path, "@items" if is_list else "@keys"), value if is_list else key))

    def _loop(self, node: Comprehension) -> int:
        total = plus(self.cost(node.range), self.cost(node.init))
        self._push_bound(node.accumulator, node.init)
        self._push_variables(node)
        step = plus(self.cost(node.condition), self.cost(node.step))
        self._locals[node.variable].pop()
        if node.second:
            self._locals[node.second].pop()
        total = plus(total, self.cost(node.result))
        self._locals[node.accumulator].pop()
        count = self._size_or_unknown(node.range)
        self._loop_sizes(node, count)
        return plus(total, times(count.most, step))

    def _loop_sizes(self, node: Comprehension, count: Size) -> None:
        if isinstance(node.init, Literal):
            size = self._size(node.init)
            if size is not None:
                self._sizes[id(node)] = size
        elif isinstance(node.init, (CreateList, CreateMap)):
            self._sizes[id(node)] = count
            entries = self._entries_of(node.step)
            if entries is not None:
                self._entries[id(node)] = entries

    def _bind(self, node: Comprehension) -> int:
        total = plus(self.cost(node.range), self.cost(node.init))
        self._push_bound(node.accumulator, node.init)
        total = plus(total, self.cost(node.result))
        self._locals[node.accumulator].pop()
        self._copy_sizes(node, node.result)
        return total


def _literal_size(node: Expr) -> Size | None:
    match node:
        case Literal():
            return fixed(len(node.value) if isinstance(node.value, (str, bytes)) else 1)
        case CreateList():
            return fixed(len(node.elements))
        case CreateMap():
            return fixed(len(node.entries))
    return None


def _is_scalar(of: Type) -> bool:
    return of.kind in SCALARS or (of.is_optional and _is_scalar(of.parameters[0]))
