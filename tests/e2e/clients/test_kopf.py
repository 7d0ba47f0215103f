"""Operators written with kopf do their work against the plane as against any cluster."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from kubernetes import client

from tests.e2e.up.machine import until

HERE = Path(__file__).parent
BOOKS = ("library.example.com", "v1")
SPEC = {
    "type": "object",
    "required": ["pages"],
    "properties": {
        "pages": {"type": "integer", "minimum": 1},
        "binding": {"type": "string", "default": "paper"},
    },
}
SCHEMA = {
    "type": "object",
    "properties": {"spec": SPEC, "status": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
}
VERSION = {
    "name": "v1",
    "served": True,
    "storage": True,
    "subresources": {"status": {}},
    "schema": {"openAPIV3Schema": SCHEMA},
}
DEFINITION = {
    "metadata": {"name": "books.library.example.com"},
    "spec": {
        "group": "library.example.com",
        "scope": "Namespaced",
        "names": {"plural": "books", "singular": "book", "kind": "Book", "listKind": "BookList"},
        "versions": [VERSION],
    },
}


@contextmanager
def operator(program: str, *, kubeconfig: Path, namespace: str, home: Path) -> Iterator[list[str]]:
    """It runs, and this is what it said so far."""
    process = subprocess.Popen(
        [sys.executable, "-m", "kopf", "run", str(HERE / program), "--namespace", namespace, "--standalone"],
        env={"HOME": str(home), "PATH": os.defpath, "KUBECONFIG": str(kubeconfig)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    said: list[str] = []
    reader = threading.Thread(target=said.extend, args=(process.stderr,))
    reader.start()
    try:
        yield said
    finally:
        process.terminate()
        process.wait(timeout=30)
        reader.join()
        process.stderr.close()


def test_an_operator_follows_a_built_in_object_through_its_life(
    core: Any, apps: Any, kubeconfig: Path, namespace: str, tmp_path: Path
) -> None:
    with operator("operator_of_pages.py", kubeconfig=kubeconfig, namespace=namespace, home=tmp_path) as said:
        core.create_namespaced_config_map(namespace, {"metadata": {"name": "page", "labels": {"site": "a"}}})
        _until(said, lambda: _annotation(core, namespace) == "yes")
        owner = apps.read_namespaced_deployment("page", namespace).metadata.owner_references[0]
        assert (owner.kind, owner.name, owner.controller) == ("ConfigMap", "page", True)

        core.patch_namespaced_config_map("page", namespace, {"data": {"replicas": "3"}})
        _until(said, lambda: apps.read_namespaced_deployment("page", namespace).spec.replicas == 3)

        core.delete_namespaced_config_map("page", namespace)
        _until(said, lambda: _names(core, namespace) == {"page-was-here"})
        _until(said, lambda: apps.list_namespaced_deployment(namespace).items == [])


def test_an_operator_follows_a_custom_resource_through_its_life(
    books: Any, kubeconfig: Path, namespace: str, tmp_path: Path
) -> None:
    with operator("operator_of_books.py", kubeconfig=kubeconfig, namespace=namespace, home=tmp_path) as said:
        books.create_namespaced_custom_object(*BOOKS, namespace, "books", _book())

        def read() -> dict[str, Any]:
            found: dict[str, Any] = books.get_namespaced_custom_object(*BOOKS, namespace, "books", "moby")
            return found

        _until(said, lambda: read().get("status", {}).get("bound") == "paper")
        assert read()["status"]["bind"] == {"pages": 600}
        assert read()["metadata"]["generation"] == 1

        books.patch_namespaced_custom_object(*BOOKS, namespace, "books", "moby", {"spec": {"pages": 640}})
        _until(said, lambda: read()["status"].get("grown") == 40)
        assert read()["metadata"]["generation"] == 2

        books.delete_namespaced_custom_object(*BOOKS, namespace, "books", "moby")
        _until(said, lambda: books.list_namespaced_custom_object(*BOOKS, namespace, "books")["items"] == [])


@pytest.fixture(scope="module")
def books(api: client.ApiClient) -> Any:
    """Custom objects; there is a kind Book."""
    definitions: Any = client.ApiextensionsV1Api(api)
    definitions.create_custom_resource_definition(DEFINITION)

    def established() -> bool:
        found = definitions.read_custom_resource_definition("books.library.example.com")
        return any(each.type == "Established" and each.status == "True" for each in found.status.conditions or [])

    until(established, within=30)
    return client.CustomObjectsApi(api)


def _book() -> dict[str, Any]:
    return {
        "apiVersion": "library.example.com/v1",
        "kind": "Book",
        "metadata": {"name": "moby"},
        "spec": {"pages": 600},
    }


def _until(said: list[str], happened: Any) -> None:
    """What went wrong is a better message than that nothing happened."""

    def happened_or_failed() -> bool:
        wrong = [line for line in said if "[ERROR" in line or "Traceback" in line]
        assert not wrong, "".join(said)
        return bool(happened())

    until(happened_or_failed, within=30)


def _annotation(core: Any, namespace: str) -> str | None:
    found: dict[str, str] = core.read_namespaced_config_map("page", namespace).metadata.annotations or {}
    return found.get("pages.example.com/deployed")


def _names(core: Any, namespace: str) -> set[str]:
    return {each.metadata.name for each in core.list_namespaced_config_map(namespace).items} - {"kube-root-ca.crt"}
