"""An operator written with kopf does its work against the plane as against any cluster."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.up.machine import until

OPERATOR = Path(__file__).with_name("operator_of_pages.py")


@pytest.fixture
def operator(kubeconfig: Path, namespace: str, tmp_path: Path) -> Iterator[list[str]]:
    """It runs, and this is what it said so far."""
    process = subprocess.Popen(
        [sys.executable, "-m", "kopf", "run", str(OPERATOR), "--namespace", namespace, "--standalone"],
        env={"HOME": str(tmp_path), "PATH": os.defpath, "KUBECONFIG": str(kubeconfig)},
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


def test_an_operator_follows_an_object_through_its_life(
    operator: list[str], core: Any, apps: Any, namespace: str
) -> None:
    core.create_namespaced_config_map(namespace, {"metadata": {"name": "page", "labels": {"site": "a"}}})
    until(lambda: _annotation(core, namespace) == "yes" or _failed(operator), within=30)
    deployment = apps.read_namespaced_deployment("page", namespace)
    owner = deployment.metadata.owner_references[0]
    assert (owner.kind, owner.name, owner.controller) == ("ConfigMap", "page", True)

    core.patch_namespaced_config_map("page", namespace, {"data": {"replicas": "3"}})
    until(lambda: apps.read_namespaced_deployment("page", namespace).spec.replicas == 3 or _failed(operator), within=30)

    core.delete_namespaced_config_map("page", namespace)
    until(lambda: _names(core, namespace) == {"page-was-here"} or _failed(operator), within=30)
    until(lambda: apps.list_namespaced_deployment(namespace).items == [], within=30)


def _annotation(core: Any, namespace: str) -> str | None:
    found: dict[str, str] = core.read_namespaced_config_map("page", namespace).metadata.annotations or {}
    return found.get("pages.example.com/deployed")


def _names(core: Any, namespace: str) -> set[str]:
    return {each.metadata.name for each in core.list_namespaced_config_map(namespace).items} - {"kube-root-ca.crt"}


def _failed(said: list[str]) -> bool:
    """Never true: what went wrong is the better message."""
    wrong = [line for line in said if "[ERROR" in line or "Traceback" in line]
    assert not wrong, "".join(said)
    return False
