"""A patch of a request's body, ready to be applied to any object. JSON Patch (RFC 6902), JSON Merge Patch (RFC 7386).

That it is JSON at all is checked at once, whether it is a patch only when there is something to apply it to: a patch of
nothing is told that there is nothing. Kubernetes: endpoints/handlers/patch.go, jsonPatcher.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from localplane.apimachinery.errors import BadRequest, RequestEntityTooLarge, generic
from localplane.apimachinery.patch import InvalidPatch, PatchNotApplicable, TooManyOperations, json_patch, merge_patch
from localplane.apimachinery.serializers.errors import JSONSyntaxError, SerializationError
from localplane.apimachinery.serializers.json import parse_json
from localplane.apimachinery.serializers.parsed import Parsed

JSONObject = dict[str, Any]
Apply = Callable[[JSONObject], Any]

JSON_PATCH = "application/json-patch+json"


def change_of(content_type: str, data: bytes, *, field_validation: str) -> Change:
    """Raises BadRequest for what is no JSON."""
    try:
        parsed = parse_json(data, find_duplicates=field_validation != "Ignore")
    except JSONSyntaxError as error:
        raise BadRequest("invalid JSON patch") from error
    except SerializationError as error:
        raise BadRequest(f"error decoding patch: {error}") from error
    return Change(parsed, is_json_patch=content_type == JSON_PATCH, strict=field_validation != "Ignore")


class Change:
    """`problems` are the sentences of field validation about the patch itself; empty where nobody validates."""

    def __init__(self, parsed: Parsed, *, is_json_patch: bool, strict: bool) -> None:
        self._parsed = parsed
        self._is_json_patch = is_json_patch
        self._strict = strict

    def apply(self, obj: JSONObject) -> Any:
        """The changed object, which shares nothing with the given one.

        Raises BadRequest or RequestEntityTooLarge for what is no patch, and Invalid for one that does not fit.
        """
        try:
            return self._apply(obj)
        except PatchNotApplicable as error:
            raise generic(422, server_message=str(error)) from error

    @cached_property
    def problems(self) -> Sequence[str]:
        if not self._strict:
            return ()
        if not self._is_json_patch:
            return self._parsed.duplicates
        operations = [each for each in self._parsed.value or () if isinstance(each, dict)]
        return [f"json patch {problem}" for problem in self._parsed.duplicates] + json_patch.unknown_fields(operations)

    @cached_property
    def _apply(self) -> Apply:
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
