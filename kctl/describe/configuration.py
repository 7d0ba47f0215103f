"""Config maps, secrets, service accounts. Kubernetes: ConfigMapDescriber, describeSecret, describeServiceAccount."""

from __future__ import annotations

import base64

from localplane.apimachinery.objects import JSONObject

from .events import events
from .metadata import NONE, named, told
from .page import Page
from .source import Source

_TOKEN = "kubernetes.io/service-account-token"  # noqa: S105 - the name of a type


def _heading(page: Page, obj: JSONObject) -> None:
    named(page, obj)
    told(page, obj)


async def config_map(page: Page, obj: JSONObject, source: Source) -> None:
    _heading(page, obj)
    page.write("\nData\n====\n")
    for key, value in sorted((obj.get("data") or {}).items()):
        page.write(f"{key}:\n----\n")
        page.write(f"{value}\n")
        page.write("\n")
    page.write("\nBinaryData\n====\n")
    for key, value in sorted((obj.get("binaryData") or {}).items()):
        page.write(f"{key}: {len(base64.b64decode(value))} bytes\n")
    page.write("\n")
    events(page, await source.events(obj))


async def secret(page: Page, obj: JSONObject, source: Source) -> None:
    del source
    _heading(page, obj)
    page.write(f"\nType:\t{obj.get('type', '')}\n")
    page.write("\nData\n====\n")
    for key, encoded in sorted((obj.get("data") or {}).items()):
        value = base64.b64decode(encoded)
        is_token = key == "token" and obj.get("type") == _TOKEN
        page.field(key, value.decode(errors="replace") if is_token else f"{len(value)} bytes")


async def service_account(page: Page, obj: JSONObject, source: Source) -> None:
    _heading(page, obj)
    title = "Image pull secrets:"
    names = [one.get("name", "") for one in obj.get("imagePullSecrets") or ()]
    for name in names or [NONE]:
        page.line(f"{title}\t{name}")
        title = " " * len(title)
    events(page, await source.events(obj))
