"""The kind that is served, its objects, and the requests for them: everything that can be made before is made here."""

from __future__ import annotations

import random

import orjson

from localplane.library import APIGroup, Resource, Version

GROUP, VERSION, PLURAL, KIND = "bench.example.com", "v1", "settings", "Setting"

MANY, FEW, WRITTEN = "many", "few", "written"
"""Namespaces: those that are read, and the one that is written to."""

_FILLING = 820
_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"


class Setting:
    """A ConfigMap by another name."""

    data: dict[str, str]


GROUPS = [APIGroup(GROUP, [Resource(PLURAL, kind=KIND, versions=[Version(VERSION, Setting)])])]


def seeded_name(number: int) -> str:
    return f"seeded-{number:06}"


def body(namespace: str, name: str, *, turn: int = 0, resource_version: str = "") -> bytes:
    """An object of about 1 KB. The same name has the same filling, so that turns differ by nothing but their number."""
    metadata: dict[str, object] = {"name": name, "namespace": namespace, "labels": {"app": "bench"}}
    if resource_version:
        metadata["resourceVersion"] = resource_version
    filling = "".join(random.Random(name).choices(_LETTERS, k=_FILLING))
    return orjson.dumps(
        {
            "kind": KIND,
            "apiVersion": f"{GROUP}/{VERSION}",
            "metadata": metadata,
            "data": {"turn": str(turn), "filling": filling},
        }
    )


def path(namespace: str, name: str = "", query: str = "") -> str:
    at = f"/apis/{GROUP}/{VERSION}/namespaces/{namespace}/{PLURAL}"
    return at + (f"/{name}" if name else "") + (f"?{query}" if query else "")


def request(
    method: str, path: str, body: bytes = b"", *, content_type: str = "application/json", gzip: bool = False
) -> bytes:
    """As it goes over the wire."""
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost", "User-Agent: bench", "Accept: application/json"]
    if gzip:
        lines.append("Accept-Encoding: gzip")
    if body:
        lines += [f"Content-Type: {content_type}", f"Content-Length: {len(body)}"]
    return "\r\n".join([*lines, "", ""]).encode() + body


def creation(namespace: str, name: str) -> bytes:
    return request("POST", path(namespace), body(namespace, name))


class Updates:
    """PUTs of one object. Each names the version that the answer to the last one told, so only that is put in late."""

    def __init__(self, namespace: str, name: str) -> None:
        before, _, after = body(namespace, name, turn=-1, resource_version="?").partition(b'"?"')
        self._before, self._between = before, after.partition(b'"-1"')
        self._head = request("PUT", path(namespace, name), b"?").removesuffix(b"1\r\n\r\n?")

    def request(self, resource_version: bytes, turn: int) -> bytes:
        middle, _, end = self._between
        body = b'%b"%b"%b"%d"%b' % (self._before, resource_version, middle, turn, end)
        return b"%b%d\r\n\r\n%b" % (self._head, len(body), body)


def resource_version_in(answer: bytes) -> bytes:
    """Of an object or a list: both tell it first."""
    start = answer.index(b'"resourceVersion":"') + 19
    return answer[start : answer.index(b'"', start)]
