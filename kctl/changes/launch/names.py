"""What an image may be called. Kubernetes: github.com/distribution/reference, ReferenceRegexp.

Labels in one flag, `a=b,c=d`, as `run` and `expose` read them. Kubernetes: kubectl/pkg/generate, ParseLabels.

What was typed: numbers or names, and what environment variables may be called.

Label selectors, from what was typed to what objects hold. Kubernetes: metav1.ParseToLabelSelector.
"""

from __future__ import annotations

import re
from typing import Any

from kctl.errors import KctlError
from localplane.apimachinery.golang.text import go_quote
from localplane.apimachinery.names import regex_error
from localplane.apimachinery.selectors import labels as apimachinery_labels

_DOMAIN = r"(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])"
_HOST = rf"(?:{_DOMAIN}(?:\.{_DOMAIN})*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?"
_PATH = r"[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*"
_DIGEST = r"[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}"
_IMAGE = re.compile(rf"(?:{_HOST}/)?{_PATH}(?:/{_PATH})*(?::\w[\w.-]{{0,127}})?(?:@{_DIGEST})?", re.ASCII)

PULL_POLICIES = ("Always", "IfNotPresent", "Never")
INVALID = "invalid reference format"


def is_image(text: str) -> bool:
    return _IMAGE.fullmatch(text) is not None


def labels_of(text: str) -> dict[str, str]:
    found = {}
    for spec in text.split(",") if text else ():
        parts = spec.split("=")
        if len(parts) != 2:
            raise KctlError(f"unexpected label spec: {spec}")
        if not parts[0]:
            raise KctlError("unexpected empty label key")
        found[parts[0]] = parts[1]
    return dict(sorted(found.items()))


_VARIABLE = r"[-._a-zA-Z][-._a-zA-Z0-9]*"


def int_or_text(text: str) -> int | str:
    """Kubernetes: intstr.Parse."""
    return int(text) if re.fullmatch(r"[+-]?[0-9]+", text) and -(2**31) <= int(text) < 2**31 else text


def variable_errors(name: str) -> list[str]:
    """Kubernetes: validation.IsEnvVarName."""
    problems = []
    if not re.fullmatch(_VARIABLE, name):
        message = (
            "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and "
            "must not start with a digit"
        )
        problems.append(regex_error(message, _VARIABLE, "my.env-name", "MY_ENV.NAME", "MyEnvName1"))
    if name in (".", ".."):
        problems.append(f"must not be '{name}'")
    elif name.startswith(".."):
        problems.append("must not start with '..'")
    return problems


_SETS = {"in": "In", "notin": "NotIn", "exists": "Exists", "!": "DoesNotExist"}
_ORDERED = ("gt", "lt")
_INVALID = "is not a valid label selector operator"


def label_selector(text: str) -> dict[str, Any]:
    try:
        requirements = apimachinery_labels.parse(text).requirements
    except apimachinery_labels.InvalidSelector as error:
        raise KctlError(f"couldn't parse the selector string {go_quote(text)}: {error}") from error
    labels: dict[str, str] = {}
    expressions: list[dict[str, Any]] = []
    for one in requirements:
        if one.operator in ("=", "=="):
            labels[one.key] = next(iter(one.values))
        elif one.operator not in _SETS:
            wrong = "isn't supported in label selectors" if one.operator in _ORDERED else _INVALID
            raise KctlError(f"{go_quote(one.operator)} {wrong}")
        else:
            expression: dict[str, Any] = {"key": one.key, "operator": _SETS[one.operator]}
            if values := sorted(one.values):
                expression["values"] = values
            expressions.append(expression)
    selector: dict[str, Any] = {}
    if labels:
        selector["matchLabels"] = dict(sorted(labels.items()))
    if expressions:
        selector["matchExpressions"] = expressions
    return selector
