"""Server-side apply: a configuration that its manager wants to see in an object, laid over what is there.

Kubernetes: endpoints/handlers/patch.go, applyPatcher.
"""

from __future__ import annotations

import re
from typing import Any, Final

from localplane.apimachinery.errors import BadRequest, Conflict
from localplane.apimachinery.golang.text import json_type
from localplane.apimachinery.managedfields import InvalidApply
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import copied
from localplane.apimachinery.schema import DecodeError
from localplane.apimachinery.serializers.errors import SerializationError
from localplane.apimachinery.serializers.json import parse_json
from localplane.apimachinery.serializers.yaml import parse_yaml
from localplane.apimachinery.times import now
from localplane.apiserver.endpoints.served import Served
from localplane.apiserver.registry.metadata import metadata_of
from localplane.apiserver.request import Request

from . import body
from .fitting import fit_integers


class Configuration:
    """The body of an apply request. Raises BadRequest for YAML that can't be read; what begins as JSON does is only
    read when it is applied."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._looks_like_json = data.lstrip().startswith(b"{")
        self._value: Any = None
        if not self._looks_like_json:
            try:
                self._value = parse_yaml(data).value
            except SerializationError as error:
                raise BadRequest(f"error encoding patch: {error}") from error

    def value(self) -> JSONObject:
        """Raises BadRequest."""
        if self._looks_like_json and self._value is None:
            self._value = self._read_json()
        if self._value is None:
            return {}
        if not isinstance(self._value, dict):
            what = f"json: cannot unmarshal {json_type(self._value)} into Go value of type map[string]interface {{}}"
            raise BadRequest(f"error decoding patch: error unmarshaling JSON: while decoding JSON: {what}")
        return self._value

    def _read_json(self) -> Any:
        """Kubernetes reads it as YAML; so its words are YAML's, and so is what is only nearly JSON, or too much of it:
        JSON has characters that YAML has not."""
        try:
            if _is_plain(self._data):
                return parse_json(self._data).value
        except SerializationError:
            pass
        try:
            return parse_yaml(self._data).value
        except SerializationError as error:
            raise BadRequest(f"error decoding patch: error converting YAML to JSON: {error}") from error

    def check_keys(self, request: Request, field_validation: str) -> None:
        """Keys that come twice are warned about, or refused: BadRequest."""
        if field_validation == "Ignore" or self._is_json_without_duplicates():
            return
        parsed = parse_yaml(self._data, find_duplicates=True)
        if parsed.strict and field_validation == "Strict":
            raise BadRequest(f"error strict decoding patch: error converting YAML to JSON: {parsed.strict[0]}")
        request.warnings.extend(parsed.duplicates)

    def _is_json_without_duplicates(self) -> bool:
        try:
            return self._looks_like_json and not parse_json(self._data, find_duplicates=True).duplicates
        except SerializationError:
            return False


_NOT_IN_YAML: Final = re.compile(rb"\x7f|\xc2[\x80-\x84\x86-\x9f]|\xef\xbf[\xbe\xbf]|\\u[dD][89a-fA-F]")
"""Controls, what is no character, and escapes for halves of one, as UTF-8."""


def _is_plain(data: bytes) -> bool:
    """Whether JSON and YAML agree on every character of it."""
    if _NOT_IN_YAML.search(data):
        return False
    try:
        return data.isascii() or bool(data.decode())
    except UnicodeDecodeError:
        return False


def applied(
    served: Served,
    request: Request,
    configuration: Configuration,
    live: JSONObject,
    *,
    manager: str,
    force: bool,
    field_validation: str,
) -> JSONObject:
    """The live hub object ({} if there is none) with the configuration in it, and its managers.

    Raises BadRequest, Conflict, ApplyConflict and InvalidApply.
    """
    version = served.group_version.version
    typed = {"kind": served.kind, "apiVersion": served.api_version}
    current = served.converter.seen_from(live, version) | typed if live else None
    config = configuration.value()
    done = served.field_manager.apply(current, config, manager=manager, force=force, now=now())
    configuration.check_keys(request, field_validation)
    if not done.changed:
        return _copied(live)
    try:
        new = _taken(served, done.object, config)
    except DecodeError as error:
        cause = f"error decoding from json: {error}" if str(error).startswith("illegal base64") else str(error)
        problem = f"unable to convert unstructured object to {served.gvk}: {cause}"
        raise InvalidApply(
            f"failed to convert new object ({_named(served, config)}) to proper version: {problem}"
        ) from None
    body.complete(served, new)
    uid = metadata_of(new).get("uid")
    if uid and not live:
        why = f"uid mismatch: the provided object specified uid {uid}, and no existing object was found"
        raise Conflict.of(served.resource, request.info.name, why)
    return served.converter.to_hub(new, version)


def _taken(served: Served, obj: JSONObject, config: JSONObject) -> JSONObject:
    """A copy with what the kind knows. Raises DecodeError."""
    # A null that somebody applies to a custom resource is looked at; one that is left of a map goes.
    keeps_nulls = _has_null(config)
    new = _copied(obj)
    try:
        body.take_known(served, new, keeps_nulls=keeps_nulls)
    except DecodeError:
        if not served.dialect.is_routed:
            raise
        new = _copied(obj)
        fit_integers(served.schema().root, new)
        body.take_known(served, new, keeps_nulls=keeps_nulls)
    return new


def _has_null(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_has_null, value.values()))
    return value is None or (isinstance(value, list) and any(map(_has_null, value)))


def _copied(obj: JSONObject) -> JSONObject:
    result: JSONObject = copied(obj)
    return result


def _named(served: Served, config: JSONObject) -> str:
    metadata = config.get("metadata") or {}
    return f"{metadata.get('namespace', '')}/{metadata.get('name', '')}; {served.gvk}"
