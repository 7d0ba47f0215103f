"""Delete what a list would show.

Kubernetes: registry/generic/registry/store.go, DeleteCollection.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from localplane.apimachinery.errors import APIError, NotFound
from localplane.apiserver.request import Request
from localplane.apiserver.storage.interface import ObjectList
from localplane.apiserver.storage.objects import StoredObject

from .delete import delete
from .errors import after_a_write
from .reads import list_objects
from .rest import DeleteOptions, ListOptions, ValidateCreate

if TYPE_CHECKING:
    from .definition import Definition

_PAGE = 10_000
_WORKERS = 16


async def delete_collection(
    definition: Definition,
    request: Request,
    *,
    validate: ValidateCreate | None,
    options: DeleteOptions,
    selection: ListOptions,
) -> ObjectList:
    """The answer is the list of what was there. Not atomic: an error leaves the rest where it is, and invites to try
    again only if nothing was deleted yet."""
    if selection.limit > 0:
        listed = await list_objects(definition, request, selection)
        await _delete_all(definition, request, listed.items, validate=validate, options=options)
        return listed
    items: list[StoredObject] = []
    page, revision = replace(selection, limit=_PAGE), 0
    while True:
        try:
            listed = await list_objects(definition, request, page)
        except APIError as error:
            if items:
                after_a_write(error)
            raise
        items += listed.items
        revision = revision or listed.revision
        await _delete_all(definition, request, listed.items, validate=validate, options=options)
        if not listed.continue_token:
            return ObjectList(items, revision)
        page = replace(page, continue_token=listed.continue_token, resource_version="", match="")


async def _delete_all(
    definition: Definition,
    request: Request,
    objects: list[StoredObject],
    *,
    validate: ValidateCreate | None,
    options: DeleteOptions,
) -> None:
    """After the first error nobody begins with another object, but what was begun is finished: a cancelled worker
    could leave an object marked that should have gone."""
    names = _names(objects)
    failures: list[APIError] = []
    deleted = 0

    async def work() -> None:
        nonlocal deleted
        slices = request.work.slices()
        for name in names:
            if slices.is_over:  # a store in memory never lets us wait
                await slices.next()
            if failures:
                return
            try:
                await delete(definition, request, name, validate=validate, options=options.copy())
            except NotFound:
                continue  # somebody else deleted it: that is what was wanted
            except APIError as error:
                failures.append(error)
            else:
                deleted += 1

    async with asyncio.TaskGroup() as group:
        for _ in range(min(_WORKERS, len(objects))):
            group.create_task(work())
    if failures:
        # Any of them may have been half done, and then says so by not inviting.
        is_untouched = not deleted and all(failure.retry_after_seconds for failure in failures)
        raise failures[0] if is_untouched else after_a_write(failures[0])


def _names(objects: list[StoredObject]) -> Iterator[str]:
    """The last part of the key is the name."""
    return (obj.key.rpartition("/")[2] for obj in objects)
