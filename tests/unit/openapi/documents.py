"""Ways to look at a document."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from localplane.apiserver.endpoints.discovery import InstalledGroup
from localplane.apiserver.endpoints.openapi import OpenAPI
from localplane.apiserver.request import Response
from tests.unit.discovery.toys import body_of, request

METHODS = ("get", "put", "post", "delete", "options", "head", "patch")


async def ask(openapi: OpenAPI, path: str, accept: str = "", **headers: str) -> Response:
    answer = await openapi.handle(request(path, accept, **headers))
    assert isinstance(answer, Response)
    return answer


async def document(path: str, *groups: InstalledGroup) -> Any:
    return body_of(await ask(OpenAPI(lambda: groups), path))


def operations(found: Any) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """The path, the method and the operation."""
    for path, item in found["paths"].items():
        for method in METHODS:
            if method in item:
                yield path, method, item[method]


def parameters(found: Any, path: str, method: str) -> set[str]:
    item = found["paths"][path]
    return {each["name"] for each in [*item.get("parameters", ()), *item[method].get("parameters", ())]}


def references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, each in value.items():
            if key == "$ref" and isinstance(each, str):
                yield each
            else:
                yield from references(each)
    elif isinstance(value, list):
        for each in value:
            yield from references(each)
