"""What must differ between two servers that do the same: identities, times, revisions, chosen names and addresses."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from tests.differential.servers import Reply

_TEXTS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"), "UID"),
    (re.compile(r"\b20\d\d-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z| \+0000 UTC)?"), "TIME"),
    (re.compile(r'(resourceVersion\\*"?: ?\\*")\d+'), r"\1RV"),
    (re.compile(r"(ResourceVersion in record \(|resource version: \d+, current: |object meta: )\d+"), r"\1RV"),
    (re.compile(r"0xc[0-9a-f]{6,}"), "ADDRESS"),
    (re.compile(r"\bgenerated-[bcdfghjklmnpqrstvwxz2456789]{5}\b"), "generated-NAME"),
    (re.compile(r"\b10\.\d+\.\d+\.\d+\b"), "CLUSTER-IP"),
    (re.compile(r'"?https://127\.0\.0\.1:\d+'), "SERVER"),
)
_AGE = re.compile(r"^(\d+[smhdy]){1,2}$")
_TYPED = re.compile(r"(failed to create typed patch object[^:]*: ).*", re.DOTALL)
"""A map of Go's has no order, and its first unknown field ends the search: what is told differs from time to time."""

_FIELDS: dict[str, Callable[[Any], Any]] = {
    "resourceVersion": lambda value: "RV" if value else value,
    "continue": lambda value: "TOKEN" if value else value,
    "remainingItemCount": lambda value: value,
    "nodePort": lambda value: "PORT" if value else value,
    "healthCheckNodePort": lambda value: "PORT" if value else value,
    "token": lambda value: "TOKEN" if value else value,
}


def normalised(reply: Reply) -> Reply:
    headers = tuple((name, _text(value)) for name, value in reply.headers)
    value = _value(reply.value)
    if isinstance(value, dict) and value.get("kind") == "Status":
        _sort_causes(value)
    return Reply(reply.status, headers, value)


def _sort_causes(status: dict[str, Any]) -> None:
    """Go goes through labels and other maps in any order, and tells what is wrong with them in that one."""
    causes = (status.get("details") or {}).get("causes")
    if isinstance(causes, list) and len(causes) > 1:
        causes.sort(key=str)
        told = ", ".join(f"{cause.get('field', '')}: {cause.get('message', '')}" for cause in causes)
        status["message"] = f"{str(status.get('message', '')).partition(' is invalid: ')[0]} is invalid: [{told}]"


def _value(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _field(key, item) for key, item in value.items()}
    if isinstance(value, list):
        return [_value(item) for item in value]
    return _text(value) if isinstance(value, str) else value


def _field(name: str, value: Any) -> Any:
    if name == "cells" and isinstance(value, list):
        return ["AGE" if isinstance(cell, str) and _AGE.match(cell) else _value(cell) for cell in value]
    if name in _FIELDS and not isinstance(value, dict | list):
        return _FIELDS[name](value)
    return _value(value)


def _text(text: str) -> str:
    for pattern, replacement in _TEXTS:
        text = pattern.sub(replacement, text)
    return _TYPED.sub(r"\1…", text)
