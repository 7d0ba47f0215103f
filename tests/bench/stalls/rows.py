"""What is asked for while somebody else waits: every form of a list, every way to watch, every heavy body."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
SECRETS = "/api/v1/namespaces/default/secrets"

_TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
_METADATA_LIST = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"
_METADATA = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"
_PROTOBUF = "application/vnd.kubernetes.protobuf"
_METADATA_PROTOBUF = f"{_PROTOBUF};as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"
_JSON, _YAML = "application/json", "application/yaml"
_STRATEGIC = "application/strategic-merge-patch+json"
_INITIAL = (
    "watch=true&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=60"
)
_END = b"initial-events-end"
_MANY_KEYS = 20_000


@dataclass(frozen=True, slots=True)
class Row:
    """`until` is what ends a watch. `repeats` is how often it is asked for: what is kept makes the first one the worst.
    `status` is what must be answered, if it is no success."""

    name: str
    method: str
    path: str
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    until: bytes = b""
    repeats: int = 2
    status: int = 0


def _list(name: str, accept: str, query: str = "", path: str = CONFIG_MAPS, **headers: str) -> Row:
    return Row(name, "GET", path + (f"?{query}" if query else ""), headers={"Accept": accept, **headers})


def _watch(name: str, accept: str) -> Row:
    return Row(name, "GET", f"{CONFIG_MAPS}?{_INITIAL}", headers={"Accept": accept}, until=_END)


def _large(name: str, width: int = 45) -> dict[str, object]:
    """As many keys as a config map may hold; wider ones are too much for it."""
    data = {f"key-{number:05}": "x" * width for number in range(_MANY_KEYS)}
    return {"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": name}, "data": data}


def _as_yaml(obj: dict[str, object]) -> bytes:
    metadata, data = obj["metadata"], obj["data"]
    assert isinstance(metadata, dict)
    assert isinstance(data, dict)
    lines = ["kind: ConfigMap", "apiVersion: v1", "metadata:", f"  name: {metadata['name']}", "data:"]
    return "\n".join([*lines, *(f"  {name}: {value}" for name, value in data.items()), ""]).encode()


def _dry(name: str, method: str, path: str, body: bytes, content_type: str, *, status: int = 0, **headers: str) -> Row:
    path = f"{path}{'&' if '?' in path else '?'}dryRun=All"
    return Row(name, method, path, body, {"Content-Type": content_type, **headers}, repeats=1, status=status)


def rows() -> list[Row]:
    large, wide = _large("large"), _large("wide", 110)
    as_json, as_yaml = json.dumps(large).encode(), _as_yaml(large)
    changed = json.dumps(_large("large", 44)).encode()
    large_path = f"{CONFIG_MAPS}/large"
    applied = f"{large_path}?fieldManager=bench&force=true"
    small_patch = b'{"data":{"key-00001":"changed"}}'
    json_patch = b'[{"op":"replace","path":"/data/key-00001","value":"changed"}]'
    return [
        _list("list as JSON", _JSON),
        _list("list as JSON with gzip", _JSON, **{"Accept-Encoding": "gzip"}),
        _list("list as pretty JSON", _JSON, "pretty=true"),
        _list("list as Table", _TABLE),
        _list("list as Table with objects", _TABLE, "includeObject=Object"),
        _list("list as PartialObjectMetadataList", _METADATA_LIST),
        _list("list as protobuf", _PROTOBUF),
        _list("list as metadata in protobuf", _METADATA_PROTOBUF),
        Row("list as YAML", "GET", CONFIG_MAPS, headers={"Accept": _YAML}, repeats=1),
        _list("list by label", _JSON, "labelSelector=app%3Dapp-7"),
        _list("list by field", _JSON, "fieldSelector=type%3Dexample.com/rare", SECRETS),
        _watch("watch with initial events as JSON", _JSON),
        _watch("watch with initial events as metadata", _METADATA),
        _watch("watch with initial events as Table", _TABLE),
        _watch("watch with initial events as protobuf", f"{_PROTOBUF};stream=watch"),
        _dry("create from 20,000 keys of JSON", "POST", CONFIG_MAPS, as_json, _JSON),
        _dry("create from 20,000 keys of YAML", "POST", CONFIG_MAPS, as_yaml, _YAML),
        _dry("create, answered as YAML", "POST", CONFIG_MAPS, as_json, _JSON, Accept=_YAML),
        _dry("create, answered as protobuf", "POST", CONFIG_MAPS, as_json, _JSON, Accept=_PROTOBUF),
        _dry("refuse 2.7 MB of JSON", "POST", CONFIG_MAPS, json.dumps(wide).encode(), _JSON, status=422),
        _dry("refuse 2.5 MB of YAML", "POST", CONFIG_MAPS, _as_yaml(wide), _YAML, status=422),
        _dry("apply 20,000 keys of YAML", "PATCH", applied, as_yaml, "application/apply-patch+yaml"),
        Row("create for good", "POST", CONFIG_MAPS, as_json, {"Content-Type": _JSON}, repeats=1),
        Row("put for good", "PUT", f"{CONFIG_MAPS}/large", changed, {"Content-Type": _JSON}, repeats=1),
        _dry("apply over it", "PATCH", applied, as_yaml, "application/apply-patch+yaml"),
        _dry("merge patch of it", "PATCH", large_path, small_patch, "application/merge-patch+json"),
        _dry("JSON patch of it", "PATCH", large_path, json_patch, "application/json-patch+json"),
        _dry("strategic merge patch of it", "PATCH", large_path, small_patch, _STRATEGIC),
        _list("get it as YAML", _YAML, path=large_path),
        _list("get it as protobuf", _PROTOBUF, path=large_path),
        _list("get it as Table with object", _TABLE, "includeObject=Object", path=large_path),
        _list("get it as pretty JSON", _JSON, "pretty=true", path=large_path),
        Row("delete the collection of secrets", "DELETE", SECRETS, repeats=1),
        _list("OpenAPI v2", _JSON, path="/openapi/v2"),
        _list(
            "OpenAPI v2 as protobuf", "application/com.github.proto-openapi.spec.v2.v1.0+protobuf", path="/openapi/v2"
        ),
        _list("OpenAPI v3 of the core", _JSON, path="/openapi/v3/api/v1"),
        _list(
            "discovery of everything",
            "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
            path="/apis",
        ),
        _list("metrics", "*/*", path="/metrics"),
    ]
