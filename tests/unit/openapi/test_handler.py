"""How documents are found, kept and refused."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any

import pytest

from localplane.apimachinery.schema import Schema
from localplane.apiserver.endpoints.discovery import InstalledGroup, InstalledVersion
from localplane.apiserver.endpoints.openapi import OpenAPI
from tests.unit.discovery.toys import CORE, TOYS, WIDGET, body_of, request, widgets
from tests.unit.openapi.documents import ask

TOYS_DOCUMENT = "/openapi/v3/apis/toys.example.com/v1"


@pytest.fixture
def openapi() -> OpenAPI:
    return OpenAPI(lambda: [CORE, TOYS])


def with_schema(schema: Callable[[], Schema], **changes: Any) -> InstalledGroup:
    version = InstalledVersion(version="v1", resources=[widgets(schema=schema, subresources=(), **changes)])
    return InstalledGroup(name="toys.example.com", versions=[version])


async def index_of(openapi: OpenAPI) -> dict[str, str]:
    paths = body_of(await ask(openapi, "/openapi/v3"))["paths"]
    return {path: each["serverRelativeURL"] for path, each in paths.items()}


async def test_the_index_names_a_hashed_url_for_each_version_and_comes_as_text(openapi: OpenAPI) -> None:
    answer = await ask(openapi, "/openapi/v3", "application/json, */*")
    assert answer.content_type == "text/plain; charset=utf-8"
    index = await index_of(openapi)
    assert list(index) == ["api", "api/v1", "apis", "apis/toys.example.com/v1"]
    path, _, found = index["apis/toys.example.com/v1"].partition("?hash=")
    assert path == TOYS_DOCUMENT
    assert len(found) == 128
    assert found == found.upper()


async def test_a_url_of_the_index_may_be_kept_for_ever(openapi: OpenAPI) -> None:
    url = (await index_of(openapi))["apis/toys.example.com/v1"]
    answer = await ask(openapi, url)
    assert answer.status == 200
    assert answer.content_type == "application/json"
    assert answer.headers["Cache-Control"] == "public, immutable"
    assert answer.headers["Vary"] == "Accept"
    assert answer.headers["ETag"] == f'"{url.partition("=")[2]}"'
    assert parsedate_to_datetime(answer.headers["Expires"]) > datetime.now(UTC) + timedelta(days=360)


async def test_without_a_hash_it_may_not(openapi: OpenAPI) -> None:
    answer = await ask(openapi, TOYS_DOCUMENT)
    assert answer.status == 200
    assert "Expires" not in answer.headers
    assert "Cache-Control" not in answer.headers


async def test_a_wrong_hash_leads_to_the_right_one(openapi: OpenAPI) -> None:
    answer = await ask(openapi, f"{TOYS_DOCUMENT}?hash=OLD")
    assert (answer.status, answer.body) == (301, b"")
    assert answer.headers["Location"] == (await index_of(openapi))["apis/toys.example.com/v1"]


@pytest.mark.parametrize("path", ["/openapi/v3", TOYS_DOCUMENT, "/openapi/v2"])
async def test_whoever_has_it_already_is_told_so(openapi: OpenAPI, path: str) -> None:
    etag = (await ask(openapi, path)).headers["ETag"]
    for said in (etag, f"W/{etag}", f'"other", {etag}', "*"):
        known = await ask(openapi, path, if_none_match=said)
        assert (known.status, known.body, known.headers["ETag"]) == (304, b"", etag)
    assert (await ask(openapi, path, if_none_match='"other"')).status == 200


async def test_an_unknown_version_is_not_found_without_a_word(openapi: OpenAPI) -> None:
    answer = await ask(openapi, "/openapi/v3/apis/nope/v1")
    assert (answer.status, answer.body, answer.content_type) == (404, b"", "")


async def test_other_paths_are_left_to_others(openapi: OpenAPI) -> None:
    for path in ("/openapi", "/openapi/v1", "/openapi/v2/x", "/swagger.json"):
        assert await openapi.handle(request(path)) is None


@pytest.mark.parametrize(
    ("path", "accept"),
    [
        (TOYS_DOCUMENT, "application/com.github.proto-openapi.spec.v3@v1.0+protobuf"),
        (TOYS_DOCUMENT, "text/html"),
        ("/openapi/v2", "application/yaml"),
    ],
)
async def test_a_form_that_is_not_offered_is_refused(openapi: OpenAPI, path: str, accept: str) -> None:
    answer = await ask(openapi, path, accept)
    assert (answer.status, answer.body) == (406, b"")
    assert answer.headers["Vary"] == "Accept"


async def test_the_index_builds_no_document() -> None:
    def never() -> Schema:
        raise AssertionError("the index asked for a schema")

    openapi = OpenAPI(lambda: [with_schema(never)])
    assert list(await index_of(openapi)) == ["apis", "apis/toys.example.com", "apis/toys.example.com/v1"]
    url = (await index_of(openapi))["apis/toys.example.com/v1"]
    etag = f'"{url.partition("=")[2]}"'
    assert (await ask(openapi, url, if_none_match=etag)).status == 304


async def test_a_document_is_built_once_for_all_who_ask_at_the_same_time() -> None:
    calls = []

    def schema() -> Schema:
        calls.append(1)
        return WIDGET

    openapi = OpenAPI(lambda: [with_schema(schema)])
    answers = await asyncio.gather(*(ask(openapi, TOYS_DOCUMENT) for _ in range(5)))
    assert len({id(answer.body) for answer in answers}) == 1
    assert len(calls) == 1


async def test_a_builder_that_gives_up_leaves_the_work_to_the_next() -> None:
    openapi = OpenAPI(lambda: [TOYS])
    builder = asyncio.create_task(ask(openapi, TOYS_DOCUMENT))
    await asyncio.sleep(0)
    waiting = asyncio.create_task(ask(openapi, TOYS_DOCUMENT))
    await asyncio.sleep(0)
    assert not builder.done(), "the document was built in one go"
    builder.cancel()
    assert (await waiting).status == 200
    assert builder.cancelled()


async def test_a_change_rebuilds_what_changed_and_nothing_else() -> None:
    asked: list[str] = []

    def core_schema() -> Schema:
        asked.append("core")
        return WIDGET

    def toy_schema() -> Schema:
        asked.append("toys")
        return WIDGET

    core = replace(with_schema(core_schema), name="stays.example.com")
    groups = [core, with_schema(toy_schema)]
    openapi = OpenAPI(lambda: groups)
    before = await index_of(openapi)
    for url in before.values():
        await ask(openapi, url)
    groups[1] = with_schema(toy_schema, schema_identity="2")
    openapi.changed()
    after = await index_of(openapi)
    assert after["apis/stays.example.com/v1"] == before["apis/stays.example.com/v1"]
    assert after["apis/toys.example.com/v1"] != before["apis/toys.example.com/v1"]
    for url in after.values():
        await ask(openapi, url)
    assert asked == ["core", "toys", "toys"]


@pytest.mark.parametrize(
    "change",
    [{"verbs": ("get",)}, {"kind": "Other"}, {"patch_types": ()}, {"namespaced": False}, {"list_kind": "Many"}],
)
async def test_any_change_of_a_description_changes_the_hash(change: dict[str, Any]) -> None:
    before = await index_of(OpenAPI(lambda: [with_schema(lambda: WIDGET)]))
    after = await index_of(OpenAPI(lambda: [with_schema(lambda: WIDGET, **change)]))
    assert before != after


async def test_another_release_has_other_hashes_and_another_start_has_the_same() -> None:
    first, again = [await index_of(OpenAPI(lambda: [CORE], release="1")) for _ in range(2)]
    assert first == again
    assert first != await index_of(OpenAPI(lambda: [CORE], release="2"))


async def test_a_group_that_went_is_no_longer_there() -> None:
    groups = [CORE, TOYS]
    openapi = OpenAPI(lambda: groups)
    await ask(openapi, TOYS_DOCUMENT)
    groups.pop()
    openapi.changed()
    assert (await ask(openapi, TOYS_DOCUMENT)).status == 404
    assert "com.example.toys.v1.Widget" not in body_of(await ask(openapi, "/openapi/v2"))["definitions"]
