"""What --validate looks at before anything is sent: that there is a kind, and the fields that no server looks at.

Servers check the fields of what can be patched; the rest (lists, reviews) is checked here by the server's OpenAPI v2
document. Kubernetes: kubectl/pkg/validation, kube-openapi/pkg/util/proto/validation.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kctl.errors import KctlError
from kctl.session.session import Session
from localplane.apimachinery.golang.text import go_quote

Schema = dict[str, Any]

_EXTENSION = "x-kubernetes-group-version-kind"
_UNKNOWN = "invalid object to validate"
_DEEPEST = 500


class ClientValidation:
    """One for a command: the document is asked for once, if at all."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._definitions: dict[str, Schema] | None = None

    async def check(self, value: Any, source: str) -> None:
        """Raises KctlError."""
        if problem := await self.problem(value):
            raise KctlError(
                f"error validating {go_quote(source)}: error validating data: {problem}; if you choose to ignore these "
                "errors, turn validation off with --validate=false"
            )

    async def problem(self, value: Any) -> str:
        """All that is wrong with it, in one line."""
        problems = list(dict.fromkeys(await self._problems(value)))
        return f"[{', '.join(problems)}]" if len(problems) > 1 else "".join(problems)

    async def _problems(self, value: Any) -> list[str]:
        problems = kind_problems(value)
        if problems or await self._server_checks(value):
            return problems
        if self._session.flags.known("validate") and self._session.flags.text("validate") == "warn":
            self._session.log_warning(
                "cannot perform warn validation if server-side field validation is unsupported, skipping validation"
            )
            return []
        if (value["apiVersion"], value["kind"]) != ("v1", "List"):
            return await self._against_schema(value)
        if not isinstance(value.get("items"), list):
            return [_UNKNOWN]
        found: list[str] = []
        for item in value["items"]:
            found += kind_problems(item) or await self._against_schema(item)
        return found

    async def _server_checks(self, value: Any) -> bool:
        """Whether it can be patched, or is of a version that nobody has a document for."""
        discovered = await self._session.discovery.discover()
        version, kind = value["apiVersion"], value["kind"]
        known = [one for one in discovered.resources() if str(one.resource.group_version) == version]
        if not known:
            return (version, kind) != ("v1", "List")
        return any(one.kind.kind == kind and "patch" in one.verbs and not one.is_subresource for one in known)

    async def _against_schema(self, value: Any) -> list[str]:
        group, _, version = value["apiVersion"].rpartition("/")
        about = {"group": group, "version": version, "kind": value["kind"]}
        definitions = await self._load()
        for name, schema in definitions.items():
            if about in (schema.get(_EXTENSION) or ()):
                return list(_Checking(definitions).value(schema, value, value["kind"], name))
        return []

    async def _load(self) -> dict[str, Schema]:
        if self._definitions is None:
            answer = await self._session.client.request(
                "GET", "/openapi/v2", query=[("timeout", "32s")], headers=[("Accept", "application/json")]
            )
            self._definitions = answer.json().get("definitions") or {}
        return self._definitions


def kind_problems(value: Any) -> list[str]:
    """Kubernetes: getObjectKind in kubectl/pkg/validation/validation.go."""
    if not isinstance(value, dict):
        return [_UNKNOWN]
    problems = []
    for name in ("apiVersion", "kind"):
        said = value.get(name)
        if not isinstance(said, str):
            problems.append(f"{name} not set" if said is None else f"{name} isn't string type")
        elif name == "apiVersion" and said.count("/") > 1:
            problems.append(f"unexpected GroupVersion string: {said}")
    return problems


class _Checking:
    def __init__(self, definitions: dict[str, Schema]) -> None:
        self._definitions = definitions

    def value(self, schema: Schema, value: Any, path: str, type_path: str, depth: int = 0) -> Iterator[str]:
        """What is wrong with it. `path` leads to it in the document, `type_path` in the schemas."""
        while "$ref" in schema:
            type_path = str(schema["$ref"]).removeprefix("#/definitions/")
            schema = self._definitions.get(type_path) or {}
        if depth > _DEEPEST:
            return
        properties, kind = schema.get("properties"), schema.get("type")
        if properties is None and kind is None:
            return
        found = _kind_of(value)
        wanted = "map" if properties is not None or kind == "object" else str(kind)
        if wanted in ("map", "array"):
            if found != wanted:
                yield _wrong(path, type_path, found, wanted)
            elif wanted == "array":
                yield from self._array(schema, value, path, type_path, depth)
            elif properties is None:
                yield from self._map(schema, value, path, type_path, depth)
            else:
                yield from self._fields(schema, value, path, type_path, depth)
        elif wanted != "string" or found in ("map", "array"):
            numbers = ("integer", "number")
            if found != wanted and not (wanted in numbers and found in numbers):
                yield _wrong(path, type_path, found, wanted)

    def _array(self, schema: Schema, value: list[Any], path: str, type_path: str, depth: int) -> Iterator[str]:
        for index, item in enumerate(value):
            where = f"{path}[{index}]"
            if item is None:
                yield f'ValidationError({path}): unknown object type "nil" in {where}'
            else:
                yield from self.value(schema.get("items") or {}, item, where, type_path, depth + 1)

    def _map(self, schema: Schema, value: dict[str, Any], path: str, type_path: str, depth: int) -> Iterator[str]:
        inner = schema.get("additionalProperties")
        for key in sorted(value):
            where = f"{path}.{key}"
            if value[key] is None:
                yield f'unknown object type "nil" in {where}'
            elif isinstance(inner, dict):
                yield from self.value(inner, value[key], where, type_path, depth + 1)

    def _fields(self, schema: Schema, value: dict[str, Any], path: str, type_path: str, depth: int) -> Iterator[str]:
        properties = schema["properties"]
        for key in sorted(value):
            if value[key] is None:
                continue
            if key not in properties:
                yield f"ValidationError({path}): unknown field {go_quote(key)} in {type_path}"
                continue
            yield from self.value(properties[key], value[key], f"{path}.{key}", f"{type_path}.{key}", depth + 1)
        for key in schema.get("required") or ():
            if value.get(key) is None:
                yield f"ValidationError({path}): missing required field {go_quote(key)} in {type_path}"


def _kind_of(value: Any) -> str:
    match value:
        case dict():
            return "map"
        case list():
            return "array"
        case bool():
            return "boolean"
        case str():
            return "string"
        case int():
            return "integer"
    return "number"


def _wrong(path: str, type_path: str, found: str, wanted: str) -> str:
    return f"ValidationError({path}): invalid type for {type_path}: got {go_quote(found)}, expected {go_quote(wanted)}"
