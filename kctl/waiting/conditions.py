"""What --for can say. Kubernetes: kubectl/pkg/cmd/wait, condition.go and json.go."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from kctl.errors import KctlError
from localplane.apimachinery.gotext import go_plain, go_quote
from localplane.apimachinery.objects import JSONObject


class Check(Protocol):
    def met(self, obj: JSONObject) -> bool:
        """Raises KctlError if it can't be told."""


class Created(NamedTuple):
    pass


class Deleted(NamedTuple):
    pass


class Condition(NamedTuple):
    """One of status.conditions; an observation of an older generation does not count."""

    name: str
    status: str

    def met(self, obj: JSONObject) -> bool:
        status = obj.get("status") or {}
        for condition in status.get("conditions") or ():
            if not isinstance(condition, dict) or str(condition.get("type", "")).casefold() != self.name.casefold():
                continue
            if not isinstance(condition.get("status"), str):
                continue
            generation = (obj.get("metadata") or {}).get("generation")
            observed = condition.get("observedGeneration", status.get("observedGeneration"))
            if isinstance(generation, int) and isinstance(observed, int) and observed < generation:
                return False
            return bool(condition["status"].casefold() == self.status.casefold())
        return False


class Path(NamedTuple):
    """What a JSONPath leads to: anything at all, or this text."""

    template: Any
    value: str

    def met(self, obj: JSONObject) -> bool:
        from kctl.printers.jsonpath import JSONPathError, find

        try:
            results = find(self.template, obj, allow_missing=True)
        except JSONPathError as error:
            raise KctlError(str(error)) from error
        if not results or not results[0]:
            return False
        if len(results) > 1:
            raise KctlError("given jsonpath expression matches more than one list")
        if len(results[0]) > 1:
            raise KctlError("given jsonpath expression matches more than one value")
        if not self.value:
            return True
        found = results[0][0]
        if isinstance(found, (dict, list)):
            raise KctlError("jsonpath leads to a nested object or list which is not supported")
        return go_plain(found).strip() == self.value.strip()


Awaited = Created | Deleted | Condition | Path


def read(words: Sequence[str]) -> list[Awaited]:
    if not words:
        raise KctlError("unrecognized condition: []")
    return [_read(word) for word in words]


def _read(word: str) -> Awaited:
    match word.lower():
        case "delete":
            return Deleted()
        case "create":
            return Created()
    if word.startswith("condition="):
        name, equals, status = word.removeprefix("condition=").partition("=")
        return Condition(name, status if equals else "true")
    if word.startswith("jsonpath="):
        return _path(word.removeprefix("jsonpath="))
    raise KctlError(f"unrecognized condition: {go_quote(word)}")


def _path(text: str) -> Path:
    from kctl.printers.jsonpath import JSONPathSyntaxError, parse, relaxed

    parts = _split(text)
    if len(parts) > 2:
        raise KctlError(
            "jsonpath wait format must be --for=jsonpath='{.status.readyReplicas}'=3 or "
            "--for=jsonpath='{.status.readyReplicas}'"
        )
    expression = relaxed(parts[0])
    value = parts[1].strip("'\"") if len(parts) == 2 else ""
    if len(parts) == 2 and not value:
        raise KctlError(
            "jsonpath wait has to have a value after equal sign, like --for=jsonpath='{.status.readyReplicas}'=3"
        )
    if not expression:
        raise KctlError("jsonpath expression cannot be empty")
    try:
        return Path(parse(expression), value)
    except JSONPathSyntaxError as error:
        raise KctlError(str(error)) from error


def _split(text: str) -> list[str]:
    """At every `=` that is not one of two: filters compare with `==`."""
    marked = text.replace("==", "\0")
    return [part.replace("\0", "==") for part in marked.split("=")]
