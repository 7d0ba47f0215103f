"""x-kubernetes-validations: what a definition is told, and what its objects are told."""

from __future__ import annotations

from typing import Any

import pytest

from localplane.apimachinery.cel import compile_rules
from localplane.apimachinery.cel.rules.evaluation import review
from localplane.apimachinery.fieldpath import Path

STRING: dict[str, Any] = {"type": "string"}
INTEGER: dict[str, Any] = {"type": "integer"}
Rule = str | dict[str, Any]


def obj(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def array(items: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "array", "items": items, **more}


def ruled(schema: dict[str, Any], *rules: Rule) -> dict[str, Any]:
    return {**schema, "x-kubernetes-validations": [{"rule": r} if isinstance(r, str) else r for r in rules]}


def errors_of(schema: dict[str, Any], new: Any, old: Any = None) -> list[str]:
    compiled = compile_rules(obj(spec=schema))
    assert [error for error in compiled.errors if "cost" not in error.detail] == []
    wrapped = {"spec": old} if old is not None else None
    return [str(error) for error in compiled.validate({"spec": new}, wrapped)]


def refusals_of(schema: dict[str, Any]) -> list[str]:
    return [str(error) for error in compile_rules(obj(spec=schema), path=Path("schema")).errors]


AT = "schema.properties[spec].x-kubernetes-validations"


def shown(rule: str, **more: str) -> str:
    return (
        f'{{"Rule":"{rule}","Message":"","MessageExpression":"{more.get("message", "")}","Reason":null,'
        '"FieldPath":"","OptionalOldSelf":null}'
    )


def test_a_broken_rule_names_itself_or_its_message() -> None:
    schema = ruled(
        obj(a=INTEGER, b=STRING, m={"type": "object", "additionalProperties": STRING}),
        {"rule": "self.a > 5", "message": " too small ", "reason": "FieldValueForbidden"},
        {"rule": "self.a > 6", "messageExpression": "'a is ' + string(self.a)", "fieldPath": ".a"},
        {"rule": "self.a > 7", "messageExpression": "''", "message": "fallback"},
        {"rule": "self.a > 9", "messageExpression": "self.m.q"},
        {"rule": "self.a > 9", "reason": "FieldValueRequired", "fieldPath": ".m['a b']", "message": "give"},
        "  self.a > 10 ",
    )
    assert errors_of(schema, {"a": 1, "b": "x", "m": {"k": "v"}}) == [
        "spec: Forbidden: too small",
        "spec.a: Invalid value: a is 1",
        "spec: Invalid value: fallback",
        "spec: Invalid value: failed rule: self.a > 9",
        "spec.m[a b]: Required value: give",
        "spec: Invalid value: failed rule: self.a > 10",
    ]


def test_values_are_shown_unless_they_are_large() -> None:
    schema = obj(
        i=ruled(INTEGER, "self > 5"),
        s=ruled(STRING, "self.size() > 3"),
        l=ruled(array(ruled(STRING, "self != 'x'")), "self.size() > 2"),
        m=ruled({"type": "object", "additionalProperties": ruled(INTEGER, "self > 1")}, "'a' in self"),
    )
    assert errors_of(schema, {"i": 1, "s": "abc", "l": ["x", "y"], "m": {"k": 1}}) == [
        "spec.i: Invalid value: 1: failed rule: self > 5",
        'spec.s: Invalid value: "abc": failed rule: self.size() > 3',
        "spec.l: Invalid value: failed rule: self.size() > 2",
        "spec.l[0]: Invalid value: \"x\": failed rule: self != 'x'",
        "spec.m: Invalid value: failed rule: 'a' in self",
        "spec.m[k]: Invalid value: 1: failed rule: self > 1",
    ]


def test_a_rule_that_cannot_be_evaluated_is_broken() -> None:
    schema = ruled(
        obj(l=array(INTEGER), a=INTEGER, i={"x-kubernetes-int-or-string": True}),
        "self.l[5] == 1",
        "self.a / 0 == 1",
        "has(self.a) && self.i < 3",
        {"rule": "self.l.map(x, 1 / x).size() == 1", "message": "all but zero"},
    )
    overload = "call arguments did not match a supported operator, function or macro signature for rule:"
    assert errors_of(schema, {"l": [0, 1], "a": 1, "i": "x"}) == [
        'spec: Invalid value: "object": index out of bounds: 5 evaluating rule: self.l[5] == 1',
        'spec: Invalid value: "object": division by zero evaluating rule: self.a / 0 == 1',
        f"spec: Invalid value: \"object\": 'no such overload': {overload} has(self.a) && self.i < 3",
        'spec: Invalid value: "object": division by zero evaluating rule: all but zero',
    ]


def test_transition_rules_need_an_old_value() -> None:
    schema = obj(x=ruled(STRING, "self == oldSelf"))
    assert errors_of(schema, {"x": "b"}) == []
    assert errors_of(schema, {"x": "b"}, {}) == []
    assert errors_of(schema, {"x": "b"}, {"x": "a"}) == ['spec.x: Invalid value: "b": failed rule: self == oldSelf']


def test_an_optional_old_self_is_asked_about_every_time() -> None:
    rule = {"rule": "oldSelf.orValue('z') == 'z'", "optionalOldSelf": True}
    schema = obj(x=ruled(STRING, rule))
    assert errors_of(schema, {"x": "a"}) == []
    assert len(errors_of(schema, {"x": "a"}, {"x": "b"})) == 1


def test_items_of_a_map_list_are_compared_by_key() -> None:
    items = ruled(obj(n=STRING, v=INTEGER), "self.v >= oldSelf.v")
    schema = obj(l=array(items, **{"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["n"]}))
    new, old = [{"n": "a", "v": 1}, {"n": "b", "v": 5}], [{"n": "b", "v": 7}, {"n": "a", "v": 1}]
    assert errors_of(schema, {"l": new}, {"l": old}) == ["spec.l[1]: Invalid value: failed rule: self.v >= oldSelf.v"]


def test_what_did_not_change_only_warns() -> None:
    compiled = compile_rules(obj(spec=obj(a=ruled(INTEGER, "self > 5"), b=ruled(INTEGER, "self > 5"))))
    found = compiled.review({"spec": {"a": 1, "b": 2}}, {"spec": {"a": 1, "b": 1}})
    assert [str(error) for error in found.errors] == ["spec.b: Invalid value: 2: failed rule: self > 5"]
    assert [str(error) for error in found.warnings] == ["spec.a: Invalid value: 1: failed rule: self > 5"]


def test_a_schema_decides_what_values_are() -> None:
    schema = ruled(
        obj(
            **{"a-b": INTEGER, "namespace": STRING, "x.y/z": INTEGER, "a__b": INTEGER},
            d={"type": "string", "format": "duration"},
            t={"type": "string", "format": "date-time"},
            b={"type": "string", "format": "byte"},
            n={"type": "number"},
            nul={"type": "string", "nullable": True},
            s1=array(STRING, **{"x-kubernetes-list-type": "set"}),
            s2=array(STRING, **{"x-kubernetes-list-type": "set"}),
            e={"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True},
        ),
        "self.a__dash__b == 1 && self.namespace == 'n' && self.__namespace__ == 'n' && self.x__dot__y__slash__z == 2",
        "self.a__underscores__b == 3 && !has(self.nul)",
        "self.d > duration('1h') && self.t.getFullYear() == 2020 && self.b == b'hi' && self.n == 2.0",
        "self.s1 == self.s2 && self.s1 == ['b', 'a'] && (self.s1 + ['c', 'a']).size() == 3",
        "self.e.kind == 'Pod' && self.e.metadata.name == 'p'",
    )
    value = {
        "a-b": 1,
        "namespace": "n",
        "x.y/z": 2,
        "a__b": 3,
        "nul": None,
        "d": "90m",
        "t": "2020-01-01T00:00:00Z",
        "b": "aGk=",
        "n": 2,
        "s1": ["a", "b"],
        "s2": ["b", "a"],
        "e": {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "p", "labels": {}}, "more": 1},
    }
    assert errors_of(schema, value) == []


def test_the_root_knows_its_type_and_its_names() -> None:
    schema = ruled(obj(spec=obj(a=INTEGER)), "self.metadata.name == 'x'", "self.kind == 'Y'")
    compiled = compile_rules(schema)
    assert compiled.errors == []
    assert compiled.validate({"kind": "Y", "apiVersion": "v1", "metadata": {"name": "x", "labels": {}}}) == []
    undefined = compile_rules(ruled(obj(), "self.metadata.labels.size() > 1")).errors
    assert "undefined field 'labels'" in str(undefined[0])


def test_a_definition_is_told_what_its_rules_lack() -> None:
    schema = ruled(
        obj(a=STRING),
        "self.x == 1",
        "self.a",
        "'a'.find('[') == ''",
        {"rule": "self.a == 'x'", "messageExpression": "1"},
        {"rule": "self.a == 'x'", "optionalOldSelf": True},
    )
    undefined = "compilation failed: ERROR: <input>:1:5: undefined field 'x'\n | self.x == 1\n | ....^"
    pattern = "program instantiation failed: error parsing regexp: missing closing ]: `[`"
    message = "messageExpression must evaluate to a string"
    third, fourth = shown("'a'.find('[') == ''"), shown("self.a == 'x'", message="1")
    assert refusals_of(schema) == [
        f"{AT}[0].rule: Invalid value: {shown('self.x == 1')}: {undefined}",
        f"{AT}[1].rule: Invalid value: {shown('self.a')}: cel expression must evaluate to a bool",
        f"{AT}[2].rule: Invalid value: {third}: {pattern}",
        f"{AT}[3].messageExpression: Invalid value: {fourth}: {message}",
        f"{AT}[4].optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule",
    ]


def test_old_values_must_be_findable() -> None:
    place = "schema.properties[spec].properties[l]"
    words = "oldSelf cannot be used on the uncorrelatable portion of the schema within"
    said = f'{place}.items.x-kubernetes-validations[0].rule: Invalid value: "self == oldSelf": {words} {place}'
    assert refusals_of(obj(l=array(ruled({**STRING, "maxLength": 5}, "self == oldSelf"), maxItems=5))) == [said]


_HINT = (
    "(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are"
    " declared)"
)


@pytest.mark.parametrize(
    ("items", "length", "factor"), [(None, None, "more than 100x"), (500, 100, "1.125300x"), (10, 20, None)]
)
def test_a_rule_may_not_cost_too_much(items: int | None, length: int | None, factor: str | None) -> None:
    element = {**STRING, **({"maxLength": length} if length else {})}
    values = array(element, **({"maxItems": items} if items else {}))
    found = refusals_of(ruled(obj(l=values), "self.l.all(x, self.l.all(y, x != y))"))
    said = f"{AT}[0].rule: Forbidden: estimated rule cost exceeds budget by factor of {factor} {_HINT}"
    assert found[:1] == ([said] if factor else [])
    assert bool(found[1:]) == (factor == "more than 100x")


def test_objects_have_a_budget() -> None:
    place = compile_rules(obj(l=array(ruled(INTEGER, "[1, 2, 3].all(x, x * self >= 0)")))).place
    assert place is not None
    found = review(place, {"l": [1] * 50}, None, Path(), budget=500).errors
    words = "validation failed due to running out of cost budget, no further validation rules will be run"
    assert [error.detail for error in found] == [words]


def test_one_evaluation_has_a_budget() -> None:
    rule = "self.all(x, self.all(y, self.all(z, x + y + z >= 0)))"
    schema = obj(l=array({**INTEGER}, maxItems=20))
    schema["properties"]["l"] = ruled(schema["properties"]["l"], rule)
    compiled = compile_rules(schema)
    assert compiled.errors == []
    found = compiled.validate({"l": list(range(110))})
    words = (
        "'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost"
    )
    assert [error.detail for error in found] == [f"{words} exceeds limit for rule: {rule}"]


def test_rules_below_what_is_broken_already_wait() -> None:
    schema = obj(spec=ruled(obj(a=STRING), "self.x == 1"), other=ruled(obj(a=STRING), "self.y == 1"))
    compiled = compile_rules(schema, path=Path("s"), broken=["s.properties[spec].properties[a].type"])
    assert [error.field for error in compiled.errors] == ["s.properties[other].x-kubernetes-validations[0].rule"]
