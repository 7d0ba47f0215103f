"""A patch of a request's body, ready to be applied to any object: JSON Patch (RFC 6902), JSON Merge Patch (RFC 7386)
and Kubernetes' strategic merge patch.

That it is JSON at all is checked at once, whether it is a patch only when there is something to apply it to: a patch of
nothing is told that there is nothing. Kubernetes: endpoints/handlers/patch.go, jsonPatcher and smpPatcher.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any, Protocol

from localplane.apimachinery.errors import APIError, BadRequest, RequestEntityTooLarge, generic
from localplane.apimachinery.golang.text import go_plain, json_type
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch import (
    InvalidPatch,
    PatchFailed,
    PatchNotApplicable,
    TooManyOperations,
    json_patch,
    merge_patch,
    strategic,
)
from localplane.apimachinery.patch.values import copied
from localplane.apimachinery.schema import Node
from localplane.apimachinery.serializers.errors import JSONSyntaxError, SerializationError
from localplane.apimachinery.serializers.json import parse_json
from localplane.apimachinery.serializers.json_writer import to_json
from localplane.apimachinery.serializers.parsed import Parsed
from localplane.apiserver.dialects import JSON_PATCH, STRATEGIC_MERGE_PATCH
from localplane.apiserver.endpoints.served import Served


class ObjectPatch(Protocol):
    """`problems` are the sentences of field validation about the patch itself; empty where nobody validates.
    `says_type`: the result must say what it is, as any object that is read from JSON."""

    says_type: bool

    @property
    def problems(self) -> Sequence[str]: ...

    def apply(self, obj: JSONObject) -> Any:
        """The changed object, which shares nothing with the given one. Raises APIErrors."""
        ...

    def shown(self, obj: JSONObject) -> str:
        """What a message shows of this change to the object, when its result does not fit."""
        ...

    def misfit(self, obj: JSONObject, error: Exception) -> str:
        """Why the changed object does not fit its kind, given what the decoder said."""
        ...


def patch_of(served: Served, content_type: str, data: bytes, *, field_validation: str) -> ObjectPatch:
    """Raises BadRequest for what is no JSON."""
    strict = field_validation != "Ignore"
    try:
        parsed = parse_json(data, find_duplicates=strict)
    except JSONSyntaxError as error:
        raise BadRequest("invalid JSON patch") from error
    except SerializationError as error:
        raise BadRequest(f"error decoding patch: {error}") from error
    if content_type == STRATEGIC_MERGE_PATCH:
        return StrategicPatch(served.schema().root, parsed, strict=strict)
    node = served.dialect.patched_order(served.schema())
    return JSONOrMergePatch(node, parsed, is_json_patch=content_type == JSON_PATCH, strict=strict)


class JSONOrMergePatch:
    """`node` is the schema of the objects, if Go would have a struct for them."""

    says_type = True

    def __init__(self, node: Node | None, parsed: Parsed, *, is_json_patch: bool, strict: bool) -> None:
        self._node = node
        self._parsed = parsed
        self._is_json_patch = is_json_patch
        self._strict = strict

    def apply(self, obj: JSONObject) -> Any:
        """Raises BadRequest or RequestEntityTooLarge for what is no patch, and Invalid for one that does not fit."""
        try:
            return self._apply(obj)
        except PatchNotApplicable as error:
            raise generic(422, server_message=str(error)) from error
        except TooManyOperations as error:
            raise RequestEntityTooLarge.of(str(error)) from error

    def shown(self, obj: JSONObject) -> str:
        """The result as Go writes it into a message: safe for HTML, and sorted where the patch looked into it."""
        opened = self._parsed.value
        if self._is_json_patch:
            operations = [operation for operation in opened or () if isinstance(operation, dict)]
            opened = opened_by_paths(operation.get(name, "") for operation in operations for name in ("path", "from"))
        changed = as_written(self._node, self.apply(obj), opened if isinstance(opened, dict) else {})
        return to_json(changed, html_safe=True).decode()

    def misfit(self, obj: JSONObject, error: Exception) -> str:  # noqa: ARG002 - part of what a change is
        return str(error)

    @cached_property
    def problems(self) -> Sequence[str]:
        if not self._strict:
            return ()
        if not self._is_json_patch:
            return self._parsed.duplicates
        operations = [operation for operation in self._parsed.value or () if isinstance(operation, dict)]
        return [f"json patch {problem}" for problem in self._parsed.duplicates] + json_patch.unknown_fields(operations)

    @cached_property
    def _apply(self) -> Callable[[JSONObject], Any]:
        value, strict = self._parsed.value, self._strict
        try:
            if self._is_json_patch:
                operations = json_patch.json_patch_of(value, strict=strict)
                return lambda obj: json_patch.apply(operations, obj)
            change = merge_patch.merge_patch_of(value, strict=strict)
            return lambda obj: merge_patch.apply(change, obj)
        except InvalidPatch as error:
            raise BadRequest(str(error)) from error
        except TooManyOperations as error:
            raise RequestEntityTooLarge.of(str(error)) from error


class StrategicPatch:
    """`node` is the schema of the objects: it says how their lists merge."""

    says_type = False

    def __init__(self, node: Node, parsed: Parsed, *, strict: bool) -> None:
        self._node = node
        self._patch = {} if parsed.value is None else parsed.value
        self.problems: Sequence[str] = parsed.duplicates if strict else ()

    def apply(self, obj: JSONObject) -> Any:
        return self._merged(obj, copied(self._patch))

    def shown(self, obj: JSONObject) -> str:
        """The patch as Go prints it, without what merging took out of it."""
        patch = copied(self._patch)
        self._merged(obj, patch)
        return go_plain(patch)

    def misfit(self, obj: JSONObject, error: Exception) -> str:
        return strategic.misfit(self._node, self.apply(obj)) or str(error)

    def _merged(self, obj: JSONObject, patch: Any) -> JSONObject:
        if not isinstance(patch, dict):
            what = f"cannot unmarshal {json_type(patch)} into Go value of type map[string]interface {{}}"
            raise BadRequest(f"json: {what}")
        try:
            return strategic.merge(self._node, copied(obj), patch)
        except InvalidPatch as error:
            raise BadRequest(str(error)) from error
        except PatchNotApplicable as error:
            raise generic(422, server_message=str(error)) from error
        except PatchFailed as error:
            raise APIError(str(error)) from error
        except RecursionError:
            raise BadRequest("the patch is nested too deeply") from None


Opened = dict[str, Any]
"""The maps that were looked into, by the keys that lead there; what is no dictionary was not."""


def opened_by_paths(pointers: Iterable[Any]) -> Opened:
    """What the operations of a JSON patch look into on the way to these pointers."""
    root: Opened = {}
    for pointer in pointers:
        level = root
        for step in str(pointer).split("/")[1:-1]:
            level = level.setdefault(step.replace("~1", "/").replace("~0", "~"), {})
    return root


def as_written(node: Node | None, value: Any, opened: Any) -> Any:
    """A copy of the value in that order. Without a node everything is sorted, as custom resources are."""
    if isinstance(value, list):
        if isinstance(opened, list):  # the patch brought it, and all of it was looked into for nulls
            return [as_written(None, item, None) for item in value]
        items = node.items.load() if node is not None and node.items is not None else None
        inner = opened if isinstance(opened, dict) else {}
        return [as_written(items, item, inner.get(str(number))) for number, item in enumerate(value)]
    if not isinstance(value, dict):
        return value
    if node is not None and node.codec is not None and not isinstance(opened, dict):
        return value  # raw JSON: nobody but its author knows its order
    names: Iterable[str] = sorted(value)
    if node is not None and node.properties and not isinstance(opened, dict):
        names = [
            *(name for name in node.properties if name in value),
            *(name for name in names if name not in node.properties),
        ]
    inner = opened if isinstance(opened, dict) else {}
    return {name: as_written(_below(node, name), value[name], inner.get(name)) for name in names}


def _below(node: Node | None, name: str) -> Node | None:
    child = node.child(name) if node is not None else None
    return child.load() if child is not None else None
