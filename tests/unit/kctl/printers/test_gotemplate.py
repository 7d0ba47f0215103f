"""Go templates, as kubectl users write them."""

from __future__ import annotations

import pytest

from localplane.apimachinery.golang.template import TemplateError, TemplateSyntaxError, execute, parse

OBJECT = {
    "kind": "List",
    "items": [
        {"metadata": {"name": "a", "labels": {"x": "1", "y": "2"}}, "spec": {"replicas": 3, "big": 12345678}},
        {"metadata": {"name": "b"}, "data": {"k": "aGk="}},
    ],
}

WRITTEN = [
    ("plain", "plain"),
    ("{{.kind}}", "List"),
    ('{{range .items}}{{.metadata.name}}{{"\\n"}}{{end}}', "a\nb\n"),
    ("{{range $i, $x := .items}}{{$i}}={{$x.metadata.name}} {{end}}", "0=a 1=b "),
    ("{{range $k, $v := (index .items 0).metadata.labels}}{{$k}}{{$v}}{{end}}", "x1y2"),
    ("{{range .none}}x{{else}}empty{{end}}", "empty"),
    ('{{range .items}}{{if eq .metadata.name "b"}}{{break}}{{end}}{{.metadata.name}}{{end}}', "a"),
    ('{{range .items}}{{if eq .metadata.name "a"}}{{continue}}{{end}}{{.metadata.name}}{{end}}', "b"),
    ("{{with .items}}{{len .}}{{end}}", "2"),
    ("{{with .none}}x{{else}}y{{end}}", "y"),
    ("{{if .none}}x{{else if .kind}}y{{else}}z{{end}}", "y"),
    ("{{if and .kind (not .none)}}yes{{end}}", "yes"),
    ("{{or .none .kind}}", "List"),
    ("{{(index .items 0).spec.replicas}}", "3"),
    ("{{(index .items 0).spec.big}}", "12345678"),
    ('{{printf "%T %T" (index .items 0).spec.big 1}}', "int64 int"),
    ("{{gt (index .items 0).spec.replicas 2}}", "true"),
    ("{{.kind |}}", "List"),
    ("{{.none}}", "<no value>"),
    ("{{.none.deeper}}", "<no value>"),
    ('{{printf "%-5s|%5.1f|%q|%v" .kind 2.25 "x" .none}}', 'List |  2.2|"x"|<nil>'),
    ("{{- .kind -}} ", "List"),
    ("{{/* a comment */}}x", "x"),
    ('{{$x := "a"}}{{if true}}{{$x = "b"}}{{end}}{{$x}}', "b"),
    ('{{define "T"}}<{{.}}>{{end}}{{template "T" .kind}}', "<List>"),
    ('{{block "B" .kind}}[{{.}}]{{end}}', "[List]"),
    ("{{(index .items 1).data.k | base64decode}}", "hi"),
    ('{{exists .items 0 "spec"}}{{exists .items 1 "spec"}}', "truefalse"),
    ('{{index .items 0 "metadata" "name"}}', "a"),
    ('{{slice "abcdef" 1 3}}{{len "é"}}', "bc2"),
    ('{{"a" | print "b"}}{{print 1 2 "x" 3}}', "ba1 2x3"),
    ('{{html "<a&b>"}}{{urlquery "a b"}}', "&lt;a&amp;b&gt;a+b"),
    ('{{eq .kind "x" "List"}}{{ne 1 2}}{{lt 1 2}}{{ge 2.5 2.5}}', "truetruetruetrue"),
    ("{{range 3}}{{.}}{{end}}", "012"),
    ("{{`raw \\n`}}", "raw \\n"),
]


@pytest.mark.parametrize(("text", "expected"), WRITTEN, ids=[text for text, _ in WRITTEN])
def test_a_template_writes_what_go_writes(text: str, expected: str) -> None:
    assert execute(parse(text, "output"), OBJECT) == expected


UNREADABLE = [
    ("{{.a", "template: output:1: unclosed action"),
    ("a\n{{range .items}}", "template: output:2: unexpected EOF"),
    ("{{end}}", "template: output:1: unexpected {{end}}"),
    ("{{nope .}}", 'template: output:1: function "nope" not defined'),
    ("{{$x}}", 'template: output:1: undefined variable "$x"'),
    ('{{"a}}', "template: output:1: unterminated quoted string"),
    ("{{/* a", "template: output:1: unclosed comment"),
    ("{{}}", "template: output:1: missing value for command"),
    ("{{.a | | .b}}", 'template: output:1: unexpected "|" in command'),
]


@pytest.mark.parametrize(("text", "message"), UNREADABLE, ids=[text for text, _ in UNREADABLE])
def test_what_can_not_be_read_is_refused_in_gos_words(text: str, message: str) -> None:
    with pytest.raises(TemplateSyntaxError) as refusal:
        parse(text, "output")
    assert str(refusal.value) == message


FAILING = [
    ("{{.kind.x}}", '1:7: executing "output" at <.kind.x>: can\'t evaluate field x in type interface {}'),
    ("{{range .kind.x}}{{end}}", '1:13: executing "output" at <.kind.x>: can\'t evaluate field x in type interface {}'),
    ("{{len 3}}", '1:2: executing "output" at <len 3>: error calling len: len of type int'),
    ("{{index .items 7}}", '1:2: executing "output" at <index .items 7>: error calling index: index out of range: 7'),
    (
        "{{lt 1 1.5}}",
        '1:2: executing "output" at <lt 1 1.5>: error calling lt: incompatible types for comparison: int and float64',
    ),
    ("{{range .kind}}{{end}}", '1:8: executing "output" at <.kind>: range can\'t iterate over List'),
    (
        "{{range $i, $x := 3}}{{end}}",
        '1:18: executing "output" at <3>: can\'t use 3 to iterate over more than one variable',
    ),
    (
        "{{call .kind}}",
        '1:2: executing "output" at <call .kind>: error calling call: non-function .kind of type string',
    ),
    (
        '{{template "none"}}',
        '1:11: executing "output" at <{{template "none"}}>: template "none" not defined',
    ),
    (
        '{{define "x"}}{{if .}}{{template "x" .}}{{end}}{{end}}{{template "x" .}}',
        '1:33: executing "x" at <{{template "x" .}}>: exceeded maximum template depth (100000)',
    ),
    ("{{len}}", '1:2: executing "output" at <len>: wrong number of args for len: want 1 got 0'),
]


@pytest.mark.parametrize(("text", "message"), FAILING, ids=[text for text, _ in FAILING])
def test_what_fails_says_where_and_why(text: str, message: str) -> None:
    with pytest.raises(TemplateError) as failure:
        execute(parse(text, "output"), OBJECT)
    assert str(failure.value) == f"template: output:{message}"


def test_a_missing_key_is_an_error_only_if_it_is_said_to_be() -> None:
    with pytest.raises(TemplateError, match='map has no entry for key "nope"'):
        execute(parse("{{.nope.x}}", "output"), OBJECT, missing_is_error=True)
