"""`kctl tree`, `kctl get everything`, --clean and --decode, against a plane."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest

from localplane.client.client import Client
from localplane.client.kubeconfig import Overrides, load, resolve
from localplane.client.names import GroupVersionResource
from tests.e2e.up.machine import Machine

CONFIGMAPS = GroupVersionResource("", "v1", "configmaps")
SECRETS = GroupVersionResource("", "v1", "secrets")
NAMESPACES = GroupVersionResource("", "v1", "namespaces")


@pytest.fixture(scope="module")
def family(plane: Machine) -> Machine:
    """A namespace with a grandmother, her children and theirs."""

    async def make() -> None:
        async with Client.connect(resolve(load(plane.kubeconfig), Overrides())) as client:
            await client.resource(NAMESPACES).create({"metadata": {"name": "family"}})
            maps, secrets = client.resource(CONFIGMAPS, "family"), client.resource(SECRETS, "family")

            def child(name: str, owner: dict[str, Any]) -> dict[str, Any]:
                reference = {"apiVersion": "v1", "kind": owner["kind"], "name": owner["metadata"]["name"]}
                return {"metadata": {"name": name, "ownerReferences": [{**reference, "uid": owner["metadata"]["uid"]}]}}

            grandmother = await maps.create({"metadata": {"name": "grandmother"}})
            daughter = await secrets.create({**child("daughter", grandmother), "stringData": {"key": "word"}})
            await maps.create(child("son", grandmother))
            await maps.create(child("grandchild", daughter))

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
    assert not family.kctl("tree", "cm", "son", "-n", "family", "--no-headers").stdout.startswith("NAMESPACE")


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


def test_everything_is_every_type_of_the_namespace(family: Machine) -> None:
    done = family.kctl("get", "everything", "-n", "family", "--no-headers", "-o", "name")
    assert (done.code, done.stderr) == (0, "")
    assert {"configmap/grandmother", "configmap/son", "secret/daughter"} <= set(done.stdout.split())
    assert "namespace/family" not in done.stdout
    everywhere = family.kctl("get", "everything", "-A", "-o", "name").stdout.split()
    assert {"namespace/family", "secret/daughter", "clusterrole.rbac.authorization.k8s.io/admin"} <= set(everywhere)


def test_nobody_can_delete_everything(family: Machine) -> None:
    done = family.kctl("delete", "everything", "--all", "-n", "family")
    assert (done.code, done.stderr) == (1, 'error: the server doesn\'t have a resource type "everything"\n')


def test_a_clean_secret_that_can_be_read(family: Machine) -> None:
    done = family.kctl("get", "secret", "daughter", "-n", "family", "-o", "yaml", "--clean", "--decode")
    assert re.sub(r"uid: .*", "uid: <uid>", done.stdout) == (
        "apiVersion: v1\nkind: Secret\nmetadata:\n  name: daughter\n  namespace: family\n  ownerReferences:\n"
        "  - apiVersion: v1\n    kind: ConfigMap\n    name: grandmother\n    uid: <uid>\n"
        "stringData:\n  key: word\ntype: Opaque\n"
    )


@pytest.mark.parametrize("flag", ["--clean", "--decode"])
def test_tables_have_nothing_to_clean_or_decode(family: Machine, flag: str) -> None:
    done = family.kctl("get", "cm", flag)
    assert (done.code, done.stderr) == (
        1,
        f"error: {flag} option can only be used with an --output of whole objects, and without --watch\n",
    )
