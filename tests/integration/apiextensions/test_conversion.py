"""Versions that a webhook converts between."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from localplane.apimachinery.errors import APIError
from localplane.client import GroupVersionResource, PatchType
from localplane.client.rest.options import ListOptions
from localplane.compose.server import Plane
from tests.integration.apiextensions.converting import Webhook, running_webhook
from tests.integration.apiextensions.definitions import DEFINITIONS, custom, definition, of_spec, version, widgets

pytestmark = pytest.mark.asyncio(loop_scope="module")

OLD = of_spec(host={"type": "string"}, port={"type": "integer"})
NEW = of_spec(address={"type": "string"})


@pytest_asyncio.fixture(loop_scope="module")
async def webhook(tmp_path: Path) -> AsyncIterator[Webhook]:
    async with running_webhook(tmp_path) as webhook:
        yield webhook


async def define(plane: Plane, group: str, conversion: dict[str, Any]) -> None:
    made = definition(group, version("v1", OLD), version("v2", NEW))
    made["spec"]["conversion"] = conversion
    await plane.client.resource(DEFINITIONS).create(made)


async def test_objects_are_converted_on_their_way_in_and_out(plane: Plane, webhook: Webhook) -> None:
    group = "converts.example.com"
    await define(plane, group, webhook.conversion())
    old, new = widgets(plane.client, group), widgets(plane.client, group, "v2")
    made = await new.create(custom(group, "w", {"address": "db:5432"}, in_version="v2"))
    assert made["spec"] == {"address": "db:5432"}
    assert (await old.get("w"))["spec"] == {"host": "db", "port": 5432}
    stored = await plane.storage.cacher.resource(f"/{group}/widgets/").get(f"/{group}/widgets/default/w")
    assert stored.decode()["apiVersion"] == f"{group}/v1"
    changed = await new.patch("w", {"spec": {"address": "db:1"}}, PatchType.MERGE)
    assert (changed["apiVersion"], changed["spec"]) == (f"{group}/v2", {"address": "db:1"})
    assert (await old.get("w"))["spec"] == {"host": "db", "port": 1}
    assert changed["metadata"]["generation"] == 2


async def test_a_list_is_one_question_and_a_second_list_is_none(plane: Plane, webhook: Webhook) -> None:
    group = "batches.example.com"
    await define(plane, group, webhook.conversion())
    for number in range(5):
        await widgets(plane.client, group).create(custom(group, f"w{number}", {"host": "h", "port": number}))
    webhook.asked.clear()
    for _ in range(2):
        found = await widgets(plane.client, group, "v2").list()
        assert [each["spec"]["address"] for each in found["items"]] == [f"h:{number}" for number in range(5)]
    assert [len(review["request"]["objects"]) for review in webhook.asked] == [5]


async def test_a_watch_shows_its_version(plane: Plane, webhook: Webhook) -> None:
    group = "watched.example.com"
    await define(plane, group, webhook.conversion())
    new = widgets(plane.client, group, "v2")
    begin = (await new.list())["metadata"]["resourceVersion"]
    await widgets(plane.client, group).create(custom(group, "w", {"host": "h", "port": 1}))
    async with asyncio.timeout(30):
        async with new.watch(ListOptions(resource_version=begin)) as events:
            event = await anext(aiter(events))
    assert event.object["spec"] == {"address": "h:1"}


async def test_managers_of_another_version_are_converted_too(plane: Plane, webhook: Webhook) -> None:
    group = "managed.example.com"
    await define(plane, group, webhook.conversion())
    old, new = widgets(plane.client, group), widgets(plane.client, group, "v2")
    await old.create(custom(group, "w", {"host": "h", "port": 1}), field_manager="first")
    done = await new.patch("w", {"spec": {"address": "h:2"}}, PatchType.MERGE, field_manager="second")
    managers = {each["manager"]: each["fieldsV1"] for each in done["metadata"]["managedFields"]}
    assert managers == {
        "first": {"f:spec": {".": {}, "f:host": {}}},
        "second": {"f:spec": {"f:address": {}}},
    }, "the port that the second changed is its own, under the name that it has in its version"


async def test_a_service_is_found_by_its_endpoints(plane: Plane, webhook: Webhook) -> None:
    group, port = "behind.example.com", int(webhook.url.rpartition(":")[2].partition("/")[0])
    services = plane.client.resource(GroupVersionResource("", "v1", "services"), "default")
    endpoints = plane.client.resource(GroupVersionResource("", "v1", "endpoints"), "default")
    named = {"apiVersion": "v1", "metadata": {"name": "hook"}}
    await services.create({**named, "kind": "Service", "spec": {"ports": [{"port": 443}]}})
    subset = {"addresses": [{"ip": "127.0.0.1"}], "ports": [{"port": port}]}
    # No endpoint may be a loopback address, for those who validate: the store takes what it gets.
    await plane.storage.cacher.resource("/services/endpoints/").create(
        "/services/endpoints/default/hook",
        {
            "kind": "Endpoints",
            "apiVersion": "v1",
            "metadata": {"name": "hook", "namespace": "default"},
            "subsets": [subset],
        },
    )
    assert (await endpoints.get("hook"))["subsets"]
    conversion = webhook.conversion(service={"namespace": "default", "name": "hook", "path": "/convert"})
    del conversion["webhook"]["clientConfig"]["url"]
    await define(plane, group, conversion)
    await widgets(plane.client, group).create(custom(group, "w", {"host": "h", "port": 1}))
    assert (await widgets(plane.client, group, "v2").get("w"))["spec"] == {"address": "h:1"}


@pytest.mark.parametrize(
    ("name", "changes", "message"),
    [
        ("refuses", {"result": {"status": "Failure", "message": "no"}}, "failed: no"),
        (
            "silent",
            {"result": {"status": "Failure"}},
            "failed: response.result.status was 'Failure', not 'Success'",
        ),
        ("short", {"convertedObjects": []}, "returned 0 objects, expected 1"),
        ("mistaken", {"uid": "other"}, 'failed: expected response.uid="'),
        (
            "renames",
            {
                "convertedObjects": [
                    {"apiVersion": "renames.example.com/v2", "kind": "Widget", "metadata": {"name": "x"}}
                ]
            },
            "returned invalid object: must have the same name: w != x",
        ),
        (
            "stays",
            {"convertedObjects": [{"apiVersion": "stays.example.com/v1", "kind": "Widget", "metadata": {"name": "w"}}]},
            (
                "returned invalid object at index 0: invalid groupVersion (expected stays.example.com/v2, received"
                " stays.example.com/v1)"
            ),
        ),
    ],
)
async def test_what_a_webhook_does_wrong_is_told(
    plane: Plane, webhook: Webhook, name: str, changes: dict[str, Any], message: str
) -> None:
    group = f"{name}.example.com"
    await define(plane, group, webhook.conversion())
    await widgets(plane.client, group).create(custom(group, "w", {"host": "h", "port": 1}))

    def answer(review: dict[str, Any]) -> dict[str, Any]:
        good = webhook.success(review)
        return {**good, "response": {**good["response"], **changes}}

    webhook.answer = answer
    with pytest.raises(APIError) as refused:
        await widgets(plane.client, group, "v2").get("w")
    assert refused.value.code == 500
    assert str(refused.value).startswith(f"conversion webhook for {group}/v1, Kind=Widget {message}")


async def test_a_webhook_that_is_not_there_or_not_trusted_is_told(plane: Plane, webhook: Webhook) -> None:
    await define(plane, "nobody.example.com", webhook.conversion(url="https://127.0.0.1:9/convert"))
    await widgets(plane.client, "nobody.example.com").create(custom("nobody.example.com", "w", {"host": "h"}))
    with pytest.raises(APIError) as refused:
        await widgets(plane.client, "nobody.example.com", "v2").get("w")
    assert str(refused.value) == (
        'conversion webhook for nobody.example.com/v1, Kind=Widget failed: Post "https://127.0.0.1:9/convert?timeout=30s":'
        " dial tcp 127.0.0.1:9: connect: connection refused"
    )
    await define(plane, "stranger.example.com", webhook.conversion(caBundle=""))
    await widgets(plane.client, "stranger.example.com").create(custom("stranger.example.com", "w", {"host": "h"}))
    with pytest.raises(APIError, match="tls: failed to verify certificate"):
        await widgets(plane.client, "stranger.example.com", "v2").get("w")
