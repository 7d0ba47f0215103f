"""Rules that cost much keep nobody waiting but the one who asked."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from localplane.apimachinery.cel.interpreter.program import Program
from localplane.apimachinery.errors import Invalid
from localplane.client import PatchType
from localplane.compose.server import Plane
from tests.integration.apiextensions.definitions import DEFINITIONS, custom, definition, of_spec, version, widgets

pytestmark = [pytest.mark.asyncio(loop_scope="module")]

_PAIRS = "self.numbers.all(x, self.numbers.exists_one(y, x == y))"


def _ruled(rule: str) -> dict[str, Any]:
    schema = of_spec(numbers={"type": "array", "maxItems": 700, "items": {"type": "integer"}})
    schema["properties"]["spec"]["x-kubernetes-validations"] = [{"rule": rule, "message": "not each once"}]
    return schema


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch) -> list[tuple[bool, int]]:
    """Of each evaluation: whether it ran on the thread of the loop, and what it might cost there."""
    seen: list[tuple[bool, int]] = []
    evaluate = Program.evaluate

    def noted(self: Program, variables: Any, *, limit: int = 0) -> Any:
        seen.append((threading.current_thread() is threading.main_thread(), limit))
        return evaluate(self, variables, limit=limit)

    monkeypatch.setattr(Program, "evaluate", noted)
    return seen


async def test_cheap_rules_run_at_once(plane: Plane, threads: list[tuple[bool, int]]) -> None:
    group = "cheap.example.com"
    await plane.client.resource(DEFINITIONS).create(definition(group, version("v1", _ruled(_PAIRS))))
    await widgets(plane.client, group).create(custom(group, "w", {"numbers": [1, 2, 3]}))
    assert [on_loop for on_loop, _ in threads] == [True]


async def test_costly_rules_go_on_in_a_thread_with_the_same_answer(
    plane: Plane, threads: list[tuple[bool, int]]
) -> None:
    group = "costly.example.com"
    await plane.client.resource(DEFINITIONS).create(definition(group, version("v1", _ruled(_PAIRS))))
    objects = widgets(plane.client, group)
    many = list(range(300))
    await objects.create(custom(group, "w", {"numbers": many}))
    assert [on_loop for on_loop, _ in threads] == [True, False]
    assert threads[0][1] < threads[1][1] == 1_000_000
    with pytest.raises(Invalid) as refused:
        await objects.patch("w", {"spec": {"numbers": [*many, 299]}}, PatchType.MERGE)
    assert str(refused.value).endswith("spec: Invalid value: not each once")
    assert [on_loop for on_loop, _ in threads] == [True, False, True, False]


async def test_a_rule_beyond_its_budget_says_so_from_a_thread_too(plane: Plane) -> None:
    group = "endless.example.com"
    await plane.client.resource(DEFINITIONS).create(definition(group, version("v1", _ruled(_PAIRS))))
    with pytest.raises(Invalid, match="operation cancelled: actual cost limit exceeded"):
        await widgets(plane.client, group).create(custom(group, "w", {"numbers": list(range(700))}))


async def test_others_are_answered_while_rules_are_looked_at(plane: Plane) -> None:
    group = "patient.example.com"
    await plane.client.resource(DEFINITIONS).create(definition(group, version("v1", _ruled(_PAIRS))))
    objects, answered = widgets(plane.client, group), 0
    writing = asyncio.ensure_future(objects.create(custom(group, "w", {"numbers": list(range(300))})))
    while not writing.done():
        await plane.client.resource(DEFINITIONS).get(f"widgets.{group}")
        await asyncio.sleep(0)  # a client without a socket answers without a pause
        answered += 1
    await writing
    assert answered > 3
