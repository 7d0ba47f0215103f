"""`config set` and `unset`: one value, by its path. Names may have dots in them: the path ends where a field is known.

Kubernetes: kubectl/pkg/cmd/config, set.go and navigation_step_parser.go.
"""

from __future__ import annotations

import base64
import binascii
from typing import Any, NamedTuple

from kctl.errors import KctlError
from kctl.flags import KINDS as FLAG_KINDS

from .fields import KINDS
from .files import ConfigFiles

_TOP = ("kind", "apiVersion", "current-context")


class Property(NamedTuple):
    """`name` and `field` are empty where the path stops before them."""

    top: str
    name: str = ""
    field: str = ""


def parse(path: str) -> Property:
    first, *rest = path.split(".")
    if first in _TOP and not rest:
        return Property(first)
    if first not in KINDS:
        if first in _TOP:
            raise KctlError(f"unable to parse one or more field values of {path}")
        raise KctlError(f"unable to parse {path} after [] at api.Config")
    if not rest:
        return Property(first)
    fields = KINDS[first][1]
    known = next((index for index, part in enumerate(rest) if index and part in fields), None)
    if known is None:
        return Property(first, ".".join(rest))
    if known + 1 < len(rest):
        raise KctlError(f"unable to parse one or more field values of {path}")
    return Property(first, ".".join(rest[:known]), rest[known])


def set_value(files: ConfigFiles, path: str, value: str, *, raw_bytes: bool) -> None:
    if not value:
        raise KctlError("you cannot use set to unset a property")
    if not path:
        raise KctlError("you must specify a property")
    found = parse(path)
    if found.top == "current-context":
        files.set_current_context(value)
        return
    if found.top in _TOP:
        files.set_field(found.top, value)
        return
    if not found.field:
        raise KctlError(f"can't set a map to a value: {_shown(files, found)}")
    content = dict(files.entries(found.top).get(found.name, {}))
    content[found.field] = _value(KINDS[found.top][1][found.field], value, raw_bytes=raw_bytes)
    files.put(found.top, found.name, content)


def unset(files: ConfigFiles, path: str) -> None:
    if not path:
        raise KctlError("you must specify a property")
    found = parse(path)
    if found.top == "current-context":
        if files.current_context:
            files.set_current_context("")
        return
    if found.top in _TOP:
        return
    if not found.name:
        files.clear(found.top)
    elif not found.field:
        files.delete(found.top, found.name)
    else:
        entries = files.entries(found.top)
        if found.name not in entries:
            raise KctlError(f"current map key `{found.name}` is invalid")
        files.put(found.top, found.name, {**entries[found.name], found.field: ""})


def _shown(files: ConfigFiles, found: Property) -> str:
    return f"map[{' '.join(f'{name}:...' for name in files.entries(found.top))}]"


def _value(kind: str, text: str, *, raw_bytes: bool) -> Any:
    match kind:
        case "switch":
            try:
                return FLAG_KINDS["switch"](text)
            except ValueError as error:
                raise KctlError(str(error)) from error
        case "bytes":
            if raw_bytes:
                return base64.b64encode(text.encode()).decode()
            try:
                base64.b64decode(text, validate=True)
            except (binascii.Error, ValueError):
                raise KctlError("error decoding input value: illegal base64 data at input byte 0") from None
            return text
        case "text":
            return text
    raise KctlError("unrecognized slice type. string" if kind == "list" else f"can't set a map to a value: {text}")
