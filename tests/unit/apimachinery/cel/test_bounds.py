"""What an expression may build: no more than it could look at, however little it costs."""

from __future__ import annotations

import time
import tracemalloc
from typing import Any

import pytest

from localplane.apimachinery.cel import CostExceeded, base_environment, checked, compile_rules, dynamic
from localplane.apimachinery.cel.rules.budgets import PER_CALL
from localplane.apimachinery.cel.types import DYN, INT, STRING, list_of

_MOST_BYTES = 64 * 2**20
_TEXT = "a" * 2000
_NUMBERS = list(range(20_000))
_TYPES = {"s": STRING, "l": list_of(INT), "d": DYN}


def evaluated(text: str) -> Any:
    environment = base_environment().with_variables(_TYPES)
    program = checked(text, environment).program(environment)
    variables = {"s": _TEXT, "l": dynamic(_NUMBERS), "d": dynamic(_NUMBERS)}
    return program.evaluate(variables, limit=PER_CALL)[0]


@pytest.mark.parametrize(
    "text",
    [
        "s.replace('a', s).replace('a', s) == ''",
        "s.replace('', s).replace('a', s, 1000000) == ''",
        "lists.range(1000).map(i, s.replace('a', s)).size() == 0",
        "[" + ", ".join(["s.replace('a', s)"] * 200) + "].join() == ''",
        "lists.range(20000).map(i, s).join(s) == ''",
        "lists.range(20000).map(i, s).join() == ''",
        f"'{'%s' * 6000}'.format([{', '.join(['s'] * 6000)}]) == ''",
        "'%s'.format([lists.range(100).map(i, lists.range(100).map(j, s))]) == ''",
        "'%s'.format([lists.range(100).map(i, {'k': lists.range(100).map(j, s)})]) == ''",
        "lists.range(1000).map(i, '%s'.format([lists.range(10).map(j, s)])).size() == 0",
        f"({' + '.join(['l'] * 100)}).size() == 0",
        f"({' + '.join(['d'] * 100)}).size() == 0",
        "lists.range(1000).map(i, l + l).size() == 0",
        "lists.range(1000).map(i, l).flatten().size() == 0",
        "lists.range(100).map(i, lists.range(100).map(j, l)).flatten(2).size() == 0",
    ],
    ids=lambda text: text[:60],
)
def test_an_expression_ends_before_it_has_built_too_much(text: str) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(CostExceeded):
            evaluated(text)
        assert tracemalloc.get_traced_memory()[1] < _MOST_BYTES
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "text",
    [
        "s.replace('a', 'bb').size() == 4000",
        "s.replace('a', '%s').size() == 4000",
        "s.substring(1000).replace('a', s).size() == 2000000",
        "s.replace('a', 'bb', 3).size() == 2003",
        "s.replace('', 'b', 2) == 'bab' + s.substring(1)",
        "(l + l).size() == 40000",
        "[l, l].flatten().size() == 40000",
        "[s, s].join('-').size() == 4001",
        "'%s-%s'.format([s, {'b': 1, 'a': [1, 2]}]) == s + '-{\"a\":[1, 2], \"b\":1}'",
    ],
)
def test_what_is_large_but_can_be_looked_at_is_built(text: str) -> None:
    assert evaluated(text) is True


def test_a_set_of_many_thousands_is_compared_at_once() -> None:
    texts = {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}}
    rules = [{"rule": "self == oldSelf && (self + oldSelf).size() == size(self)"}]
    compiled = compile_rules({"type": "object", "properties": {"spec": {**texts, "x-kubernetes-validations": rules}}})
    names = [f"name-{number}" for number in range(50_000)]
    assert list(compiled.validate({"spec": names[::-1]}, {"spec": names})) == []
    assert len(list(compiled.validate({"spec": [*names[1:], "other"]}, {"spec": names}))) == 1


def test_a_set_may_hold_what_is_no_text() -> None:
    items = {"type": "object", "x-kubernetes-map-type": "atomic", "properties": {"a": {"type": "integer"}}}
    schema = {"type": "array", "x-kubernetes-list-type": "set", "items": items}
    rules = [{"rule": "self == oldSelf"}]
    compiled = compile_rules({"type": "object", "properties": {"spec": {**schema, "x-kubernetes-validations": rules}}})
    assert list(compiled.validate({"spec": [{"a": 1}, {"a": 2}]}, {"spec": [{"a": 2}, {"a": 1}]})) == []
    assert len(list(compiled.validate({"spec": [{"a": 1}, {"a": 3}]}, {"spec": [{"a": 2}, {"a": 1}]}))) == 1


@pytest.mark.parametrize("rule", ["self.a.all(x, x > self.b[0])", "self.a.all(x, x > self.o.b[0])"])
def test_a_list_is_read_once_however_often_a_rule_looks_at_it(rule: str) -> None:
    numbers = {"type": "array", "items": {"type": "integer"}}
    within = {"type": "object", "properties": {"b": numbers}}
    properties = {"a": numbers, "b": numbers, "o": within}
    schema = {"type": "object", "properties": properties, "x-kubernetes-validations": [{"rule": rule}]}
    compiled = compile_rules({"type": "object", "properties": {"spec": schema}})
    many = list(range(30_000))
    start = time.process_time()
    assert list(compiled.validate({"spec": {"a": many[1:], "b": many, "o": {"b": many}}}, None)) == []
    assert time.process_time() - start < 15, "once for each element of the other list would take a minute"


def test_an_object_without_a_schema_is_read_once_too() -> None:
    environment = base_environment().with_variables({"d": DYN})
    program = checked("d.a.all(x, x > d.b[0])", environment).program(environment)
    start = time.process_time()
    assert program.evaluate({"d": dynamic({"a": _NUMBERS[1:], "b": _NUMBERS})}, limit=PER_CALL)[0] is True
    assert time.process_time() - start < 15
