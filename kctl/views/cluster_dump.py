"""What `kctl cluster-info dump` writes: lists of what matters in a cluster, and the logs of its pods.

Kubernetes: kubectl/pkg/cmd/clusterinfo/clusterinfo_dump.go.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from kctl.errors import KctlError
from kctl.printers.choice import Printer
from kctl.session.session import Session
from kctl.streaming import logs, pods
from localplane.apimachinery.errors import APIError
from localplane.apimachinery.groups import GroupResource
from localplane.apimachinery.objects import JSONObject
from localplane.apis import encoding
from localplane.client.errors import ConnectionFailed
from localplane.client.rest import options
from localplane.client.rest.names import GroupVersionResource
from localplane.client.rest.statuses import Subject, from_answer

_LISTS = (
    ("events", "", "events"),
    ("replication-controllers", "", "replicationcontrollers"),
    ("services", "", "services"),
    ("daemonsets", "apps", "daemonsets"),
    ("deployments", "apps", "deployments"),
    ("replicasets", "apps", "replicasets"),
    ("pods", "", "pods"),
)
"""What is asked of each namespace: the file's name, the group, the resource."""


class RefusingPrinter:
    """For -o name: there are only lists, and a list has no name."""

    def print(self, obj: JSONObject, write: Callable[[str], object], *, event: str = "") -> None:
        del write, event
        raise KctlError(f"list types are not supported by name printing: *v1.{obj.get('kind', '')}")


class Dump:
    """`directory` is where files go; without one everything goes to stdout. One printer prints all lists."""

    def __init__(self, session: Session, printer: Printer, *, directory: str, extension: str) -> None:
        self._session = session
        self._printer = printer
        self._directory = "" if directory == "-" else directory
        self._extension = extension

    async def nodes(self) -> None:
        self._print(await self._list("", "nodes"), "nodes")

    async def namespaces(self) -> list[str]:
        listed = await self._list("", "namespaces")
        return [str(item["metadata"]["name"]) for item in listed.get("items") or ()]

    async def namespace(self, name: str) -> None:
        listed: JSONObject = {}
        for file, group, resource in _LISTS:
            listed = await self._list(group, resource, name)
            self._print(listed, f"{name}/{file}")
        for pod in listed.get("items") or ():  # pods come last
            pieces = [piece async for piece in self._logs(pod)]
            self._put(f"{name}/{pod['metadata']['name']}/logs.txt", pieces)

    async def _list(self, group: str, resource: str, namespace: str = "") -> JSONObject:
        client = self._session.client.resource(GroupVersionResource(group, "v1", resource), namespace)
        listed = await client.list(options.ListOptions())
        items = [_as_struct(listed, item) for item in listed.get("items") or ()]
        return {**listed, "items": items or None}  # kubectl reads protobuf, which knows no empty list

    def _print(self, listed: JSONObject, file: str) -> None:
        pieces: list[str] = []
        try:
            self._printer.print(listed, pieces.append)
        finally:  # a template that fails says on stdout what it was given
            self._put(f"{file}{self._extension}", [piece.encode() for piece in pieces])

    async def _logs(self, pod: JSONObject) -> Any:
        metadata, spec = pod["metadata"], pod.get("spec") or {}
        for container in (*(spec.get("initContainers") or ()), *(spec.get("containers") or ())):
            title = f"logs for container {container['name']} of pod {metadata['namespace']}/{metadata['name']} ====\n"
            yield f"==== START {title}".encode()
            yield await self._log(pod, container["name"])
            yield f"==== END {title}".encode()

    async def _log(self, pod: JSONObject, container: str) -> bytes:
        try:
            answer = await self._session.client.request(
                "GET", pods.path_of(pod, "log"), query=[("container", container)]
            )
        except APIError as error:
            return f"Request log error: {_bare(error, pod)}\n".encode()
        except ConnectionFailed as error:
            return f"Request log error: {error.reason or error}\n".encode()
        return answer.body

    def _put(self, file: str, pieces: Iterable[bytes]) -> None:
        if not self._directory:
            write = _stdout(self._session)
            for piece in pieces:
                write(piece)
            return
        path = Path(self._directory, file)
        path = Path(os.path.normpath(path))  # as filepath.Join does, so that messages have the same name
        _make_directory(path.parent)
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
        except OSError as error:
            raise KctlError(f"open {path}: {(error.strerror or str(error)).lower()}") from error
        with os.fdopen(descriptor, "wb") as opened:
            opened.writelines(pieces)


def _make_directory(path: Path) -> None:
    """With those above it. What is inside is nobody else's business."""
    if path.is_dir():
        return
    try:
        is_there = path.exists()
    except NotADirectoryError:
        is_there = False
    if is_there:
        raise KctlError(f"mkdir {path}: not a directory")
    _make_directory(path.parent)
    try:
        path.mkdir(mode=0o700)
    except OSError as error:
        raise KctlError(f"mkdir {path}: {(error.strerror or str(error)).lower()}") from error


def _as_struct(listed: JSONObject, item: JSONObject) -> JSONObject:
    kind = str(listed.get("kind", "")).removesuffix("List")
    struct = encoding.encoded({**item, "kind": kind, "apiVersion": listed.get("apiVersion", "")})
    return {name: value for name, value in struct.items() if name not in ("kind", "apiVersion")}


def _bare(error: Any, pod: JSONObject) -> str:
    """The request is made for the bare bytes, so only the code of a refusal is looked at, not its Status."""
    subject = Subject("GET", GroupResource("", "pods"), pod["metadata"]["name"])
    return from_answer(error.code, b"", content_type="application/json", retry_after=0, subject=subject).message


def _stdout(session: Session) -> Callable[[bytes], object]:
    session.flush()
    return logs.writer(session)
