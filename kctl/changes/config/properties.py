"""`config set` and `unset`: one value, by its path. Names may have dots in them: the path ends where a field is known.

Kubernetes: kubectl/pkg/cmd/config, set.go and navigation_step_parser.go. They go through the internal types, where who
is impersonated has other names than in a file.
"""

from __future__ import annotations

import base64
from typing import Any, NamedTuple

from kctl import program
from kctl.changes.config.files import ConfigFiles
from kctl.command_line.flags import KINDS as FLAG_KINDS
from kctl.errors import KctlError
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.schema.structs import decoder
from localplane.client.kubeconfig.fields import KINDS, STRUCTS

_TEXTS = ("kind", "apiVersion", "current-context")
_INTERNAL = {"as": "act-as", "as-uid": "act-as-uid", "as-groups": "act-as-groups", "as-user-extra": "act-as-user-extra"}
_EXTERNAL = {internal: name for name, internal in _INTERNAL.items()}


class Property(NamedTuple):
    """`name` and `field` are empty where the path stops before them; `named` tells an empty name from none."""

    top: str
    name: str = ""
    field: str = ""
    kind: str = ""
    named: bool = False


def parse(path: str) -> Property:
    first, *rest = path.split(".")
    if first in _TEXTS:
        return _ended(path, rest, Property(first, kind="string"))
    if first == "preferences":
        return _preferences(path, rest)
    if first == "extensions":
        return _ended(path, rest, Property(first, kind="extensions"), inside="runtime.Object is not of type struct")
    if first not in KINDS:
        raise KctlError(f"unable to parse {path} after [] at api.Config")
    if not rest:
        return Property(first)
    fields = {_INTERNAL.get(name, name): kind.removesuffix("!") for name, kind in STRUCTS[KINDS[first][1]].items()}
    known = next((index for index, part in enumerate(rest) if index and part in fields), None)
    if known is None:
        return Property(first, ".".join(rest), named=True)
    field = rest[known]
    found = Property(first, ".".join(rest[:known]), _EXTERNAL.get(field, field), fields[field], named=True)
    inside = {"map[string][]string": "string is not of type struct"}.get(found.kind, "")
    if field == "extensions":
        inside = "runtime.Object is not of type struct"
    return _ended(path, rest[known + 1 :], found, inside=inside)


def _preferences(path: str, rest: list[str]) -> Property:
    if not rest:
        return Property("preferences", kind="struct")
    fields = STRUCTS["Preferences"]
    if rest[0] not in fields:
        raise KctlError(f"unable to parse {path} after [{{preferences <*reflect.rtype Value>}}] at api.Preferences")
    return _ended(path, rest[1:], Property("preferences", field=rest[0], kind=fields[rest[0]]))


def _ended(path: str, rest: list[str], found: Property, *, inside: str = "") -> Property:
    if rest:
        raise KctlError(inside or f"unable to parse one or more field values of {path}")
    return found


def set_value(files: ConfigFiles, path: str, value: str, *, raw_bytes: bool) -> None:
    if not value:
        raise KctlError("you cannot use set to unset a property")
    if not path:
        raise KctlError("you must specify a property")
    found = parse(path)
    if found.top in _TEXTS:
        # Of the two others Kubernetes says that they are set, and writes what they always are.
        if found.top == "current-context":
            files.set_current_context(value)
        return
    if found.top == "preferences":
        _set_preference(files, found, value)
        return
    if not found.field:
        raise KctlError(f"can't set a map to a value: {_shown(files, found.top)}")
    content = dict(files.entries(found.top).get(found.name, {}))
    content[found.field] = _value(found.kind, value, raw_bytes=raw_bytes)
    files.put(found.top, found.name, content, relative=False)


def _set_preference(files: ConfigFiles, found: Property, value: str) -> None:
    before: JSONObject = files.whole("preferences") or {}
    if not found.field:
        colours = "true" if before.get("colors") else "false"
        raise KctlError(
            'unable to locate path config.navigationStep{stepValue:"", stepType:reflect.Type(nil)} under '
            f"{{{colours} map[]}}"
        )
    files.set_preferences({**before, found.field: _value(found.kind, value, raw_bytes=False)})


def unset(files: ConfigFiles, path: str) -> None:
    if not path:
        raise KctlError("you must specify a property")
    found = parse(path)
    if found.top == "current-context":
        files.set_current_context("")
    elif found.top == "preferences":
        before: JSONObject = files.whole("preferences") or {}
        files.set_preferences({name: value for name, value in before.items() if found.field not in ("", name)})
    elif found.top not in KINDS:
        return
    elif not found.named:
        files.clear(found.top)
    elif not found.field:
        files.delete(found.top, found.name)
    else:
        entries = files.entries(found.top)
        if found.name not in entries:
            raise KctlError(f"current map key `{found.name}` is invalid")
        content = {name: value for name, value in entries[found.name].items() if name != found.field}
        files.put(found.top, found.name, content, relative=False)


def _shown(files: ConfigFiles, kind: str) -> str:
    """Go prints a map of pointers: whatever stands behind the colon means nothing."""
    if kind not in KINDS:
        return "map[]"
    pointers = (f"{name}:0xc{0x100 * index:09x}" for index, name in enumerate(files.entries(kind), start=1))
    return f"map[{' '.join(pointers)}]"


def _value(kind: str, text: str, *, raw_bytes: bool) -> Any:
    match kind:
        case "bool":
            try:
                return FLAG_KINDS["switch"](text)
            except ValueError as error:
                raise KctlError(str(error)) from error
        case "[]uint8" if raw_bytes:
            return base64.b64encode(text.encode()).decode()
        case "[]uint8":
            if (position := decoder.corrupt_base64(text)) is not None:
                raise KctlError(f"error decoding input value: illegal base64 data at input byte {position}")
            return base64.b64encode(base64.b64decode(text)).decode()  # as Go writes it: in one line
        case "string":
            return text
        case "[]string":
            raise KctlError("unrecognized slice type. string")
        case "*ExecConfig" | "*AuthProviderConfig":
            # kubectl breaks down here.
            raise KctlError(f"can't set a {kind[1:]} to a value: use '{program.name()} config set-credentials'")
    raise KctlError("can't set a map to a value: map[]")
