"""Lists that are written while they are sent: the same bytes as if they had been written at once, and one snapshot."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

import orjson
import pytest
import yaml

from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.serializers.json_writer import to_json
from localplane.apimachinery.serializers.protobuf import fields, opened
from localplane.apimachinery.serializers.yaml_writer import to_yaml
from localplane.apiserver.request import Response, whole_body
from tests.integration.api.talk import API
from tests.integration.api.toys import CONFIG_MAPS, CRON_TABS, NEW_SHIRTS, OLD_SHIRTS, config_map, cron_tab

MANY = 300
NAMES = [f"a-{number:04}" for number in range(MANY)]
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
PARTIAL_LIST = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"
PROTOBUF = "application/vnd.kubernetes.protobuf"
YAML = "application/yaml"
TEXT = "one\n\n  two: three\n# four\n" * 5


@pytest.fixture
async def many(api: API) -> API:
    for name in NAMES:
        await api.post(CONFIG_MAPS, config_map(name) | {"data": {"text": TEXT, "long": "x" * 500}})
    return api


async def answered(api: API, url: str, accept: str) -> Response:
    _, answer = await api.ask("GET", url, accept=accept)
    assert isinstance(answer, Response)
    return answer


async def listed(api: API) -> JSONObject:
    found: JSONObject = orjson.loads(await whole_body((await answered(api, CONFIG_MAPS, "")).body))
    return found


async def test_yaml_is_written_as_if_it_was_one_document(many: API) -> None:
    answer = await answered(many, CONFIG_MAPS, YAML)
    assert isinstance(answer.body, AsyncIterator)
    assert await whole_body(answer.body) == to_yaml(await listed(many))


async def test_indented_json_is_written_as_if_it_was_one_document(many: API) -> None:
    answer = await answered(many, f"{CONFIG_MAPS}?pretty=true", "")
    assert isinstance(answer.body, AsyncIterator)
    assert await whole_body(answer.body) == to_json(await listed(many), pretty=True)


@pytest.mark.parametrize("include", ["None", "Metadata", "Object"])
@pytest.mark.parametrize("form", ["", "&pretty=true", "yaml"])
async def test_a_table_has_a_row_for_each_object(many: API, include: str, form: str) -> None:
    accept = TABLE.replace("/json", "/yaml") if form == "yaml" else TABLE
    query = f"includeObject={include}" + (form if form != "yaml" else "")
    answer = await answered(many, f"{CONFIG_MAPS}?{query}", accept)
    assert isinstance(answer.body, AsyncIterator)
    table = yaml.load(await whole_body(answer.body), yaml.CSafeLoader)
    small = (await many.get(f"{CONFIG_MAPS}?{query}&fieldSelector=metadata.name%3Da-0007", accept=TABLE)).body
    assert [row["cells"][0] for row in table["rows"]] == NAMES
    assert table["rows"][7] == small["rows"][0]
    assert table["columnDefinitions"] == small["columnDefinitions"]
    assert table.keys() == small.keys()


async def test_metadata_is_that_of_the_objects(many: API) -> None:
    answer = await answered(many, CONFIG_MAPS, PARTIAL_LIST)
    assert isinstance(answer.body, AsyncIterator)
    found = orjson.loads(await whole_body(answer.body))
    assert found["kind"] == "PartialObjectMetadataList"
    assert [item["metadata"] for item in found["items"]] == [item["metadata"] for item in (await listed(many))["items"]]


async def test_a_message_is_as_long_as_it_says(many: API) -> None:
    answer = await answered(many, CONFIG_MAPS, PARTIAL_LIST.replace("application/json", PROTOBUF))
    data = await whole_body(answer.body)
    items = [payload for number, payload in fields(opened(data).message) if number == 2]
    assert len(items) == MANY


async def test_the_length_of_a_list_is_known_before_it_is_joined(api: API) -> None:
    """Large objects, so that they are several pieces; all who read at once share them."""
    for name in NAMES[:40]:
        await api.post(CONFIG_MAPS, config_map(name) | {"data": {"long": "x" * 100_000}})
    answers = [await answered(api, CONFIG_MAPS, "") for _ in range(3)]
    assert [isinstance(answer.body, AsyncIterator) for answer in answers] == [True] * 3
    bodies = [await pieces(answer) for answer in answers]
    assert len(bodies[0]) > 3
    assert {sum(map(len, body)) for body in bodies} == {answers[0].size}
    assert all(one is another for one, another in zip(bodies[0][1:-1], bodies[2][1:-1], strict=True))
    again = await answered(api, CONFIG_MAPS, "")
    assert isinstance(again.body, Sequence)
    assert await whole_body(again.body) == b"".join(bodies[0])


async def pieces(answer: Response) -> list[bytes]:
    assert isinstance(answer.body, AsyncIterator)
    return [piece async for piece in answer.body]


@pytest.mark.parametrize("accept", [YAML, TABLE, PARTIAL_LIST])
async def test_a_list_is_one_snapshot_however_long_it_takes_to_send(many: API, accept: str) -> None:
    before = await whole_body((await answered(many, CONFIG_MAPS, accept)).body)
    answer = await answered(many, CONFIG_MAPS, accept)
    assert isinstance(answer.body, AsyncIterator)
    received = [await anext(answer.body)]
    await many.send("DELETE", f"{CONFIG_MAPS}/{NAMES[-1]}")
    await many.send("PUT", f"{CONFIG_MAPS}/{NAMES[-2]}", config_map(NAMES[-2]) | {"data": {"new": "new"}})
    await many.post(CONFIG_MAPS, config_map("z"))
    assert b"".join(received + [piece async for piece in answer.body]) == before


@pytest.mark.parametrize("accept", ["", YAML, TABLE, PARTIAL_LIST])
async def test_a_version_that_nobody_knows_is_told_before_the_first_byte(many: API, accept: str) -> None:
    strange = config_map(NAMES[-1]) | {"apiVersion": "v9"}
    await many.cacher.resource("/configmaps/").create("/configmaps/default/strange", strange)
    reply = await many.get(CONFIG_MAPS, accept=accept)
    assert reply.status == 500
    assert b'no kind "ConfigMap" is registered for version "v9"' in reply.data.replace(b"\\", b"")


@pytest.mark.parametrize("accept", ["", YAML, TABLE, PARTIAL_LIST])
async def test_custom_and_converted_objects_are_listed_in_any_form(api: API, accept: str) -> None:
    for name in NAMES[:100]:
        await api.post(CRON_TABS, cron_tab(name))
    for url in (CRON_TABS, OLD_SHIRTS, NEW_SHIRTS):
        answer = await answered(api, url, accept)
        found = yaml.load(await whole_body(answer.body), yaml.CSafeLoader)
        assert len(found.get("items") or found.get("rows") or ()) == (100 if url == CRON_TABS else 0)
