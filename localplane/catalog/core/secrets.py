"""Secrets: bytes by key, and what a type says must be there. Kubernetes: pkg/registry/core/secret, ValidateSecret."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from typing import Any

from localplane.apimachinery.fieldpath import FieldError, Path, invalid, required, too_long
from localplane.apimachinery.golang.text import json_type
from localplane.apimachinery.names import config_map_key
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.serializers.errors import SerializationError
from localplane.apimachinery.serializers.json import parse_json
from localplane.apimachinery.times import age
from localplane.apiserver.request import Request
from localplane.catalog.declarations import builtin
from localplane.catalog.strategy import Asked, BuiltinStrategy
from localplane.catalog.validation.rules import All, Changes, Fields, Immutable

from .config_maps import frozen
from .data_keys import LARGEST, decoded_size
from .key_pairs import key_pair_problem

SERVICE_ACCOUNT_TOKEN = "kubernetes.io/service-account-token"  # noqa: S105 - a type, no secret
SERVICE_ACCOUNT_NAME = "kubernetes.io/service-account.name"
_TLS = "kubernetes.io/tls"
_DOCKER_FILES = {
    "kubernetes.io/dockercfg": ".dockercfg",
    "kubernetes.io/dockerconfigjson": ".dockerconfigjson",
}

_DATA = Path("data")


def default_secret(obj: JSONObject) -> None:
    """Texts are for writing only: they become data, and win over what is there."""
    obj.setdefault("type", "Opaque")
    texts = obj.pop("stringData", None)
    if texts:
        data = obj.setdefault("data", {})
        for key, text in texts.items():
            data[key] = base64.b64encode(text.encode("utf-8", "surrogatepass")).decode("ascii")


def _key_errors(data: JSONObject, path: Path) -> Iterator[FieldError]:
    for key in data:
        yield from (invalid(path[key], key, problem) for problem in config_map_key(key))
    if sum(map(decoded_size, data.values())) > LARGEST:
        yield too_long(path, LARGEST)


def _type_errors(obj: JSONObject, _: Path) -> Iterator[FieldError]:
    """What a type promises must be there, and of the right form where anybody can tell."""
    data = obj.get("data") or {}
    match obj.get("type", ""):
        case "kubernetes.io/service-account-token":
            if not (obj["metadata"].get("annotations") or {}).get(SERVICE_ACCOUNT_NAME):
                yield required(Path("metadata.annotations")[SERVICE_ACCOUNT_NAME])
        case "kubernetes.io/dockercfg" | "kubernetes.io/dockerconfigjson" as kind:
            yield from _docker_errors(data, _DOCKER_FILES[kind])
        case "kubernetes.io/basic-auth":
            if "username" not in data and "password" not in data:
                yield from (required(_DATA["username"]), required(_DATA["password"]))
        case "kubernetes.io/ssh-auth":
            if not data.get("ssh-privatekey"):
                yield required(_DATA["ssh-privatekey"])
        case "kubernetes.io/tls":
            yield from (required(_DATA[key]) for key in ("tls.crt", "tls.key") if key not in data)


def _docker_errors(data: JSONObject, key: str) -> Iterator[FieldError]:
    if key not in data:
        yield required(_DATA[key])
        return
    problem = _json_problem(base64.b64decode(data[key] or ""))
    if problem:
        yield invalid(_DATA[key], "<secret contents redacted>", problem)


def _json_problem(document: bytes) -> str:
    """Why a document can't be read as a JSON object, in Go's words."""
    try:
        value = parse_json(document).value
    except SerializationError as error:
        return str(error)
    if isinstance(value, dict) or value is None:
        return ""
    return f"json: cannot unmarshal {json_type(value)} into Go value of type map[string]interface {{}}"


class SecretStrategy(BuiltinStrategy):
    allow_unconditional_update = True
    tracks_generation = False
    rules = All(Fields(data=_key_errors), _type_errors)
    changes = Changes(Immutable("type", absent=""), frozen("data"))
    on_update = (Asked.METADATA, Asked.CHANGES, Asked.OBJECT)

    def warnings_on_create(self, request: Request, obj: JSONObject) -> Sequence[str]:
        return _warnings(obj)

    def prepare_for_update(self, request: Request, obj: JSONObject, old: JSONObject) -> None:
        if not obj.get("type"):
            obj["type"] = old.get("type", "")

    def warnings_on_update(self, request: Request, obj: JSONObject, old: JSONObject) -> Sequence[str]:
        return _warnings(obj)


def _warnings(obj: JSONObject) -> list[str]:
    """A certificate without its key is kept, but is of no use."""
    if obj.get("type") != _TLS:
        return []
    data = obj.get("data") or {}
    certificate, key = (base64.b64decode(data.get(name) or "") for name in ("tls.crt", "tls.key"))
    problem = key_pair_problem(certificate, key)
    return [problem] if problem else []


def _cells(obj: JSONObject) -> list[Any]:
    metadata = obj["metadata"]
    count = len(obj.get("data") or ())
    return [metadata["name"], obj.get("type", ""), count, age(metadata.get("creationTimestamp"))]


SECRETS = builtin("secrets", strategy=SecretStrategy(), default=default_secret, cells=_cells)
