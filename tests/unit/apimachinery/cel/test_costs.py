"""What expressions cost, counted and estimated. The numbers are cel-go's."""

from __future__ import annotations

from typing import Any

import pytest

from localplane.apimachinery.cel import CostExceeded, base_environment, checked, dynamic
from localplane.apimachinery.cel.costs.estimates import estimated
from localplane.apimachinery.cel.types import DYN

OBJECT: dict[str, Any] = {"a": 1, "s": "abcd", "l": [1, 2, 3], "m": {"a": "a", "b": "b"}}

COUNTED = {
    "[1, 2, 3].map(x, x * 2)": 43,
    "self.a > 0 ? self.a : 7": 4,
    "self.l[1 + 1]": 4,
    "self.l.map(x, self.l[x - 1])": 54,
    "self.l.all(x, x > 0)": 18,
    "self.l.exists(x, x == 2)": 18,
    "self.m.all(k, self.m[k] == k)": 19,
    "self.s.contains('bc') && self.s.startsWith('a') && self.s.matches('^a.*d$')": 10,
    "self.?zz.orValue(3)": 1,
    "has(self.a)": 1,
    "self.s in ['abcd', 'x']": 2,
    "self.s.replace('a', 'bb').split('b').join('-')": 5,
    "sets.contains([1, 2], [2])": 3,
    "format.dns1123Label().validate('abc').hasValue()": 10,
}


@pytest.mark.parametrize(("text", "cost"), COUNTED.items())
def test_evaluating_costs(text: str, cost: int) -> None:
    environment = base_environment().with_variables({"self": DYN})
    program = checked(text, environment).program(environment)
    assert program.evaluate({"self": dynamic(OBJECT)})[1] == cost


ESTIMATED = {
    "[1, 2, 3].map(x, x * 2)": 63,
    "type(1) == int": 1844674407370955266,
    "lists.range(3)": 14,
    "'%s %d'.format(['a', 1])": 11,
    "[[1], [2]].flatten()": 43,
    "{'a': 1}.transformMapEntry(k, v, {v: k})": 95,
    "dyn('abc').all(x, x)": 14,
}


@pytest.mark.parametrize(("text", "cost"), ESTIMATED.items())
def test_the_most_it_may_cost_is_known_before(text: str, cost: int) -> None:
    assert estimated(checked(text, base_environment()).tree, None) == cost


def test_an_evaluation_ends_where_its_limit_is() -> None:
    environment = base_environment()
    program = checked("lists.range(1000).all(x, lists.range(1000).all(y, x + y >= 0))", environment).program(
        environment
    )
    with pytest.raises(CostExceeded, match="operation cancelled: actual cost limit exceeded"):
        program.evaluate({}, limit=10_000)
