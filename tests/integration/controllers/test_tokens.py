"""Secrets that hold a service account's token."""

from __future__ import annotations

from base64 import b64decode

from localplane.apimachinery.objects import JSONObject
from tests.integration.controllers.world import ROOT_CA, SECRETS, SERVICE_ACCOUNTS, World, opened

TYPE = "kubernetes.io/service-account-token"


async def token_secret(world: World, name: str, account: str) -> JSONObject:
    annotations = {"kubernetes.io/service-account.name": account}
    return await world.create(SECRETS, name, "default", metadata={"annotations": annotations}, type=TYPE)


def has_token(obj: JSONObject | None) -> bool:
    return obj is not None and "token" in (obj.get("data") or {})


async def test_a_token_secret_is_filled_in() -> None:
    async with opened("serviceaccount-token") as world:
        account = await world.create(SERVICE_ACCOUNTS, "robot", "default")
        await token_secret(world, "s", "robot")
        found = await world.becomes(SECRETS, "s", "default", so=has_token)
        assert found is not None
        assert {key: b64decode(value).decode() for key, value in found["data"].items()} == {
            "ca.crt": ROOT_CA,
            "namespace": "default",
            "token": "signed for system:serviceaccount:default:robot",
        }
        assert found["metadata"]["annotations"]["kubernetes.io/service-account.uid"] == account["metadata"]["uid"]


async def test_a_token_goes_with_its_account_and_others_stay() -> None:
    async with opened("serviceaccount-token") as world:
        for name in ("robot", "other"):
            await world.create(SERVICE_ACCOUNTS, name, "default")
            await token_secret(world, name, name)
            await world.becomes(SECRETS, name, "default", so=has_token)
        await world.of(SERVICE_ACCOUNTS, "default").delete("robot")
        await world.gone(SECRETS, "robot", "default")
        assert await world.get(SECRETS, "other", "default") is not None


async def test_a_token_for_nobody_goes() -> None:
    async with opened("serviceaccount-token") as world:
        await world.create(SECRETS, "plain", "default")
        await token_secret(world, "s", "nobody")
        await world.gone(SECRETS, "s", "default")
        assert await world.get(SECRETS, "plain", "default") is not None


async def test_an_account_forgets_a_secret_that_is_gone() -> None:
    async with opened("serviceaccount-token") as world:
        named = [{"name": "s"}, {"name": "another"}]
        await world.create(SERVICE_ACCOUNTS, "robot", "default", secrets=named)
        await token_secret(world, "s", "robot")
        await world.becomes(SECRETS, "s", "default", so=has_token)
        await world.of(SECRETS, "default").delete("s")
        await world.becomes(
            SERVICE_ACCOUNTS,
            "robot",
            "default",
            so=lambda obj: obj is not None and obj["secrets"] == [{"name": "another"}],
        )
