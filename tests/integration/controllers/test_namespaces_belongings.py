"""What every active namespace has: a service account, and the server's authority."""

from __future__ import annotations

import pytest

from localplane.client import GroupVersionResource, PatchType
from tests.integration.controllers.world import CONFIG_MAPS, NAMESPACES, ROOT_CA, SERVICE_ACCOUNTS, opened

BELONGINGS = pytest.mark.parametrize(
    ("controller", "kind", "name"),
    [
        ("serviceaccount", SERVICE_ACCOUNTS, "default"),
        ("root-ca-cert-publisher", CONFIG_MAPS, "kube-root-ca.crt"),
    ],
)


@BELONGINGS
async def test_every_namespace_has_it_and_gets_it_again(controller: str, kind: GroupVersionResource, name: str) -> None:
    async with opened(controller) as world:
        await world.becomes(kind, name, "default", so=lambda obj: obj is not None)  # which was there before us
        await world.create(NAMESPACES, "a")
        first = await world.becomes(kind, name, "a", so=lambda obj: obj is not None)
        assert first is not None
        await world.of(kind, "a").delete(name)
        await world.becomes(
            kind, name, "a", so=lambda obj: obj is not None and obj["metadata"]["uid"] != first["metadata"]["uid"]
        )


@BELONGINGS
async def test_a_namespace_that_goes_does_not_get_it_again(
    controller: str, kind: GroupVersionResource, name: str
) -> None:
    async with opened(controller, "namespace") as world:
        await world.create(NAMESPACES, "a")
        await world.becomes(kind, name, "a", so=lambda obj: obj is not None)
        await world.of(NAMESPACES).delete("a")
        await world.gone(NAMESPACES, "a")
        assert await world.get(kind, name, "a") is None


async def test_the_authority_is_restored_and_described() -> None:
    async with opened("root-ca-cert-publisher") as world:
        await world.becomes(CONFIG_MAPS, "kube-root-ca.crt", "default", so=lambda obj: obj is not None)
        spoilt = {"metadata": {"annotations": None, "labels": {"mine": "1"}}, "data": {"ca.crt": "x", "more": "y"}}
        await world.of(CONFIG_MAPS, "default").patch("kube-root-ca.crt", spoilt, PatchType.MERGE)
        found = await world.becomes(
            CONFIG_MAPS,
            "kube-root-ca.crt",
            "default",
            so=lambda obj: obj is not None and obj["data"] == {"ca.crt": ROOT_CA},
        )
        assert found is not None
        assert found["metadata"]["labels"] == {"mine": "1"}
        assert found["metadata"]["annotations"]["kubernetes.io/description"].startswith("Contains a CA bundle that")
