"""Whole objects: JSON, YAML, KYAML, names, columns, sorted."""

from __future__ import annotations

from typing import Any

import pytest

from kctl.command_line.flags import parse as parse_flags
from kctl.command_line.flags import switch
from kctl.errors import KctlError
from kctl.printers.choice import GET_FORMATS, output_flags, printer_for
from kctl.printers.sorting import sorted_by

OBJECT: dict[str, Any] = {
    "kind": "ConfigMap",
    "apiVersion": "v1",
    "metadata": {"name": "a", "managedFields": [{"manager": "m"}]},
    "data": {"z": "<1>", "a": "one\ntwo\n", "yes": "12"},
}
LIST = {"kind": "List", "apiVersion": "v1", "metadata": {}, "items": [OBJECT, {**OBJECT, "kind": "Secret"}]}


def printed(output: str, *more: str, obj: dict[str, Any] = OBJECT) -> str:
    flags = (*output_flags(GET_FORMATS), switch("no-headers", ""))
    written: list[str] = []
    given = parse_flags(["-o", output, *more], flags)
    printer_for(given, formats=GET_FORMATS).print(obj, written.append)
    return "".join(written)


def test_json_is_indented_sorted_and_escaped_as_go_does_it() -> None:
    assert printed("json") == (
        '{\n    "apiVersion": "v1",\n    "data": {\n        "a": "one\\ntwo\\n",\n        "yes": "12",\n'
        '        "z": "\\u003c1\\u003e"\n    },\n    "kind": "ConfigMap",\n    "metadata": {\n        "name": "a"\n'
        "    }\n}\n"
    )


def test_kyaml_quotes_every_string_and_keys_where_they_have_to_be() -> None:
    assert printed("kyaml") == (
        '---\n{\n  apiVersion: "v1",\n  data: {\n    a: "\\\n       one\\n\\\n       two\\n\\\n      ",\n'
        '    "yes": "12",\n    z: "<1>",\n  },\n  kind: "ConfigMap",\n  metadata: {\n    name: "a",\n  },\n}\n'
    )


def test_managed_fields_are_shown_only_on_request() -> None:
    assert "managedFields" not in printed("yaml")
    assert "managedFields" in printed("yaml", "--show-managed-fields")


def test_names_of_a_list_are_a_line_each() -> None:
    assert printed("name", obj=LIST) == "configmap/a\nsecret/a\n"
    assert printed("name", obj={"kind": "Deployment", "apiVersion": "apps/v1", "metadata": {"name": "w"}}) == (
        "deployment.apps/w\n"
    )


def test_custom_columns_have_headers_and_none_for_what_is_missing() -> None:
    assert printed("custom-columns=NAME:.metadata.name,Z:data.z,X:{.nope}", obj=LIST) == (
        "NAME   Z     X\na      <1>   <none>\na      <1>   <none>\n"
    )
    assert printed("custom-columns=N:.metadata.name", "--no-headers") == "a\n"


UNUSABLE = [
    ("bogus", 'unable to match a printer suitable for the output format "bogus", allowed formats are: custom-columns,'),
    ("custom-columns=NAME", "unexpected custom-columns spec: NAME, expected <header>:<json-path-expr>"),
    ("custom-columns", "custom-columns format specified but no custom columns given"),
    ("jsonpath", "template format specified but no template given"),
    ("jsonpath={.a[", "error parsing jsonpath {.a[, unterminated array"),
    ("go-template={{.a", "error parsing template {{.a, template: output:1: unclosed action"),
    ("jsonpath-file=/nope", "error reading --template /nope, open /nope: no such file or directory"),
]


@pytest.mark.parametrize(("output", "beginning"), UNUSABLE, ids=[output for output, _ in UNUSABLE])
def test_a_format_that_can_not_be_used_is_refused(output: str, beginning: str) -> None:
    with pytest.raises(KctlError) as refusal:
        printed(output)
    assert str(refusal.value).startswith(beginning)


def test_sorting_knows_quantities_and_puts_those_without_the_field_first() -> None:
    objects = [{"n": name, "q": size} for name, size in (("a", "1Gi"), ("b", "200Mi"), ("c", "3k"))]
    objects.append({"n": "d"})
    assert [one["n"] for one in sorted_by(".q", objects, objects)] == ["d", "c", "b", "a"]


def test_sorting_by_what_nobody_has_is_an_error() -> None:
    with pytest.raises(KctlError, match="couldn't find any field with path"):
        sorted_by(".x", [{"a": 1}, {"a": 2}], [{"a": 1}, {"a": 2}])
