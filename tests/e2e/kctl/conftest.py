"""A cluster with a few objects that never change, for the verbs that only read."""

from __future__ import annotations

import asyncio
import re
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from localplane.client.kubeconfig import load, resolve
from localplane.client.rest.client import Client
from localplane.client.rest.names import GroupVersionResource
from tests.e2e.command_line import Outcome
from tests.e2e.kctl.desk import Desk
from tests.e2e.streaming.fake_kubelet import FakeKubelet
from tests.e2e.streaming.talking import Talk
from tests.e2e.up.machine import Machine

Read: TypeAlias = Callable[..., Outcome]

_AGE = re.compile(r"(?<= )(\d+[smhd])+(?: *$| +)", re.MULTILINE)
_AGE_HEADER = re.compile(r"(?<= )AGE +")


def labelled(name: str, **labels: str) -> dict[str, Any]:
    return {"metadata": {"name": name, "namespace": "shop", "labels": labels}}


OBJECTS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("", "namespaces", {"metadata": {"name": "shop"}}),
    ("", "configmaps", {**labelled("apple", app="fruit", weight="100"), "data": {"colour": "red"}}),
    ("", "configmaps", {**labelled("pear", app="fruit", weight="20"), "data": {"colour": "green", "note": "a\nb\n"}}),
    ("", "configmaps", labelled("carrot", app="vegetable")),
    ("", "secrets", {**labelled("key", app="fruit"), "data": {"k": "aGk="}, "type": "Opaque"}),
    (
        "apps",
        "deployments",
        {
            **labelled("web", app="fruit"),
            "spec": {
                "replicas": 0,
                "selector": {"matchLabels": {"a": "b"}},
                "template": {
                    "metadata": {"labels": {"a": "b"}},
                    "spec": {"containers": [{"name": "c", "image": "nginx"}]},
                },
            },
        },
    ),
)


async def _make(kubeconfig: Path) -> None:
    async with Client.connect(resolve(load(kubeconfig))) as client:
        for group, resource, obj in OBJECTS:
            namespace = obj["metadata"].get("namespace", "")
            await client.resource(GroupVersionResource(group, "v1", resource), namespace).create(obj)


@pytest.fixture(scope="session")
def shop(plane: Machine) -> Machine:
    asyncio.run(_make(plane.kubeconfig))
    return plane


def _masked(match: re.Match[str]) -> str:
    """As wide as its header, whatever it was."""
    return "<age>" + ("" if match.group() == match.group().rstrip(" ") else " ")


@pytest.fixture
def read(shop: Machine) -> Read:
    """Run kctl in the shop's namespace; ages are masked."""

    def run(*arguments: str, **environ: str) -> Outcome:
        done = shop.kctl("-n", "shop", *arguments, **environ)
        return Outcome(done.code, _AGE_HEADER.sub("AGE  ", _AGE.sub(_masked, done.stdout)), done.stderr)

    return run


@pytest.fixture
def desk(plane: Machine, tmp_path: Path) -> Desk:
    """A new namespace, and an empty directory to work in."""
    name = f"desk-{uuid.uuid4().hex[:8]}"
    done = plane.kctl("create", "namespace", name)
    assert done.code == 0, done.stderr
    return Desk(plane, name, tmp_path)


@pytest.fixture(scope="module")
def kubelet() -> Iterator[FakeKubelet]:
    """A server whose containers are processes of this machine; it speaks WebSockets and SPDY."""
    fake = FakeKubelet()
    fake.start()
    yield fake
    fake.stop()


@pytest.fixture
def talk(kubelet: FakeKubelet, tmp_path: Path) -> Talk:
    """kctl in an empty directory, speaking to it."""
    return Talk(kubelet, tmp_path)
