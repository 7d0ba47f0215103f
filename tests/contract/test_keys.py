"""Keys that could reach outside their resource are refused by every verb, before anything is read or written."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from localplane.apiserver.storage.errors import InvalidKey, KeyNotFound
from localplane.apiserver.storage.interface import ListOptions, Storage, UpdateOptions, WatchOptions
from tests.contract.pods import pod, replaced_by, unchanged
from tests.contract.subjects import Subject

Verb = Callable[[Storage, str], Awaitable[object]]

ONE_OBJECT: dict[str, Verb] = {
    "create": lambda storage, key: storage.create(key, pod("foo")),
    "get": lambda storage, key: storage.get(key),
    "update": lambda storage, key: storage.guaranteed_update(
        key, replaced_by(pod("foo")), UpdateOptions(ignore_not_found=True)
    ),
    "delete": lambda storage, key: storage.delete(key),
    "delete if corrupt": lambda storage, key: storage.delete(key, even_if_corrupt=True),
    "list one": lambda storage, key: storage.list(key, ListOptions(recursive=False)),
    "watch one": lambda storage, key: storage.watch(key, WatchOptions(recursive=False)),
}

MANY_OBJECTS: dict[str, Verb] = {
    "list": lambda storage, key: storage.list(key, ListOptions()),
    "watch": lambda storage, key: storage.watch(key, WatchOptions()),
}

OUTSIDE = (
    "",
    "/",
    ".",
    "..",
    "pods",
    "pods/",
    "/pods.apps",
    "/pods.apps/ns/name",
    "/foo/",
    "/foo/ns/name",
    "//pods/ns/name",
    "/pods/../secrets/ns/name",
    "/pods/ns/../../secrets/ns/name",
    "/pods/./ns",
    "/pods/ns/..",
    "/pods/ns/.",
    "/pods/ns/na\x00me",
)


@pytest.mark.upstream("RunTestKeySchema")
@pytest.mark.parametrize("verb", [*ONE_OBJECT, *MANY_OBJECTS])
async def test_a_key_outside_the_resource_is_refused(subject: Subject, verb: str) -> None:
    call = ONE_OBJECT.get(verb) or MANY_OBJECTS[verb]
    revision = await subject.storage.current_revision()

    for key in OUTSIDE:
        with pytest.raises(InvalidKey):
            await call(subject.storage, key)

    assert await subject.storage.current_revision() == revision


@pytest.mark.upstream("RunTestKeySchema")
@pytest.mark.parametrize("verb", ONE_OBJECT)
async def test_a_prefix_names_no_object(subject: Subject, verb: str) -> None:
    for key in ("/pods", "/pods/", "/pods/ns/"):
        with pytest.raises(InvalidKey):
            await ONE_OBJECT[verb](subject.storage, key)


@pytest.mark.upstream("RunTestKeySchema")
@pytest.mark.parametrize("key", ["/pods/name", "/pods/namespace/name"])
async def test_a_key_of_the_resource_serves_every_verb(subject: Subject, key: str) -> None:
    created = await subject.storage.create(key, pod("foo"))
    assert (await subject.storage.get(key)).data == created.data
    assert (await subject.storage.guaranteed_update(key, unchanged)).data == created.data
    assert len((await subject.storage.list(key, ListOptions(recursive=False))).items) == 1
    watch = await subject.storage.watch(key, WatchOptions(recursive=False))
    await watch.stop()
    await subject.storage.delete(key)
    with pytest.raises(KeyNotFound):
        await subject.storage.get(key)


@pytest.mark.upstream("RunTestKeySchema")
@pytest.mark.parametrize("key", ["/pods", "/pods/", "/pods/namespace", "/pods/namespace/name"])
async def test_lists_and_watches_take_prefixes(subject: Subject, key: str) -> None:
    assert (await subject.storage.list(key, ListOptions())).items == []
    watch = await subject.storage.watch(key, WatchOptions())
    await watch.stop()
