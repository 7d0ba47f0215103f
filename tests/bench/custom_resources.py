"""Custom resources: what a large definition costs, what its objects cost, and what it is to have many definitions.

python -m tests.bench.custom_resources [--definitions 500]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.server.options import ServerOptions
from localplane.client import GroupVersionResource
from localplane.compose.cluster import open_cluster
from localplane.compose.options import ClusterOptions, StorageKind, StorageOptions
from localplane.compose.server import Plane

DEFINITIONS = GroupVersionResource("apiextensions.k8s.io", "v1", "customresourcedefinitions")
_GROUP = "bench.example.com"
_REPEATS = 5


def fields(depth: int, width: int) -> JSONObject:
    """An object with fields of every sort, nested so deep."""
    properties: JSONObject = {}
    for number in range(width):
        match number % 5:
            case 0 if depth:
                properties[f"object{number}"] = fields(depth - 1, width)
            case 1 if depth:
                items = fields(depth - 1, width // 2 + 1)
                properties[f"list{number}"] = {"description": "Things of a kind.", "type": "array", "items": items}
            case 2:
                properties[f"count{number}"] = {"type": "integer", "minimum": 0, "maximum": 100, "default": 5}
            case 3:
                properties[f"choice{number}"] = {"type": "string", "enum": ["A", "B", "C"]}
            case _:
                pattern = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"
                properties[f"text{number}"] = {"type": "string", "maxLength": 253, "pattern": pattern}
    return {"type": "object", "description": "An object with many fields.", "properties": properties}


def schema(depth: int = 3, width: int = 16) -> JSONObject:
    return {"type": "object", "properties": {"spec": fields(depth, width)}}


def definition(plural: str, declared: JSONObject, group: str = _GROUP) -> JSONObject:
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": declared}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"plural": plural, "kind": plural.capitalize()},
            "versions": [version],
        },
    }


def value(declared: JSONObject) -> Any:
    """An object that fills every field."""
    if "properties" in declared:
        return {name: value(each) for name, each in declared["properties"].items()}
    if "items" in declared:
        return [value(declared["items"])]
    return 3 if declared["type"] == "integer" else (declared.get("enum") or ["abc"])[0]


def lines(declared: JSONObject) -> int:
    """As many as it has in YAML, or one more where there is a list."""
    return len([line for line in json.dumps(declared, indent=1).splitlines() if line.strip(" []{},")])


def options(directory: Path | None = None) -> ClusterOptions:
    storage = StorageOptions(kind=StorageKind.SQLITE if directory else StorageKind.MEMORY, data_dir=directory)
    return ClusterOptions(storage=storage, server=ServerOptions(port=0), controllers=("none",))


async def install(plane: Plane, declared: JSONObject) -> float:
    """Milliseconds of work until a definition is served, whatever else the machine does meanwhile."""
    took = []
    for number in range(_REPEATS):
        body = definition(f"big{number}s", declared)
        began = time.process_time()
        await plane.client.resource(DEFINITIONS).create(body)
        took.append((time.process_time() - began) * 1000)
    return median(took)


def validate(plane: Plane, obj: JSONObject) -> float:
    """The same for one object, once the schema is compiled."""
    served = plane.installer.served(_GROUP, ("v1", "big0s", ""))
    assert served is not None
    judge = served.schema()
    assert judge.validate(obj) == []
    began = time.process_time()
    for _ in range(20):
        judge.validate(obj)
    return (time.process_time() - began) * 1000 / 20


def resident() -> int:
    """Megabytes."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * 4096 // 2**20


async def many(count: int) -> None:
    declared = schema(2, 13)
    with tempfile.TemporaryDirectory() as directory:
        async with open_cluster(options(Path(directory))) as plane:
            definitions = plane.client.resource(DEFINITIONS)
            began = time.perf_counter()
            for number in range(count):
                await definitions.create(definition(f"kind{number}s", declared, f"g{number % 25}.example.com"))
            each = (time.perf_counter() - began) * 1000 / count
            print(f"{count} definitions of {lines(declared)} lines: {each:.1f} ms each, {resident()} MB resident")
        began = time.perf_counter()
        async with open_cluster(options(Path(directory))) as plane:
            print(f"started with them in {time.perf_counter() - began:.2f} s, {resident()} MB resident")
            began = time.perf_counter()
            await plane.client.discovery().discover()
            print(f"discovered in {(time.perf_counter() - began) * 1000:.0f} ms")


async def measure(count: int) -> None:
    declared = schema()
    obj = {"apiVersion": f"{_GROUP}/v1", "kind": "Big0s", "metadata": {"name": "a"}}
    obj["spec"] = value(declared["properties"]["spec"])
    async with open_cluster(options()) as plane:
        print(f"a definition of {lines(declared)} lines is served after {await install(plane, declared):.1f} ms")
        size = len(json.dumps(obj))
        print(f"an object of {size} bytes that fills all its fields is validated in {validate(plane, obj):.2f} ms")
    await many(count)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--definitions", type=int, default=500)
    asyncio.run(measure(parser.parse_args().definitions))


if __name__ == "__main__":
    main()
