"""The verbs and pages against a server that keeps what it is given."""

from __future__ import annotations

import asyncio

import pytest

from localplane.apimachinery.errors import Expired, NotFound
from localplane.client.informers.factory import SharedInformerFactory
from localplane.client.informers.reflector import ReflectorOptions
from localplane.client.rest.client import Client
from localplane.client.rest.names import GroupVersionResource
from localplane.client.rest.options import ListOptions
from localplane.client.rest.paging import list_all
from tests.integration.client.fake_api import FakeAPI
from tests.integration.client.recording import CONFIGMAPS, QUICKLY, Recorder

SECRETS = GroupVersionResource("", "v1", "secrets")


async def test_an_object_lives_and_dies(client: Client) -> None:
    configmaps = client.resource(CONFIGMAPS, "default")
    created = await configmaps.create({"metadata": {"name": "a"}, "data": {"x": "1"}})
    assert (await configmaps.get("a")) == created
    updated = await configmaps.update({**created, "data": {"x": "2"}})
    assert updated["metadata"]["resourceVersion"] > created["metadata"]["resourceVersion"]
    assert (await configmaps.delete("a"))["status"] == "Success"
    with pytest.raises(NotFound, match='configmaps "a" not found'):
        await configmaps.get("a")


async def test_a_watch_of_one_namespace_sees_its_changes_only(api: FakeAPI, client: Client) -> None:
    async with client.resource(CONFIGMAPS, "one").watch(ListOptions(resource_version="100")) as watch:
        api.put("a", "one"), api.put("b", "two"), api.put("c", "one")
        async with asyncio.timeout(30):
            names = [(await anext(watch)).object["metadata"]["name"] for _ in range(2)]
    assert names == ["a", "c"]


@pytest.mark.parametrize(("limit", "requests"), [(0, 1), (2, 3), (5, 1), (100, 1)])
async def test_pages_add_up_to_the_whole(api: FakeAPI, client: Client, limit: int, requests: int) -> None:
    expected = [api.put(f"object-{number}") for number in range(5)]
    found = await list_all(client.resource(CONFIGMAPS).list, ListOptions(limit=limit))
    assert found.items == expected
    assert found.resource_version == str(api.version)
    assert found.paged == (requests > 1)
    assert len(api.requests) == requests


async def test_pages_that_expire_on_the_way_are_replaced_by_one_list(api: FakeAPI, client: Client) -> None:
    for number in range(5):
        api.put(f"object-{number}")
    configmaps = client.resource(CONFIGMAPS)

    async def list_page(options: ListOptions) -> dict[str, object]:
        page = await configmaps.list(options)
        if options.limit and not options.continue_token:
            api.remove("object-0")
            api.compact()
        return page

    found = await list_all(list_page, ListOptions(limit=2))
    assert [item["metadata"]["name"] for item in found.items] == [f"object-{number}" for number in range(1, 5)]
    assert found.resource_version == str(api.version)


async def test_a_list_that_is_expired_from_the_start_is_the_callers_affair() -> None:
    async def list_page(_: ListOptions) -> dict[str, object]:
        raise Expired("too old")

    with pytest.raises(Expired):
        await list_all(list_page, ListOptions(resource_version="1"))


async def test_a_factory_shares_informers_and_starts_those_that_come_late(api: FakeAPI, client: Client) -> None:
    api.put("a")
    secret = api.put("s", resource="secrets")
    factory = SharedInformerFactory(client, options=ReflectorOptions(backoff=QUICKLY))
    informer = factory.informer(CONFIGMAPS)
    assert factory.informer(CONFIGMAPS) is informer
    recorder = Recorder()
    informer.add_handler(recorder)
    async with factory, asyncio.timeout(30):
        await factory.wait_for_sync()
        await recorder.until_heard(1)
        lister = factory.lister(SECRETS)
        await factory.wait_for_sync()
        assert lister.list() == [secret]
    assert len(api.requests) == 2


async def test_a_factory_passes_its_namespace_and_selectors_on(api: FakeAPI, client: Client) -> None:
    factory = SharedInformerFactory(
        client, namespace="one", label_selector="a=b", field_selector="c=d", options=ReflectorOptions(backoff=QUICKLY)
    )
    factory.informer(CONFIGMAPS)
    async with factory, asyncio.timeout(30):
        await factory.wait_for_sync()
    assert api.requests[0].path == "/api/v1/namespaces/one/configmaps"
    assert api.count(labelSelector="a=b", fieldSelector="c=d") == 1
