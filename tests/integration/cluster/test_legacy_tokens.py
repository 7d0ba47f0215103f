"""Tokens that are kept in secrets speak for their account as long as both are there."""

from __future__ import annotations

from base64 import b64encode
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from localplane.apiserver.authentication import Unauthenticated
from localplane.client import GroupVersionResource, PatchType
from localplane.compose.server import Plane
from localplane.servers.kube.tokens import ServiceAccountAuthenticator, ServiceAccountTokens

pytestmark = pytest.mark.asyncio(loop_scope="module")

ACCOUNTS = GroupVersionResource("", "v1", "serviceaccounts")
SECRETS = GroupVersionResource("", "v1", "secrets")
CONFIG_MAPS = GroupVersionResource("", "v1", "configmaps")
CLAIM = "kubernetes.io/serviceaccount"


class Account:
    """An account with a token in a secret of the same name."""

    def __init__(self, plane: Plane, tokens: ServiceAccountTokens, name: str) -> None:
        self._plane = plane
        self._tokens = tokens
        self._name = name
        self.token = ""
        self.uid = ""
        self.authenticator = ServiceAccountAuthenticator(tokens, plane.objects, plane.client)

    async def make(self) -> None:
        metadata = {"name": self._name}
        accounts = self._plane.client.resource(ACCOUNTS, "default")
        made = await accounts.create({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata})
        self.uid = made["metadata"]["uid"]
        self.token = self._tokens.sign(self._claims())
        annotations = {"kubernetes.io/service-account.name": self._name}
        secret = {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": metadata | {"annotations": annotations},
            "type": "kubernetes.io/service-account-token",
            "data": {"token": b64encode(self.token.encode()).decode()},
        }
        await self.secrets.create(secret)

    def _claims(self) -> dict[str, str]:
        return {
            "iss": "kubernetes/serviceaccount",
            f"{CLAIM}/namespace": "default",
            f"{CLAIM}/secret.name": self._name,
            f"{CLAIM}/service-account.name": self._name,
            f"{CLAIM}/service-account.uid": self.uid,
            "sub": f"system:serviceaccount:default:{self._name}",
        }

    @property
    def secrets(self) -> Any:
        return self._plane.client.resource(SECRETS, "default")

    async def labels(self) -> dict[str, str]:
        labels: dict[str, str] = (await self.secrets.get(self._name))["metadata"].get("labels", {})
        return labels


async def account(plane: Plane, directory: Path, name: str) -> Account:
    made = Account(plane, await ServiceAccountTokens.open(directory / "sa.key"), name)
    await made.make()
    return made


async def test_it_is_the_accounts_and_its_use_is_noted(plane: Plane, tmp_path: Path) -> None:
    robot = await account(plane, tmp_path, "robot")
    holder = await robot.authenticator.holder(robot.token, (), [])
    assert holder is not None
    user = holder.user
    assert (user.name, user.uid) == ("system:serviceaccount:default:robot", robot.uid)
    assert user.groups == ("system:serviceaccounts", "system:serviceaccounts:default")
    assert await robot.labels() == {"kubernetes.io/legacy-token-last-used": datetime.now(UTC).date().isoformat()}


async def test_it_is_not_meant_for_others(plane: Plane, tmp_path: Path) -> None:
    shy = await account(plane, tmp_path, "shy")
    with pytest.raises(Unauthenticated, match="is invalid for the target audiences"):
        await shy.authenticator.holder(shy.token, ("elsewhere",), [])


async def test_it_dies_with_its_secret(plane: Plane, tmp_path: Path) -> None:
    gone = await account(plane, tmp_path, "gone")
    await gone.secrets.delete("gone")
    with pytest.raises(Unauthenticated, match="Token has been invalidated"):
        await gone.authenticator.holder(gone.token, (), [])


async def test_one_that_the_secret_does_not_hold_is_not_believed(plane: Plane, tmp_path: Path) -> None:
    other = await account(plane, tmp_path, "other")
    await other.secrets.patch("other", {"data": {"token": "eA=="}}, PatchType.MERGE)
    with pytest.raises(Unauthenticated, match="Token does not match server's copy"):
        await other.authenticator.holder(other.token, (), [])


async def test_one_that_was_marked_invalid_is_refused_with_the_reason(plane: Plane, tmp_path: Path) -> None:
    old = await account(plane, tmp_path, "old")
    label = "kubernetes.io/legacy-token-invalid-since"
    await old.secrets.patch("old", {"metadata": {"labels": {label: "2024-01-01"}}}, PatchType.MERGE)
    with pytest.raises(Unauthenticated, match="has been marked invalid"):
        await old.authenticator.holder(old.token, (), [])


async def test_a_fresh_cluster_tells_since_when_uses_are_noted(plane: Plane) -> None:
    name = "kube-apiserver-legacy-service-account-token-tracking"
    tracking = await plane.client.resource(CONFIG_MAPS, "kube-system").get(name)
    assert tracking["data"] == {"since": datetime.now(UTC).date().isoformat()}
