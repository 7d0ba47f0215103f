"""Asking a webhook. Field management works out who owns what while nobody can wait: it is told to come again when the
answer is there."""

from __future__ import annotations

import base64
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any, Final

import orjson

from localplane.apimachinery.errors import APIError
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.patch.values import copied
from localplane.apiserver.long_work import NeedsData
from localplane.apiserver.outbound import WebhookClient, WebhookFailed, WebhookLocation

from .review import ConversionReview, ReviewFailed

Resolve = Callable[[str, str, int], Awaitable[tuple[str, int]]]
"""From the namespace, name and port of a Service to an address that can be connected to. Raises WebhookFailed."""

_TIMEOUT: Final = timedelta(seconds=30)
_MOST_KEPT: Final = 256


class WebhookConverter:
    """The conversion that one definition declares. `webhook` is its spec.conversion.webhook."""

    def __init__(self, client: WebhookClient, resolve: Resolve, webhook: Mapping[str, Any]) -> None:
        self._client = client
        self._resolve = resolve
        self._config: Mapping[str, Any] = webhook.get("clientConfig") or {}
        self._versions: Sequence[str] = webhook.get("conversionReviewVersions") or ()
        self._kept: OrderedDict[tuple[bytes, str], JSONObject] = OrderedDict()

    async def convert(self, objects: Sequence[JSONObject], api_version: str) -> list[JSONObject]:
        """All in one question, those that are of the version already left out. Raises APIError."""
        asked = [obj for obj in objects if obj.get("apiVersion") != api_version]
        if not asked:
            return list(objects)
        about = f"conversion webhook for {asked[0].get('apiVersion', '')}, Kind={asked[0].get('kind', '')}"
        try:
            review = ConversionReview(self._versions, asked, api_version)
            body = await self._client.post(await self._place(), review.question(), within=_TIMEOUT)
            converted = iter(review.answer(body))
        except WebhookFailed as error:
            raise APIError(f"{about} failed: {error}") from error
        except ReviewFailed as error:
            raise APIError(f"{about} {error}") from error
        return [obj if obj.get("apiVersion") == api_version else next(converted) for obj in objects]

    def converted(self, obj: JSONObject, api_version: str) -> JSONObject:
        """An object that was converted before; raises NeedsData for one that was not."""
        if obj.get("apiVersion") == api_version:
            return obj
        key = orjson.dumps(obj, option=orjson.OPT_SORT_KEYS), api_version
        found = self._kept.get(key)
        if found is None:
            asked: JSONObject = copied(obj)

            async def fetch() -> None:
                (self._kept[key],) = await self.convert([asked], api_version)
                while len(self._kept) > _MOST_KEPT:
                    self._kept.popitem(last=False)

            raise NeedsData(fetch)
        result: JSONObject = copied(found)
        return result

    async def _place(self) -> WebhookLocation:
        encoded = base64.b64decode(self._config.get("caBundle") or "")
        authorities = encoded if encoded.strip() else b""
        service = self._config.get("service")
        if service is None:
            return WebhookLocation(self._config.get("url", ""), authorities=authorities)
        namespace, name, port = service["namespace"], service["name"], service.get("port", 443)
        path = (service.get("path") or "").removeprefix("/")
        host, actual = await self._resolve(namespace, name, port)
        url = f"https://{name}.{namespace}.svc:{port}/{path}"
        return WebhookLocation(url, host=host, port=actual, authorities=authorities)
