"""The forms of an answer: JSON and YAML, tables, metadata alone; and what is refused."""

from __future__ import annotations

import json

import pytest
import yaml

from tests.integration.api.talk import API
from tests.integration.api.toys import (
    CONFIG_MAPS,
    CRON_TABS,
    NEW_SHIRTS,
    OLD_SHIRTS,
    config_map,
    cron_tab,
)

TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
PARTIAL = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"
PARTIAL_LIST = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"
COLUMNS = [
    {"name": "Name", "type": "string", "format": "name", "description": "", "priority": 0},
    {"name": "Data", "type": "integer", "format": "", "description": "", "priority": 1},
]


async def test_yaml_goes_in_and_comes_out(api: API) -> None:
    body = b"metadata:\n  name: a\ndata:\n  k: 'yes'\n"
    created = await api.send("POST", CONFIG_MAPS, raw=body, content_type="application/yaml", accept="application/yaml")
    assert (created.status, created.content_type) == (201, "application/yaml")
    assert yaml.safe_load(created.data)["data"] == {"k": "yes"}
    listed = await api.get(CONFIG_MAPS, accept="application/yaml")
    assert [item["metadata"]["name"] for item in yaml.safe_load(listed.data)["items"]] == ["a"]


@pytest.mark.parametrize(
    ("query", "agent", "pretty"),
    [
        ("", "curl/8", True),
        ("", "kubectl/v1", False),
        ("?pretty=true", "", True),
        ("?pretty=false", "curl/8", False),
        ("", "", False),
    ],
)
async def test_people_get_it_indented(api: API, query: str, agent: str, *, pretty: bool) -> None:
    created = await api.post(CONFIG_MAPS, config_map("a"))
    for url in (f"{CONFIG_MAPS}/a", CONFIG_MAPS, f"{CONFIG_MAPS}/none"):
        reply = await api.get(url + query, headers={"user-agent": agent})
        assert reply.data.startswith(b'{\n  "kind"') is pretty
    assert json.loads((await api.get(f"{CONFIG_MAPS}/a{query}")).data) == created.body


@pytest.mark.parametrize("accept", ["", "*/*", "application/json", "application/json, */*", "text/csv, */*;q=0.1"])
async def test_json_is_what_anybody_gets(api: API, accept: str) -> None:
    await api.post(CONFIG_MAPS, config_map("a"))
    assert (await api.get(CONFIG_MAPS, accept=accept)).content_type == "application/json"


@pytest.mark.parametrize("accept", ["text/csv", "application/cbor", "image/*"])
async def test_what_nobody_speaks_is_not_acceptable(api: API, accept: str) -> None:
    before = api.revision
    assert (await api.get(CONFIG_MAPS, accept=accept)).error[:2] == (406, "NotAcceptable")
    refused = await api.get(CRON_TABS, accept=accept)
    assert refused.error == (
        406,
        "NotAcceptable",
        (
            "only the following media types are accepted: application/json, application/yaml, "
            "application/vnd.kubernetes.protobuf"
        ),
    )
    assert (await api.send("POST", CRON_TABS, cron_tab("a"), accept=accept)).status == 406
    assert api.revision == before


@pytest.mark.parametrize("method", ["POST", "PUT"])
async def test_a_body_that_nobody_reads_is_unsupported(api: API, method: str) -> None:
    url = CONFIG_MAPS if method == "POST" else f"{CONFIG_MAPS}/a"
    refused = await api.send(method, url, raw=b"name,a", content_type="text/csv")
    assert refused.error == (
        415,
        "UnsupportedMediaType",
        (
            "the body of the request was in an unknown format - accepted media types include: application/json, "
            "application/yaml, application/vnd.kubernetes.protobuf"
        ),
    )


async def test_a_watch_cannot_be_yaml(api: API) -> None:
    refused = await api.get(f"{CONFIG_MAPS}?watch=1", accept="application/yaml")
    assert refused.status == 406
    assert yaml.safe_load(refused.data)["message"] == (
        "only the following media types are accepted: application/json;stream=watch, "
        "application/vnd.kubernetes.protobuf;stream=watch"
    )


async def test_a_list_is_a_table(api: API) -> None:
    first = (await api.post(CONFIG_MAPS, config_map("a", data={"k": "v"}))).body
    await api.post(CONFIG_MAPS, config_map("b"))
    table = (await api.get(CONFIG_MAPS, accept=TABLE)).body
    assert (table["kind"], table["apiVersion"]) == ("Table", "meta.k8s.io/v1")
    assert table["metadata"] == {"resourceVersion": str(api.revision)}
    assert table["columnDefinitions"] == COLUMNS
    assert [row["cells"] for row in table["rows"]] == [["a", 1], ["b", 0]]
    assert table["rows"][0]["object"] == {
        "kind": "PartialObjectMetadata",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": first["metadata"],
    }


async def test_a_page_of_a_table_can_be_continued(api: API) -> None:
    for name in "abc":
        await api.post(CONFIG_MAPS, config_map(name))
    table = (await api.get(f"{CONFIG_MAPS}?limit=2", accept=TABLE)).body
    assert table["metadata"]["remainingItemCount"] == 1
    rest = (await api.get(f"{CONFIG_MAPS}?continue={table['metadata']['continue']}", accept=TABLE)).body
    assert [row["cells"][0] for row in rest["rows"]] == ["c"]


async def test_one_object_is_a_table_of_one_row(api: API) -> None:
    created = await api.post(CONFIG_MAPS, config_map("a"))
    table = (await api.get(f"{CONFIG_MAPS}/a", accept=TABLE)).body
    assert table["metadata"] == {"resourceVersion": created.version}
    assert [row["cells"] for row in table["rows"]] == [["a", 0]]


async def test_a_kind_without_columns_shows_name_and_age(api: API) -> None:
    created = (await api.post("/api/v1/nodes", {"metadata": {"name": "a"}})).body["metadata"]
    table = (await api.get("/api/v1/nodes", accept=TABLE)).body
    assert [column["name"] for column in table["columnDefinitions"]] == ["Name", "Created At"]
    assert table["rows"][0]["cells"] == ["a", created["creationTimestamp"]]


@pytest.mark.parametrize(
    ("include", "kind"), [("None", None), ("Metadata", "PartialObjectMetadata"), ("Object", "ConfigMap")]
)
async def test_a_row_carries_as_much_of_its_object_as_is_asked_for(api: API, include: str, kind: str | None) -> None:
    created = (await api.post(CONFIG_MAPS, config_map("a", data={"k": "v"}))).body
    (row,) = (await api.get(f"{CONFIG_MAPS}?includeObject={include}", accept=TABLE)).body["rows"]
    if kind is None:
        assert row == {"cells": ["a", 1], "object": None}
    else:
        assert row["object"]["kind"] == kind
        assert row["object"]["metadata"] == created["metadata"]
        assert ("data" in row["object"]) is (include == "Object")


async def test_another_wish_is_a_bad_request(api: API) -> None:
    refused = await api.get(f"{CONFIG_MAPS}?includeObject=Bogus", accept=TABLE)
    assert refused.error == (
        400,
        "BadRequest",
        (
            "Unable to convert to Table as requested: includeObject: Invalid value: \"Bogus\": must be 'Metadata', "
            "'Object', 'None', or empty"
        ),
    )
    assert (await api.get(f"{CONFIG_MAPS}?includeObject=Bogus")).status == 200


async def test_an_error_is_never_a_table(api: API) -> None:
    refused = await api.get(f"{CONFIG_MAPS}/none", accept=TABLE)
    assert refused.error[:2] == (404, "NotFound")
    await api.post(CONFIG_MAPS, config_map("a"))
    assert (await api.delete(f"{CONFIG_MAPS}/a", accept=TABLE)).body["kind"] == "Status"


async def test_writes_are_answered_in_tables_too(api: API) -> None:
    created = await api.send("POST", CONFIG_MAPS, config_map("a"), accept=TABLE)
    assert (created.status, created.body["rows"][0]["cells"]) == (201, ["a", 0])


async def test_who_asks_for_a_table_first_gets_json_where_there_is_none(api: API) -> None:
    reply = await api.get(CONFIG_MAPS, accept="application/json;as=Table;v=v9;g=meta.k8s.io,application/json")
    assert reply.body["kind"] == "ConfigMapList"


async def test_metadata_alone(api: API) -> None:
    created = (await api.post(CONFIG_MAPS, config_map("a", data={"k": "v"}))).body
    shown = (await api.get(f"{CONFIG_MAPS}/a", accept=PARTIAL)).body
    assert shown == {
        "kind": "PartialObjectMetadata",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": created["metadata"],
    }
    listed = (await api.get(CONFIG_MAPS, accept=PARTIAL_LIST)).body
    assert listed == {
        "kind": "PartialObjectMetadataList",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": {"resourceVersion": str(api.revision)},
        "items": [shown],
    }


async def test_metadata_of_a_list_is_a_list(api: API) -> None:
    await api.post(CONFIG_MAPS, config_map("a"))
    refused = await api.get(CONFIG_MAPS, accept=PARTIAL)
    assert refused.error == (
        406,
        "NotAcceptable",
        "you requested PartialObjectMetadata, but the requested object is a list (*core.ConfigMapList)",
    )
    refused = await api.get(f"{CONFIG_MAPS}/a", accept=PARTIAL_LIST)
    assert refused.error == (
        406,
        "NotAcceptable",
        "you requested PartialObjectMetadataList, but the requested object is not a list (*core.ConfigMap)",
    )


async def test_a_write_that_cannot_be_answered_as_asked_is_not_done(api: API) -> None:
    await api.post(CONFIG_MAPS, config_map("a"))
    before = api.revision
    for reply in (
        await api.post(CONFIG_MAPS, config_map("b"), accept=PARTIAL_LIST),
        await api.put(f"{CONFIG_MAPS}/a", config_map("a", data={"k": "v"}), accept=PARTIAL_LIST),
        await api.merge(f"{CONFIG_MAPS}/a", {"data": {"k": "v"}}, accept=PARTIAL_LIST),
        await api.delete(f"{CONFIG_MAPS}/a", accept=PARTIAL_LIST),
        await api.delete(CONFIG_MAPS, accept=PARTIAL),
    ):
        assert reply.error[:2] == (406, "NotAcceptable")
    assert api.revision == before


async def test_table_events_tell_their_columns_once(api: API) -> None:
    await api.post(CONFIG_MAPS, config_map("a"))
    watch = await api.watch(f"{CONFIG_MAPS}?watch=1&allowWatchBookmarks=true", accept=TABLE)
    await api.delete(f"{CONFIG_MAPS}/a")
    added, end, deleted = await watch.take(3)
    assert [added["type"], end["type"], deleted["type"]] == ["ADDED", "BOOKMARK", "DELETED"]
    assert added["object"]["columnDefinitions"] == COLUMNS
    assert end["object"]["columnDefinitions"] is deleted["object"]["columnDefinitions"] is None
    assert deleted["object"]["rows"][0]["cells"] == ["a", 0]
    assert deleted["object"]["metadata"] == {"resourceVersion": str(api.revision)}
    mark = end["object"]["rows"][0]["object"]
    assert mark["metadata"]["annotations"] == {"k8s.io/initial-events-end": "true"}
    await watch.close()


async def test_a_second_table_watch_is_told_the_columns_as_well(api: API) -> None:
    """What one watch has been told must not be remembered for another."""
    await api.post(CONFIG_MAPS, config_map("a"))
    for _ in range(2):
        watch = await api.watch(f"{CONFIG_MAPS}?watch=1", accept=TABLE)
        assert (await watch.next())["object"]["columnDefinitions"] == COLUMNS
        await watch.close()


async def test_metadata_events(api: API) -> None:
    created = (await api.post(CONFIG_MAPS, config_map("a", data={"k": "v"}))).body
    watch = await api.watch(f"{CONFIG_MAPS}?watch=1&allowWatchBookmarks=true", accept=PARTIAL)
    added, end = await watch.take(2)
    assert added["object"] == {
        "kind": "PartialObjectMetadata",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": created["metadata"],
    }
    assert end["object"]["kind"] == "PartialObjectMetadata"
    await watch.close()


@pytest.mark.parametrize("accept", [TABLE, PARTIAL, ""])
async def test_an_error_in_a_watch_is_a_status_in_every_form(api: API, accept: str) -> None:
    await api.post(CONFIG_MAPS, config_map("a"))
    await api.merge(f"{CONFIG_MAPS}/a", {"data": {"k": "v"}})
    await api.get(CONFIG_MAPS)
    await api.backend.compact(api.revision)
    api.cacher.window.restart(api.revision)
    watch = await api.watch(f"{CONFIG_MAPS}?watch=1&resourceVersion=2", accept=accept)
    (event,) = await watch.rest()
    assert (event["type"], event["object"]["kind"], event["object"]["code"]) == ("ERROR", "Status", 410)


async def test_one_form_never_shows_in_another(api: API) -> None:
    """Readers of every form and version, one after the other and again: each sees its own."""
    await api.post(NEW_SHIRTS, {"metadata": {"name": "a"}, "spec": {"width": 40, "length": 70}})
    forms = [
        (f"{url}?includeObject=Object", accept)
        for url in (OLD_SHIRTS, NEW_SHIRTS)
        for accept in ("", TABLE, PARTIAL_LIST, "application/yaml")
    ]
    first = [(await api.get(url, accept=accept)).data for url, accept in forms]
    assert len(set(first)) == 7  # metadata alone is the same in both versions
    assert [(await api.get(url, accept=accept)).data for url, accept in reversed(forms)] == first[::-1]
