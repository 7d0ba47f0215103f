"""Keys of ConfigMaps and Secrets, which become file names. Kubernetes: apimachinery util/validation, IsConfigMapKey."""

from __future__ import annotations

import re

from localplane.apimachinery.names import max_length_error, regex_error, size

LARGEST = 1024 * 1024
"""How much one object may hold, in bytes."""

_KEY = "[-._a-zA-Z0-9]+"
_is_key = re.compile(_KEY).fullmatch
_LONGEST = 253
_KEY_ERROR = regex_error(
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
    _KEY,
    "key.name",
    "KEY_NAME",
    "key-name",
)


def key_problems(key: str) -> list[str]:
    problems = []
    if size(key) > _LONGEST:
        problems.append(max_length_error(_LONGEST))
    if not _is_key(key):
        problems.append(_KEY_ERROR)
    if key == ".":
        problems.append("must not be '.'")
    elif key == "..":
        problems.append("must not be '..'")
    elif key.startswith(".."):
        problems.append("must not start with '..'")
    return problems


def decoded_size(base64: str | None) -> int:
    """How many bytes a text in base64 stands for. Go's nil, which a null becomes, has none."""
    if base64 is None:
        return 0
    return len(base64) * 3 // 4 - base64.count("=", -2)
