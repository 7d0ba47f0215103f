"""Macros over lists and maps as loops. What they become in the tree, and cost, is said in `macros`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final

from localplane.apimachinery.cel.errors import CostExceeded, EvaluationError, no_such_overload
from localplane.apimachinery.cel.interpreter import program
from localplane.apimachinery.cel.library.optionals import inserted
from localplane.apimachinery.cel.parser.tree import Comprehension, Ident, descendants
from localplane.apimachinery.cel.values import Map, Mapper, type_of_value

if TYPE_CHECKING:
    from .program import Code, Compiler, Frame


def compile_comprehension(compiler: Compiler, node: Comprehension) -> Code:
    if node.macro == "bind":
        return _bound(compiler, node)
    over = compiler.compile(node.range)
    slots = [compiler.declare(name) for name in (node.variable, node.second) if name]
    body = compiler.compile(node.body)
    test = compiler.compile(node.filter) if node.filter is not None else None
    compiler.forget(len(slots))
    make = _MAKERS[node.macro]
    return make(over, Items(slots), body, test)


def _bound(compiler: Compiler, node: Comprehension) -> program.Code:
    value = compiler.compile(node.init)
    slot = compiler.declare(node.accumulator)
    result = compiler.compile(node.result)
    compiler.forget(1)
    if not any(isinstance(each, Ident) and each.name == node.accumulator for each in descendants(node.result)):
        return result  # a value that nobody asks for is never computed
    compute, answer = value.run, result.run

    def run(frame: Frame) -> Any:
        frame[slot] = compute(frame)
        return answer(frame)

    return program.Code(run, value.cost + result.cost)


_GO_TYPES: Final = {
    "int": "types.Int",
    "uint": "types.Uint",
    "double": "types.Double",
    "string": "types.String",
    "bool": "types.Bool",
    "bytes": "types.Bytes",
    "null_type": "types.Null",
}


class Items:
    """The elements of a range, put into the frame one after the other."""

    __slots__ = ("first", "second")

    def __init__(self, slots: list[int]) -> None:
        self.first = slots[0]
        self.second = slots[1] if len(slots) == 2 else 0

    def __call__(self, frame: Frame, values: Any) -> Iterator[None]:
        return self._two(frame, values) if self.second else self._one(frame, values)

    def _one(self, frame: Frame, values: Any) -> Iterator[None]:
        if not isinstance(values, list):
            if not isinstance(values, Mapper):
                raise EvaluationError(f"got '{_go_type(values)}', expected iterable type")
            values = values.each_key()
        slot = self.first
        for each in values:
            frame[slot] = each
            yield

    def _two(self, frame: Frame, values: Any) -> Iterator[None]:
        if isinstance(values, list):
            pairs: Iterator[tuple[Any, Any]] = iter(enumerate(values))
        elif isinstance(values, Mapper):
            pairs = ((key, values.find(key)) for key in values.each_key())
        else:
            raise EvaluationError(f"unsupported comprehension range type: {_go_type(values)}")
        for key, value in pairs:
            frame[self.first], frame[self.second] = key, value
            yield


def _go_type(value: Any) -> str:
    name = type_of_value(value).name
    return _GO_TYPES.get(name, name)


_Maker = Callable[["Code", Items, "Code", "Code | None"], "Code"]


def _charge(frame: Frame, cost: int) -> None:
    frame[0] += cost
    if frame[0] > frame[1]:
        raise CostExceeded


def _quantifier(*, decisive: bool) -> Callable[[Code, Items, Code, Code | None], Code]:
    """all and exists: one element may decide, and then errors of others don't matter."""
    looking = 3 if decisive else 2

    def make(over: program.Code, items: Items, body: program.Code, _: program.Code | None) -> program.Code:
        rest, predicate = over.run, body.run
        each_cost = looking + 1 + body.cost

        def run(frame: Frame) -> bool:
            failure: EvaluationError | None = None
            loop = items(frame, rest(frame))
            value: object
            for _ in loop:
                _charge(frame, each_cost)
                try:
                    value = predicate(frame)
                except EvaluationError as error:
                    failure = failure or error
                    continue
                if value is decisive:
                    if next(loop, _NOTHING) is not _NOTHING:
                        frame[0] += looking
                    return decisive
                if value is not (not decisive):
                    failure = failure or no_such_overload()
            if failure is not None:
                raise failure
            return not decisive

        return program.Code(run, over.cost + 1)

    return make


_NOTHING: Final = object()


def _exists_one(over: program.Code, items: Items, body: program.Code, _: program.Code | None) -> program.Code:
    rest, predicate, cost = over.run, body.run, body.cost

    def run(frame: Frame) -> bool:
        failure: EvaluationError | None = None
        count = 0
        for _ in items(frame, rest(frame)):
            _charge(frame, cost)
            try:
                if _is_true(predicate(frame)):
                    frame[0] += 2
                    count += 1
            except EvaluationError as error:
                failure = error
        if failure is not None:
            raise failure
        return count == 1

    return program.Code(run, over.cost + 2)


def _is_true(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    raise no_such_overload()


def _gathering(gather: Callable[[Any, Any, Any], Any], start: Callable[[], Any], extra: int) -> _Maker:
    """map, filter and the transformations: what passes the test is gathered. `extra` is what gathering one costs."""

    def make(over: program.Code, items: Items, body: program.Code, test: program.Code | None) -> program.Code:
        rest, transform = over.run, body.run
        passes = test.run if test is not None else None
        slot = items.first
        folded = -10 if extra >= 12 and body.is_constant else 0
        each_cost = extra + body.cost + folded
        test_cost = test.cost if test is not None else 0

        def run(frame: Frame) -> Any:
            result = start()
            failure: EvaluationError | None = None
            for _ in items(frame, rest(frame)):
                _charge(frame, test_cost)
                if passes is not None:
                    try:
                        if not _is_true(passes(frame)):
                            continue
                    except EvaluationError as error:
                        failure = error
                        continue
                frame[0] += each_cost
                try:
                    result = gather(result, frame[slot], transform(frame))
                except EvaluationError as error:
                    failure = failure or error
            if failure is not None:
                raise failure
            return result

        return program.Code(run, over.cost + 1)

    return make


def _append(result: list[Any], _: Any, value: Any) -> list[Any]:
    result.append(value)
    return result


def _insert_entries(result: Map, _: Any, value: Any) -> Map:
    for key in value.each_key():
        result = inserted(result, key, value.find(key))
    return result


_MAKERS: Final[dict[str, _Maker]] = {
    "all": _quantifier(decisive=False),
    "exists": _quantifier(decisive=True),
    "exists_one": _exists_one,
    "map": _gathering(_append, list, 12),
    "transformMapEntry": _gathering(_insert_entries, lambda: Map({}), 2),
    "transformMap": _gathering(inserted, lambda: Map({}), 3),
}
