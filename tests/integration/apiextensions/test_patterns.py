"""Patterns of definitions that people install, and texts that they were not written for."""

from __future__ import annotations

import pytest

from localplane.apimachinery.errors import Invalid
from localplane.compose.server import Plane
from tests.integration.apiextensions.definitions import DEFINITIONS, custom, definition, of_spec, version, widgets

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(60)]

_HEADER_VALUE = r"^[!-~]+([\t ]?[!-~]+)*$"


async def test_a_header_of_an_http_route_that_ends_with_a_blank_is_refused_at_once(plane: Plane) -> None:
    """The header filters of Gateway API's HTTPRoute, in its own shape."""
    group = "gateway.example.com"
    value = {"type": "string", "minLength": 1, "maxLength": 4096, "pattern": _HEADER_VALUE}
    header = {"type": "object", "properties": {"name": {"type": "string"}, "value": value}}
    modifier = {"type": "object", "properties": {"set": {"type": "array", "items": header}}}
    filters = {"type": "array", "items": {"type": "object", "properties": {"responseHeaderModifier": modifier}}}
    rules = {"type": "array", "items": {"type": "object", "properties": {"filters": filters}}}
    await plane.client.resource(DEFINITIONS).create(
        definition(group, version("v1", of_spec(rules=rules)), plural="httproutes", kind="HTTPRoute")
    )
    routes = widgets(plane.client, group, plural="httproutes")

    def route(name: str, text: str) -> dict[str, object]:
        headers = [{"name": "Strict-Transport-Security", "value": text}]
        spec = {"rules": [{"filters": [{"responseHeaderModifier": {"set": headers}}]}]}
        return custom(group, name, spec, kind="HTTPRoute")

    policy = "max-age=31536000;includeSubDomains"
    await routes.create(route("right", policy))
    for number, text in enumerate((policy + " ", policy * 100 + " ")):
        with pytest.raises(Invalid) as refused:
            await routes.create(route(f"wrong-{number}", text))
        field = "spec.rules[0].filters[0].responseHeaderModifier.set[0].value"
        assert str(refused.value).endswith(
            f"{field}: Invalid value: \"{text}\": {field} in body should match '{_HEADER_VALUE}'"
        )


async def test_a_text_that_is_too_long_for_a_large_pattern_is_refused_and_told_why(plane: Plane) -> None:
    group, pattern = "large.example.com", "(a|b)*a(a|b){900}"
    schema = of_spec(text={"type": "string", "pattern": pattern})
    await plane.client.resource(DEFINITIONS).create(definition(group, version("v1", schema)))
    with pytest.raises(Invalid) as refused:
        await widgets(plane.client, group).create(custom(group, "w", {"text": "ab" * 400_000}))
    assert f"should match '{pattern}, but the text is too long for a pattern of this size'" in str(refused.value)


async def test_a_rule_whose_pattern_meets_a_text_it_was_not_written_for_is_judged_at_once(plane: Plane) -> None:
    group = "rules.example.com"
    schema = of_spec(text={"type": "string", "maxLength": 4096})
    schema["properties"]["spec"]["x-kubernetes-validations"] = [
        {"rule": "self.text.matches('^(a+)+$') && size(self.text.findAll('(a+)+')) == 1", "message": "a's only"}
    ]
    await plane.client.resource(DEFINITIONS).create(definition(group, version("v1", schema)))
    await widgets(plane.client, group).create(custom(group, "right", {"text": "a" * 4000}))
    with pytest.raises(Invalid) as refused:
        await widgets(plane.client, group).create(custom(group, "wrong", {"text": "a" * 4000 + "!"}))
    assert str(refused.value).endswith("spec: Invalid value: a's only")
