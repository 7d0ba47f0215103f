"""What an OpenAPI v2 document says about a field."""

from __future__ import annotations

from typing import Any

import pytest

from kctl.errors import KctlError
from kctl.views.explain.swagger import explain_swagger
from kctl.views.explain.text import Options
from localplane.apimachinery.groups import GroupVersionKind

KIND = GroupVersionKind("example.com", "v1", "Thing")
DOCUMENT: dict[str, Any] = {
    "definitions": {
        "com.example.v1.Thing": {
            "description": "A thing.",
            "type": "object",
            "required": ["name"],
            "properties": {
                "name": {"type": "string", "description": "What it is called."},
                "parts": {"type": "array", "items": {"$ref": "#/definitions/com.example.v1.Thing"}},
                "any": {"description": "Whatever."},
                "object": {"type": "object", "description": "Any object."},
                "sizes": {"type": "object", "additionalProperties": {"type": "integer"}, "description": "By colour."},
            },
            "x-kubernetes-group-version-kind": [{"group": "example.com", "version": "v1", "kind": "Thing"}],
        }
    }
}
HEAD = "KIND:     Thing\nVERSION:  example.com/v1\n\n"
EXPLAINED = [
    (
        ["parts"],
        Options(recursive=True),
        (
            "RESOURCE: parts <[]Object>\n\nDESCRIPTION:\n\n     A thing.\n\nFIELDS:\n   any\t<>\n   name\t<string>\n"
            "   object\t<map[string]>\n   parts\t<[]Object>\n      any\t<>\n      name\t<string>\n"
            "      object\t<map[string]>\n      parts\t<[]Object>\n      sizes\t<map[string]integer>\n"
            "   sizes\t<map[string]integer>\n"
        ),
    ),
    (
        ["parts"],
        Options(recursive=True, max_depth=1),
        (
            "RESOURCE: parts <[]Object>\n\nDESCRIPTION:\n\n     A thing.\n\nFIELDS:\n   any\t<>\n   name\t<string>\n"
            "   object\t<map[string]>\n   parts\t<[]Object>\n   sizes\t<map[string]integer>\n"
        ),
    ),
    (["name", "what", "ever"], Options(), "FIELD:    ever <string>\n\nDESCRIPTION:\n     What it is called.\n"),
    (["any", "thing"], Options(), "DESCRIPTION:\n     Whatever.\n"),
    (["object"], Options(), "DESCRIPTION:\n     Any object.\n\n     Any object.\n"),
    (["sizes"], Options(), "FIELD:    sizes <map[string]integer>\n\nDESCRIPTION:\n     By colour.\n"),
]


@pytest.mark.parametrize(("path", "options", "text"), EXPLAINED)
def test_a_field_is_explained(path: list[str], options: Options, text: str) -> None:
    assert explain_swagger(DOCUMENT, KIND, path, options) == HEAD + text


def test_what_is_required_is_marked() -> None:
    assert "\n   name\t<string> -required-\n     What it is called.\n\n" in explain_swagger(
        DOCUMENT, KIND, [], Options()
    )


def test_what_is_not_there_is_said() -> None:
    with pytest.raises(KctlError, match='field "nope" does not exist'):
        explain_swagger(DOCUMENT, KIND, ["parts", "nope", "x"], Options())
    with pytest.raises(KctlError, match='couldn\'t find resource for "/v1, Kind=Pod"'):
        explain_swagger(DOCUMENT, GroupVersionKind("", "v1", "Pod"), [], Options())
