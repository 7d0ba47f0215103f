"""`kctl tree`: an object and all that it owns, over every kind."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest

from localplane.client.kubeconfig import Overrides, load, resolve
from localplane.client.rest.client import Client
from localplane.client.rest.names import GroupVersionResource
from tests.e2e.up.machine import Machine

CONFIGMAPS = GroupVersionResource("", "v1", "configmaps")
SECRETS = GroupVersionResource("", "v1", "secrets")
NAMESPACES = GroupVersionResource("", "v1", "namespaces")
CLASSES = GroupVersionResource("scheduling.k8s.io", "v1", "priorityclasses")
DEPLOYMENTS = GroupVersionResource("apps", "v1", "deployments")

WEB = {
    "metadata": {"name": "web"},
    "spec": {
        "replicas": 2,
        "selector": {"matchLabels": {"a": "b"}},
        "template": {
            "metadata": {"labels": {"a": "b"}},
            "spec": {"containers": [{"name": "c", "image": "i"}]},
        },
    },
}


@pytest.fixture(scope="module")
def family(plane: Machine) -> Machine:
    """A namespace with a grandmother, her children and theirs."""

    async def make() -> None:
        async with Client.connect(resolve(load(plane.kubeconfig), Overrides())) as client:
            await client.resource(NAMESPACES).create({"metadata": {"name": "family"}})
            maps, secrets = client.resource(CONFIGMAPS, "family"), client.resource(SECRETS, "family")

            def child(name: str, owner: dict[str, Any], version: str = "v1") -> dict[str, Any]:
                reference = {"apiVersion": version, "kind": owner["kind"], "name": owner["metadata"]["name"]}
                return {"metadata": {"name": name, "ownerReferences": [{**reference, "uid": owner["metadata"]["uid"]}]}}

            grandmother = await maps.create({"metadata": {"name": "grandmother"}})
            daughter = await secrets.create({**child("daughter", grandmother), "stringData": {"key": "word"}})
            await maps.create(child("son", grandmother))
            await maps.create(child("grandchild", daughter))
            ancestor = await client.resource(CLASSES).create({"metadata": {"name": "ancestor"}, "value": 1})
            ancestor |= {"kind": "PriorityClass"}
            for namespace, name in (("default", "here"), ("family", "there")):
                owned = child(name, ancestor, "scheduling.k8s.io/v1")
                await client.resource(CONFIGMAPS, namespace).create(owned)
            await client.resource(DEPLOYMENTS, "family").create(WEB)

    asyncio.run(make())
    return plane


def without_ages(text: str) -> str:
    return re.sub(r" \d+s\n", " <age>\n", text)


def test_an_object_stands_above_all_that_it_owns(family: Machine) -> None:
    done = family.kctl("tree", "cm/grandmother", "-n", "family")
    assert (done.code, done.stderr) == (0, "")
    assert without_ages(done.stdout) == (
        "NAMESPACE   NAME                       READY   STATUS   AGE\n"
        "family      configmap/grandmother      -       -        <age>\n"
        "family      ├─configmap/son            -       -        <age>\n"
        "family      └─secret/daughter          -       -        <age>\n"
        "family        └─configmap/grandchild   -       -        <age>\n"
    )
    alone = family.kctl("tree", "cm", "son", "-n", "family", "--no-headers")
    assert re.fullmatch(r"family   configmap/son   -     -     \d+s\n", alone.stdout)


def test_several_have_a_tree_each(family: Machine) -> None:
    done = family.kctl("tree", "cm/son", "secret/daughter", "-n", "family", "--no-headers")
    names = [line.split()[1] for line in done.stdout.splitlines()]
    assert names == ["configmap/son", "secret/daughter", "└─configmap/grandchild"]


def test_who_has_no_namespace_may_own_in_all_of_them(family: Machine) -> None:
    done = family.kctl("tree", "priorityclass", "ancestor", "--no-headers")
    assert [line.split()[:2] for line in done.stdout.splitlines()] == [
        ["priorityclass.scheduling.k8s.io/ancestor", "-"],
        ["default", "├─configmap/here"],
        ["family", "└─configmap/there"],
    ]


def test_readiness_and_state_are_told_where_a_kind_has_them(family: Machine) -> None:
    done = family.kctl("tree", "deploy/web", "-n", "family")
    assert without_ages(done.stdout) == (
        "NAMESPACE   NAME                  READY   STATUS   AGE\n"
        "family      deployment.apps/web   0/2     -        <age>\n"
    )


def test_what_may_not_be_listed_is_left_out_and_said(family: Machine) -> None:
    for line in (
        ("create", "role", "reader", "--verb=get,list", "--resource=configmaps", "-n", "family"),
        ("create", "rolebinding", "reader", "--role=reader", "--user=visitor", "-n", "family"),
    ):
        assert family.kctl(*line).code == 0
    done = family.kctl("tree", "cm/grandmother", "-n", "family", "--as=visitor", "--no-headers")
    assert (done.code, [line.split()[1] for line in done.stdout.splitlines()]) == (
        0,
        ["configmap/grandmother", "└─configmap/son"],
    )
    assert 'Warning: secrets are not shown: secrets is forbidden: User "visitor" cannot list' in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("cm/nobody",), 'Error from server (NotFound): configmaps "nobody" not found\n'),
        ((), "error: expected TYPE/NAME or TYPE NAME\n"),
        (("cm",), "error: resource(s) were provided, but no name was specified\n"),
    ],
)
def test_what_has_no_tree(family: Machine, arguments: tuple[str, ...], said: str) -> None:
    done = family.kctl("tree", *arguments)
    assert (done.code, done.stdout) == (1, "")
    assert done.stderr.startswith(said)
