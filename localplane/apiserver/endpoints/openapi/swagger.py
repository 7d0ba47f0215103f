"""From OpenAPI v3 to Swagger 2.0: the same operations in the older words.

Schemas of kinds don't come this way: they know themselves what v2 can't say. What is shared does, and it is simple.
"""

from __future__ import annotations

from typing import Any

from localplane.apimachinery.objects import JSONObject

from .words import V3_PREFIX

V2_PREFIX = "#/definitions/"
_METHODS = ("get", "put", "post", "delete", "options", "head", "patch")


def schema_v2(schema: JSONObject) -> JSONObject:
    """A schema with v2's references; alternatives become text, as v2 has none."""
    converted = {key: _value_v2(value) for key, value in schema.items() if key not in ("allOf", "oneOf")}
    for wrapped in schema.get("allOf", ()):
        converted |= schema_v2(wrapped)
    if "oneOf" in schema:
        converted["type"] = "string"
    return converted


def _value_v2(value: Any) -> Any:
    match value:
        case dict():
            return schema_v2(value)
        case list():
            return [_value_v2(each) for each in value]
        case str() if value.startswith(V3_PREFIX):
            return V2_PREFIX + value.removeprefix(V3_PREFIX)
        case _:
            return value


def path_v2(item: JSONObject) -> JSONObject:
    converted: JSONObject = {method: _operation_v2(item[method]) for method in _METHODS if method in item}
    if "parameters" in item:
        converted["parameters"] = [_parameter_v2(each) for each in item["parameters"]]
    return converted


def _operation_v2(operation: JSONObject) -> JSONObject:
    body = operation.get("requestBody")
    parameters = [_parameter_v2(each) for each in operation.get("parameters", ())]
    if body is not None:
        parameters.insert(0, _body_v2(body))
    kept = {key: value for key, value in operation.items() if key not in ("parameters", "requestBody", "responses")}
    return {
        **kept,
        "schemes": ["https"],
        "consumes": list(body["content"]) if body else ["*/*"],
        "produces": list(operation["responses"]["200"]["content"]),
        **({"parameters": parameters} if parameters else {}),
        "responses": {code: _response_v2(each) for code, each in operation["responses"].items()},
    }


def _parameter_v2(parameter: JSONObject) -> JSONObject:
    return {**{key: value for key, value in parameter.items() if key != "schema"}, **parameter["schema"]}


def _body_v2(body: JSONObject) -> JSONObject:
    schema = next(iter(body["content"].values()))["schema"]
    return {
        "name": "body",
        "in": "body",
        **({"required": True} if body.get("required") else {}),
        "schema": schema_v2(schema),
    }


def _response_v2(response: JSONObject) -> JSONObject:
    converted: JSONObject = {"description": response["description"]}
    for content in response.get("content", {}).values():
        converted["schema"] = schema_v2(content["schema"])
    return converted
