"""What a scalar means once it is printed: the rules of go-yaml v3. Kubernetes: vendor/go.yaml.in/yaml/v3, resolve and
encode. They differ from v2's, which the rest of kubectl uses, in two things: `yes` is text, and dates are dates."""

from __future__ import annotations

import math
import re
from typing import Any

from kctl.kustomize.errors import KustomizeError
from localplane.apimachinery.golang.text import json_float
from localplane.apimachinery.serializers import yaml_scalars as v2
from localplane.apimachinery.serializers.errors import YAMLError

from .node import BINARY, BOOL, FLOAT, INT, NULL, STR, TIMESTAMP, Scalar

_TAGS = {v2.STR: STR, v2.INT: INT, v2.FLOAT: FLOAT, v2.BOOL: BOOL, v2.NULL: NULL, v2.TIMESTAMP: TIMESTAMP}
_TRUE_OR_FALSE = frozenset(("true", "True", "TRUE", "false", "False", "FALSE"))
_DATE = re.compile(r"(\d{4})-(\d+)-(\d+)(?:([Tt ])(\d+):(\d+):(\d+)(?:[.,](\d+))?(Z|[-+]\d\d:\d\d)?)?")


def resolve(text: str) -> tuple[str, Any]:
    """The tag and value of a plain scalar. A date's value is the time as JSON has it."""
    tag, value = v2.resolve("", text)
    if tag == v2.BOOL and text not in _TRUE_OR_FALSE:
        return STR, text
    return _TAGS[tag], _time(text) if tag == v2.TIMESTAMP else value


def is_no_text_in_yaml_1_1(text: str) -> bool:
    """Which is put into quotes, so that older readers take it for text."""
    return bool(text) and "\n" not in text and v2.resolve("", text)[0] not in (v2.STR, v2.TIMESTAMP)


def value_of(node: Scalar) -> Any:
    """What a scalar is in JSON. Raises KustomizeError if its tag does not fit, or if JSON has no such number."""
    text, tag = node.text, node.tag
    quoted = bool(node.style.removeprefix("!")) or "\n" in text
    if not tag:
        return text if quoted else _json_value(resolve(text)[1])
    if tag == STR:
        return text
    if not node.style.startswith("!"):
        found, value = resolve(text)
        if found == tag:
            return text if quoted else _json_value(value)
    return _json_value(_tagged(tag, text))


def _tagged(tag: str, text: str) -> Any:
    if tag not in (INT, FLOAT, BOOL, NULL, TIMESTAMP, BINARY):
        return text
    if tag == BINARY:
        try:
            return v2.resolve(v2.BINARY, text)[1]
        except YAMLError as error:
            raise KustomizeError(str(error)) from error
    found, value = resolve(text)
    if tag == FLOAT and found == INT:
        return float(value)
    if found != tag:
        raise KustomizeError(f"yaml: cannot decode {found} `{text}` as a {tag}")
    return value


def _json_value(value: Any) -> Any:
    """A float as JSON has it: 1.0 is 1."""
    if not isinstance(value, float):
        return value
    if not math.isfinite(value):
        name = "NaN" if math.isnan(value) else "+Inf" if value > 0 else "-Inf"
        raise KustomizeError(f"json: unsupported value: {name}")
    written = json_float(value)
    return value if any(mark in written for mark in ".e") else int(written)


def _time(text: str) -> str:
    match = _DATE.fullmatch(text)
    assert match is not None, text
    year, month, day, _, hour, minute, second, fraction, zone = match.groups()
    date = f"{int(year):04d}-{int(month):02d}-{int(day):02d}"
    clock = f"{int(hour or 0):02d}:{int(minute or 0):02d}:{int(second or 0):02d}"
    digits = (fraction or "")[:9].rstrip("0")
    zone = "Z" if zone in (None, "Z", "+00:00", "-00:00") else zone
    return f"{date}T{clock}{f'.{digits}' if digits else ''}{zone}"
