"""What happened on a plane, and what there was: asked of its instrument."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from localplane.apimachinery.errors import BadRequest, NotFound
from localplane.apiserver.server.options import ServerOptions
from localplane.client import Client, GroupVersionResource
from localplane.compose.cluster import open_cluster
from localplane.compose.options import ClusterOptions, StorageKind, StorageOptions

CONFIG_MAPS = GroupVersionResource("", "v1", "configmaps")
HISTORY = "/localplane/v1/history/"
SUBJECT = [("resource", "configmaps"), ("namespace", "default"), ("name", "a")]


async def _ask(client: Client, path: str, *query: tuple[str, str]) -> Any:
    return orjson.loads((await client.request("GET", HISTORY + path, query=query)).body)


def _revision(obj: dict[str, Any]) -> str:
    return str(obj["metadata"]["resourceVersion"])


async def test_the_past_is_told_after_the_store_has_forgotten_it() -> None:
    storage = StorageOptions(kind=StorageKind.MEMORY)
    options = ClusterOptions(controllers=("none",), storage=storage, server=ServerOptions(port=0))
    async with open_cluster(options) as plane:
        client = plane.client
        maps = client.resource(CONFIG_MAPS, "default")
        first = await maps.create({"metadata": {"name": "a"}, "data": {"colour": "red"}})
        second = await maps.update({**first, "data": {"colour": "blue"}})
        await maps.delete("a")
        now = plane.storage.cacher.revision
        await plane.storage.backend.compact(now)

        told = await _ask(client, "object", *SUBJECT)
        assert [(each["type"], each["object"]["data"]["colour"], each["verb"]) for each in told["revisions"]] == [
            ("ADDED", "red", "create"),
            ("MODIFIED", "blue", "update"),
            ("DELETED", "blue", "delete"),
        ]
        assert [each["revision"] for each in told["revisions"]][:2] == [int(_revision(first)), int(_revision(second))]
        assert told["revisions"][0]["user"] == "system:apiserver"
        times = [each["time"] for each in told["revisions"]]
        assert times == sorted(times)
        assert told["reachesBackTo"]["time"] <= times[0]

        at = f"at/{_revision(first)}/api/v1/namespaces/default/configmaps"
        assert (await _ask(client, f"{at}/a"))["data"] == {"colour": "red"}
        assert (await _ask(client, f"{at}/a"))["kind"] == "ConfigMap"
        assert [each["metadata"]["name"] for each in (await _ask(client, at))["items"]] == ["a"]
        assert (await _ask(client, "at/0s/api/v1/namespaces/default/configmaps"))["items"] == []
        with pytest.raises(NotFound, match='"b" was not there'):
            await _ask(client, f"{at}/b")

        changes = await _ask(client, "changes", ("at", _revision(first)), ("to", _revision(second)))
        assert [(each["before"]["data"], each["after"]["data"]) for each in changes["changes"]] == [
            ({"colour": "red"}, {"colour": "blue"})
        ]
        gone = await _ask(client, "changes", ("at", _revision(first)), ("namespace", "default"))
        assert [each["after"] for each in gone["changes"]] == [None]

        for word, why in (
            ("0", "0 is gone: the history of this plane reaches back to revision"),
            ("999999", "revision 999999 is in the future: the plane is at"),
            ("yesterday", '"yesterday" is no moment: give a revision, a time such as'),
            ("24h", "24h is gone"),
        ):
            with pytest.raises(BadRequest, match=why):
                await _ask(client, "changes", ("at", word))
        with pytest.raises(BadRequest, match="the earlier one comes first"):
            await _ask(client, "changes", ("at", str(now)), ("to", _revision(first)))
        with pytest.raises(BadRequest, match="are not stored here, so nobody knows their past"):
            await _ask(client, "object", ("group", "example"), ("resource", "nopes"), ("name", "x"))
        with pytest.raises(BadRequest, match="is neither"):
            await _ask(client, f"at/{now}/api/v1")
        with pytest.raises(NotFound, match="object, changes and at"):
            await _ask(client, "more")
