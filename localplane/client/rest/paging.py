"""A whole collection, in pages. Kubernetes: client-go/tools/pager."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from localplane.apimachinery.errors import Expired
from localplane.apimachinery.objects import JSONObject

from .options import ListOptions


@dataclass(frozen=True, slots=True)
class Collection:
    """Everything at one version. `paged` if it took more than one request."""

    items: list[JSONObject]
    resource_version: str
    paged: bool


async def list_all(list_page: Callable[[ListOptions], Awaitable[JSONObject]], options: ListOptions) -> Collection:
    """Follow the continue tokens to the end; `options.limit` is the size of a page, 0 asks for all at once.

    A token that expired on the way starts the list again, then in one piece: pages of two versions don't fit together.
    """
    items: list[JSONObject] = []
    version = ""
    page = options
    while True:
        try:
            answer = await list_page(page)
        except Expired:
            if not page.continue_token:
                raise
            items, version = [], ""
            page = replace(options, limit=0)
            continue
        metadata = answer.get("metadata") or {}
        version = version or str(metadata.get("resourceVersion", ""))
        items += answer.get("items") or []
        token = str(metadata.get("continue") or "")
        if not token:
            return Collection(items, version, paged=bool(page.continue_token))
        # The token knows the version.
        page = replace(page, continue_token=token, resource_version="", resource_version_match="")
