"""Tokens that the server once made by itself for every service account go when nobody has used them for a year: first
they are marked as invalid, and a year later they are deleted. Kubernetes: legacy_serviceaccount_token_cleaner.go.

Since when uses are noted is told by a configmap that the server keeps; without it nothing is cleaned.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from datetime import date, datetime, timedelta
from typing import Any, Final

from localplane.apimachinery.clock import present
from localplane.apimachinery.clock.waiting import sleep
from localplane.apimachinery.errors import APIError, Conflict, NotFound
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.times import parse_time
from localplane.client import Client, ClientError, GroupVersionResource, ListOptions, PatchType
from localplane.client.rest.paging import list_all
from localplane.controllers.context import ControllerContext

from .accounts import SERVICE_ACCOUNTS
from .tokens import ACCOUNT_NAME, ACCOUNT_UID, SECRETS, SELECTED

_log = logging.getLogger(__name__)
_CONFIG_MAPS: Final = GroupVersionResource("", "v1", "configmaps")
_PODS: Final = GroupVersionResource("", "v1", "pods")
_TRACKING: Final = "kube-apiserver-legacy-service-account-token-tracking"
_LAST_USED: Final = "kubernetes.io/legacy-token-last-used"
_INVALID_SINCE: Final = "kubernetes.io/legacy-token-invalid-since"
_UNUSED_FOR: Final = timedelta(days=365)
_PERIOD: Final = timedelta(days=1)
_PAGE: Final = 500


async def start(context: ControllerContext) -> None:
    cleaner = LegacyTokenCleaner(context.client_of("legacy-service-account-token-cleaner"))
    while True:
        try:
            await cleaner.clean(present())
        except (APIError, ClientError) as error:
            _log.info("tokens are not cleaned: %s", error)
        await sleep(_PERIOD)


class LegacyTokenCleaner:
    """Everything is asked for when it is needed: once a day nobody has to keep a copy."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def clean(self, at: datetime) -> None:
        tracked_since = await self._tracked_since()
        kept_since = at - _UNUSED_FOR
        if tracked_since is None or kept_since.date() < tracked_since + timedelta(days=1):
            return  # nobody knows what was used then
        secrets = self._client.resource(SECRETS)
        options = ListOptions(field_selector=SELECTED, limit=_PAGE)
        for secret in (await list_all(secrets.list, options)).items:
            if is_old(secret, kept_since) and await self._is_generated(secret) and not await self._is_mounted(secret):
                await self._retire(secret, at, kept_since)

    async def _tracked_since(self) -> date | None:
        try:
            tracking = await self._client.resource(_CONFIG_MAPS, "kube-system").get(_TRACKING)
        except NotFound:
            return None
        return _date((tracking.get("data") or {}).get("since", ""))

    async def _retire(self, secret: JSONObject, at: datetime, kept_since: datetime) -> None:
        metadata = secret["metadata"]
        secrets = self._client.resource(SECRETS, metadata["namespace"])
        invalid_since = _date((metadata.get("labels") or {}).get(_INVALID_SINCE, ""))
        try:
            if invalid_since is None:
                labels = {_INVALID_SINCE: at.date().isoformat()}
                patch = {"metadata": {"uid": metadata["uid"], "labels": labels}}
                await secrets.patch(metadata["name"], patch, PatchType.MERGE)
            elif invalid_since < kept_since.date():
                await secrets.delete(metadata["name"], resource_version=metadata["resourceVersion"])
        except (NotFound, Conflict):
            return  # somebody knows it, so it is not forgotten

    async def _is_generated(self, secret: JSONObject) -> bool:
        """A service account names the secrets that were made for it, and no others."""
        metadata = secret["metadata"]
        annotations = metadata.get("annotations") or {}
        if not annotations.get(ACCOUNT_NAME):
            return False
        accounts = self._client.resource(SERVICE_ACCOUNTS, metadata["namespace"])
        try:
            account = await accounts.get(annotations[ACCOUNT_NAME])
        except NotFound:
            return False
        if annotations.get(ACCOUNT_UID, "") not in ("", account["metadata"]["uid"]):
            return False
        return any(reference.get("name") == metadata["name"] for reference in account.get("secrets") or ())

    async def _is_mounted(self, secret: JSONObject) -> bool:
        metadata = secret["metadata"]
        pods = await list_all(self._client.resource(_PODS, metadata["namespace"]).list, ListOptions(limit=_PAGE))
        return any(metadata["name"] in set(secret_names(pod.get("spec"))) for pod in pods.items)


def is_old(secret: Mapping[str, Any], kept_since: datetime) -> bool:
    """Made and last used before that, as far as anybody knows."""
    metadata = secret["metadata"]
    if "deletionTimestamp" in metadata or parse_time(metadata["creationTimestamp"]) >= kept_since:
        return False
    last_used = (metadata.get("labels") or {}).get(_LAST_USED)
    if last_used is None:
        return True
    day = _date(last_used)
    return day is not None and day < kept_since.date()


def secret_names(value: Any, *, within: str = "") -> Iterator[str]:
    """Whatever a pod calls a secret: under many keys, all of which say so. One name too many does no harm."""
    if isinstance(value, list):
        for item in value:
            yield from secret_names(item, within=within)
    elif isinstance(value, dict):
        for key, item in value.items():
            if isinstance(item, str):
                if key == "secretName" or (key == "name" and "secret" in within.lower()):
                    yield item
            else:
                yield from secret_names(item, within=key)


def _date(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None
