"""What may stand in a kubeconfig: names, types, and the order in which Kubernetes writes them.

`checked` refuses what is of another type, in the words of Go's decoder; `completed` is what a program of Kubernetes'
would write back. Kubernetes: client-go/tools/clientcmd/api/v1, types.go and conversion.go.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Mapping

from localplane.apimachinery.golang.sources import KUBECONFIG_SCHEME
from localplane.apimachinery.golang.text import go_plain, json_type
from localplane.apimachinery.light_typing import Any, Final
from localplane.apimachinery.objects import JSONObject
from localplane.client.errors import ConfigError

# A field's type is Go's. `!` behind it: written even if it is empty. Pointers and structs are called by their names.
STRUCTS: Final[Mapping[str, Mapping[str, str]]] = {
    "Config": {
        "kind": "string",
        "apiVersion": "string",
        "preferences": "Preferences",
        "clusters": "[]NamedCluster!",
        "users": "[]NamedAuthInfo!",
        "contexts": "[]NamedContext!",
        "current-context": "string!",
        "extensions": "[]NamedExtension",
    },
    "Preferences": {"colors": "bool", "extensions": "[]NamedExtension"},
    "NamedCluster": {"name": "string!", "cluster": "Cluster!"},
    "NamedAuthInfo": {"name": "string!", "user": "AuthInfo!"},
    "NamedContext": {"name": "string!", "context": "Context!"},
    "NamedExtension": {"name": "string!", "extension": "any!"},
    "Cluster": {
        "server": "string!",
        "tls-server-name": "string",
        "insecure-skip-tls-verify": "bool",
        "certificate-authority": "string",
        "certificate-authority-data": "[]uint8",
        "proxy-url": "string",
        "disable-compression": "bool",
        "extensions": "[]NamedExtension",
    },
    "AuthInfo": {
        "client-certificate": "string",
        "client-certificate-data": "[]uint8",
        "client-key": "string",
        "client-key-data": "[]uint8",
        "token": "string",
        "tokenFile": "string",
        "as": "string",
        "as-uid": "string",
        "as-groups": "[]string",
        "as-user-extra": "map[string][]string",
        "username": "string",
        "password": "string",
        "auth-provider": "*AuthProviderConfig",
        "exec": "*ExecConfig",
        "extensions": "[]NamedExtension",
    },
    "Context": {
        "cluster": "string!",
        "user": "string!",
        "namespace": "string",
        "extensions": "[]NamedExtension",
    },
    "AuthProviderConfig": {"name": "string!", "config": "map[string]string!"},
    "ExecConfig": {
        "command": "string!",
        "args": "[]string!",
        "env": "[]ExecEnvVar!",
        "apiVersion": "string",
        "installHint": "string",
        "provideClusterInfo": "bool!",
        "interactiveMode": "string",
    },
    "ExecEnvVar": {"name": "string!", "value": "string!"},
}
KINDS: Final[Mapping[str, tuple[str, str]]] = {
    "clusters": ("cluster", "Cluster"),
    "users": ("user", "AuthInfo"),
    "contexts": ("context", "Context"),
}
"""The lists of a kubeconfig: what an entry's content is called, and its struct."""

"""Its name is part of what Kubernetes says about a kind that it does not know."""
_BETA: Final = ("client.authentication.k8s.io/v1alpha1", "client.authentication.k8s.io/v1beta1")
_EMPTY: Final[Mapping[str, Any]] = {"string": "", "bool": False}


def checked(document: Any) -> JSONObject:
    """The document, if it is a kubeconfig. Nothing at all is an empty one. Raises ConfigError."""
    if document is None:
        return {}
    if not isinstance(document, dict):
        kind = r'struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }'
        raise ConfigError(
            f"couldn't get version/kind; json parse error: json: cannot unmarshal {json_type(document)} "
            f"into Go value of type {kind}"
        )
    version, kind = document.get("apiVersion") or "v1", document.get("kind") or "Config"
    if (version, kind) != ("v1", "Config"):
        raise ConfigError(f'no kind "{kind}" is registered for version "{version}" in scheme "{KUBECONFIG_SCHEME}"')
    for problem in _problems(document, "Config", ""):
        raise ConfigError(problem)
    _refuse_duplicates(document)
    for entry in document.get("users") or ():
        plugin = (entry.get("user") or {}).get("exec")
        # Older versions of the protocol had no such field, and their plugins may ask for a password.
        if plugin and not plugin.get("interactiveMode") and plugin.get("apiVersion") in _BETA:
            plugin["interactiveMode"] = "IfAvailable"
    return document


def _problems(value: Any, type_name: str, place: str, struct: str = "Config") -> Iterator[str]:
    """In the order in which Go meets them: YAML has become JSON by then, and its keys are sorted."""
    type_name = type_name.removesuffix("!").removeprefix("*")
    if value is None or type_name == "any":
        return
    if type_name in STRUCTS and isinstance(value, dict):
        for name in sorted(value):
            if field := STRUCTS[type_name].get(name):
                yield from _problems(value[name], field, f"{place}.{name}", type_name)
    elif type_name == "[]uint8" and isinstance(value, str):
        yield from _base64_problems(value)
    elif type_name.startswith("[]") and type_name != "[]uint8" and isinstance(value, list):
        for item in value:
            yield from _problems(item, type_name[2:], place, struct)
    elif type_name.startswith("map[string]") and isinstance(value, dict):
        for item in value.values():
            yield from _problems(item, type_name.removeprefix("map[string]"), place, struct)
    elif not (isinstance(value, str) and type_name == "string") and not (
        isinstance(value, bool) and type_name == "bool"
    ):
        yield (
            f"json: cannot unmarshal {json_type(value)} into Go struct field {struct}{place} of type "
            f"{_go_name(type_name)}"
        )


def _base64_problems(text: str) -> Iterator[str]:
    try:
        binascii.a2b_base64(text.replace("\n", "").replace("\r", ""), strict_mode=True)
    except (binascii.Error, ValueError):
        from localplane.apimachinery.schema.structs.decoder import corrupt_base64  # a whole room, for one sentence

        yield f"illegal base64 data at input byte {corrupt_base64(text) or 0}"


def _go_name(type_name: str) -> str:
    prefix = "[]" if type_name.startswith("[]") else ""
    bare = type_name.removeprefix(prefix)
    return f"{prefix}v1.{bare}" if bare in STRUCTS else type_name


def _refuse_duplicates(document: JSONObject) -> None:
    for kind, (_, struct) in KINDS.items():
        entries = document.get(kind) or ()
        names = [entry.get("name") or "" for entry in entries]
        if len(set(names)) == len(names):
            continue
        twice = next(name for position, name in enumerate(names) if name in names[:position])
        shown = " ".join(_go_struct(entry, f"Named{struct}") for entry in entries)
        raise ConfigError(
            f"error converting *[]Named{struct} into *map[string]*api.{struct}: "
            f'duplicate name "{twice}" in list: [{shown}]'
        )


def _go_struct(value: Mapping[str, Any], struct: str) -> str:
    """Go's %v of one."""
    parts = []
    for name, type_name in STRUCTS[struct].items():
        found, bare = value.get(name), type_name.removesuffix("!")
        if bare in STRUCTS:
            parts.append(_go_struct(found or {}, bare))
        elif bare.startswith("*"):
            parts.append("<nil>" if found is None else "0xc000000000")
        elif bare == "[]uint8":
            parts.append(go_plain(list(base64.b64decode(found or ""))))
        else:
            empty: Any = {} if bare.startswith("map") else []
            parts.append(go_plain(_EMPTY.get(bare, empty) if found is None else found))
    return "{" + " ".join(parts) + "}"


def completed(value: Mapping[str, Any], struct: str = "Config", *, unknown: bool = False) -> JSONObject:
    """What Kubernetes would write: its fields in order, nothing empty but what is always there, entries by name.

    `unknown` keeps the fields that it would drop.
    """
    found: JSONObject = {}
    for name, type_name in STRUCTS[struct].items():
        content = _completed(value.get(name), type_name, unknown=unknown)
        if content or type_name.endswith("!"):
            found[name] = content
    if struct == "Config":
        found = {"kind": "Config", "apiVersion": "v1"} | found
    if unknown:
        found |= {name: content for name, content in value.items() if name not in STRUCTS[struct]}
    return found


def _completed(value: Any, type_name: str, *, unknown: bool) -> Any:
    bare = type_name.removesuffix("!")
    if bare in STRUCTS:
        return completed(value or {}, bare, unknown=unknown)
    if bare.startswith("*"):
        return None if value is None else completed(value, bare[1:], unknown=unknown)
    if bare.startswith("[]Named"):
        entries = [completed(entry or {}, bare[2:], unknown=unknown) for entry in value or ()]
        return sorted(entries, key=lambda entry: str(entry["name"])) or None
    if bare == "[]ExecEnvVar" and value is not None:
        return [completed(entry or {}, bare[2:], unknown=unknown) for entry in value]
    return _EMPTY.get(bare) if value is None else value
