"""Secrets of type kubernetes.io/service-account-token: filled in, and gone when their service account is.

Kubernetes: tokens_controller.go, and the claims of pkg/serviceaccount/legacy.go.
"""

from __future__ import annotations

import asyncio
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from localplane.apimachinery.errors import Conflict, NotFound
from localplane.apimachinery.objects import JSONObject
from localplane.client import (
    METADATA,
    Client,
    GroupVersionResource,
    ListWatch,
    MetadataListWatch,
    SharedInformer,
    WorkQueue,
)
from localplane.controllers.context import ControllerContext, SignToken
from localplane.controllers.worker import hearing, work

from .accounts import SERVICE_ACCOUNTS

SECRETS: Final = GroupVersionResource("", "v1", "secrets")
SELECTED: Final = "type=kubernetes.io/service-account-token"
ACCOUNT_NAME: Final = "kubernetes.io/service-account.name"
ACCOUNT_UID: Final = "kubernetes.io/service-account.uid"
_CLAIM: Final = "kubernetes.io/serviceaccount"


@dataclass(frozen=True, slots=True)
class Account:
    namespace: str
    name: str
    uid: str


@dataclass(frozen=True, slots=True)
class Secret:
    """As it was when something happened to it: of one that is gone, the queue's key is all that is left."""

    namespace: str
    name: str
    uid: str
    account: str
    account_uid: str


async def start(context: ControllerContext) -> None:
    client = context.client_of_manager()
    # The accounts' own client, not the factory's: of accounts, their metadata are enough.
    accounts = SharedInformer(MetadataListWatch(client.resource(SERVICE_ACCOUNTS)))
    secrets = SharedInformer(ListWatch(client.resource(SECRETS), field_selector=SELECTED))
    async with accounts, secrets:
        await accounts.wait_for_sync()
        await secrets.wait_for_sync()
        controller = TokensController(client, accounts, secrets, root_ca=context.root_ca, sign=context.sign_token)
        await controller.run()


class TokensController:
    def __init__(
        self,
        client: Client,
        accounts: SharedInformer,
        secrets: SharedInformer,
        *,
        root_ca: str,
        sign: SignToken | None,
    ) -> None:
        self._client = client
        self._accounts = accounts
        self._secrets = secrets
        self._root_ca = root_ca
        self._sign = sign
        self._account_queue, self._secret_queue = WorkQueue[Account](), WorkQueue[Secret]()

    async def run(self) -> None:
        with (
            hearing(self._accounts, lambda obj: self._account_queue.add(_account(obj))),
            hearing(self._secrets, self._hear_secret),
        ):
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(work(self._account_queue, self.sync_account))
                tasks.create_task(work(self._secret_queue, self.sync_secret))

    def _hear_secret(self, obj: JSONObject) -> None:
        secret = _secret(obj)
        if secret.account:
            self._secret_queue.add(secret)

    async def sync_account(self, account: Account) -> None:
        """Of an account that is gone, its secrets go too."""
        if self._cached_account(account.namespace, account.name, account.uid) is not None:
            return
        for obj in self._secrets.lister.namespaced(account.namespace).list():
            secret = _secret(obj)
            if secret.account == account.name and secret.account_uid in ("", account.uid):
                await self._delete(secret)

    async def sync_secret(self, secret: Secret) -> None:
        found = self._secrets.lister.namespaced(secret.namespace).get(secret.name)
        if found is None or found["metadata"]["uid"] != secret.uid:
            await self._forget(secret)
            return
        account = await self._account(secret)
        if account is None:
            await self._delete(secret)
        else:
            await self._fill_in(account, found)

    async def _fill_in(self, account: Account, cached: JSONObject) -> None:
        """What the secret lacks. Whoever was faster is heard of again."""
        if not self._lacking(cached):
            return
        secrets = self._client.resource(SECRETS, account.namespace)
        try:
            live = await secrets.get(cached["metadata"]["name"])
            if live["metadata"]["resourceVersion"] != cached["metadata"]["resourceVersion"]:
                return
            annotations = live["metadata"].get("annotations") or {}
            annotations = annotations | {ACCOUNT_NAME: account.name, ACCOUNT_UID: account.uid}
            data = (live.get("data") or {}) | self._filling(live, account)
            await secrets.update(live | {"metadata": live["metadata"] | {"annotations": annotations}, "data": data})
        except (Conflict, NotFound):
            return

    def _lacking(self, secret: Mapping[str, Any]) -> list[str]:
        data = secret.get("data") or {}
        needed = {
            "ca.crt": bool(self._root_ca) and data.get("ca.crt") != _base64(self._root_ca),
            "namespace": not data.get("namespace"),
            "token": not data.get("token") and self._sign is not None,
        }
        return [key for key, is_needed in needed.items() if is_needed]

    def _filling(self, secret: Mapping[str, Any], account: Account) -> dict[str, str]:
        lacking = self._lacking(secret)
        filling = {"ca.crt": self._root_ca, "namespace": account.namespace}
        if "token" in lacking and self._sign is not None:
            filling["token"] = self._sign(legacy_claims(account, secret["metadata"]["name"]))
        return {key: _base64(filling[key]) for key in lacking}

    async def _forget(self, secret: Secret) -> None:
        """An account does not name secrets that are gone."""
        if self._cached_account(secret.namespace, secret.account, secret.account_uid) is None:
            return
        accounts = self._client.resource(SERVICE_ACCOUNTS, secret.namespace)
        try:
            live = await accounts.get(secret.account)
            named = live.get("secrets") or []
            kept = [reference for reference in named if reference.get("name") != secret.name]
            if secret.account_uid in ("", live["metadata"]["uid"]) and kept != named:
                await accounts.update(live | {"secrets": kept})
        except NotFound:
            return

    async def _delete(self, secret: Secret) -> None:
        try:
            await self._client.resource(SECRETS, secret.namespace).delete(secret.name, uid=secret.uid)
        except (NotFound, Conflict):  # a Conflict: another has its name
            return

    async def _account(self, secret: Secret) -> Account | None:
        """The informer may be behind, so that who is not there is asked for."""
        if (found := self._cached_account(secret.namespace, secret.account, secret.account_uid)) is not None:
            return found
        accounts = self._client.resource(SERVICE_ACCOUNTS, secret.namespace)
        try:
            live = _account(await accounts.get(secret.account, accept=METADATA))
        except NotFound:
            return None
        return live if secret.account_uid in ("", live.uid) else None

    def _cached_account(self, namespace: str, name: str, uid: str) -> Account | None:
        found = self._accounts.lister.namespaced(namespace).get(name)
        if found is None or uid not in ("", found["metadata"]["uid"]):
            return None
        return _account(found)


def legacy_claims(account: Account, secret: str) -> dict[str, str]:
    """What a token says that is kept in a secret. It has no end."""
    return {
        "iss": "kubernetes/serviceaccount",
        f"{_CLAIM}/namespace": account.namespace,
        f"{_CLAIM}/secret.name": secret,
        f"{_CLAIM}/service-account.name": account.name,
        f"{_CLAIM}/service-account.uid": account.uid,
        "sub": f"system:serviceaccount:{account.namespace}:{account.name}",
    }


def _account(obj: Mapping[str, Any]) -> Account:
    metadata = obj["metadata"]
    return Account(metadata["namespace"], metadata["name"], metadata["uid"])


def _secret(obj: Mapping[str, Any]) -> Secret:
    metadata = obj["metadata"]
    annotations = metadata.get("annotations") or {}
    return Secret(
        metadata["namespace"],
        metadata["name"],
        metadata["uid"],
        annotations.get(ACCOUNT_NAME, ""),
        annotations.get(ACCOUNT_UID, ""),
    )


def _base64(text: str) -> str:
    return b64encode(text.encode()).decode()
