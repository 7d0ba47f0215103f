"""What was typed: numbers or names, and what environment variables may be called."""

from __future__ import annotations

import re

from localplane.apimachinery.names import regex_error

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
