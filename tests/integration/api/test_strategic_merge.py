"""Strategic merge patch over the API: what a client is told, and who owns what afterwards."""

from __future__ import annotations

from typing import Any

import pytest

from tests.integration.api.talk import API, Reply
from tests.integration.api.test_field_managers import managers
from tests.integration.api.toys import CONFIG_MAPS, CRON_TABS, PODS, config_map, cron_tab, pod

STRATEGIC = "application/strategic-merge-patch+json"
PATH = f"{CONFIG_MAPS}/a"
PATCH_INVALID = ' "" is invalid: patch: Invalid value: '


async def patch(api: API, path: str, body: Any) -> Reply:
    return await api.send("PATCH", path, body, content_type=STRATEGIC)


async def test_a_list_of_metadata_merges(api: API) -> None:
    await api.post(f"{CONFIG_MAPS}?fieldManager=one", config_map("a", metadata={"finalizers": ["x.io/a", "x.io/b"]}))
    patched = await patch(api, f"{PATH}?fieldManager=two", {"metadata": {"finalizers": ["x.io/b", "x.io/c"]}})
    assert patched.body["metadata"]["finalizers"] == ["x.io/a", "x.io/b", "x.io/c"]
    assert managers(patched.body)["two"] == {"f:metadata": {"f:finalizers": {'v:"x.io/c"': {}}}}


async def test_a_patch_does_not_say_what_the_object_is(api: API) -> None:
    created = await api.post(CONFIG_MAPS, config_map("a"))
    assert (await patch(api, PATH, {"kind": "Secret", "apiVersion": "v9"})).data == created.data


async def test_custom_resources_are_not_merged_so(api: API) -> None:
    await api.post(CRON_TABS, cron_tab("a"))
    refused = await patch(api, f"{CRON_TABS}/a", {})
    assert refused.error[:2] == (415, "UnsupportedMediaType")


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ([], (400, "BadRequest", "json: cannot unmarshal array into Go value of type map[string]interface {}")),
        ({"metadata": {"$setElementOrder": []}}, (400, "BadRequest", "invalid patch format of setElementOrder list")),
        ({"$patch": "x"}, (500, "", "unknown patch type: x in map: map[$patch:x]")),
        (
            {"$patch": "delete"},
            (
                400,
                "BadRequest",
                "the name of the object (a based on URL) was undeterminable: name must be provided",
            ),
        ),
        (
            {"data": {"k": 5}, "metadata": {"labels": None}},
            (
                422,
                "Invalid",
                f'{PATCH_INVALID}"map[data:map[k:5] metadata:map[labels:<nil>]]": cannot convert int64 to string',
            ),
        ),
    ],
)
async def test_a_patch_that_is_none_is_told_so(api: API, body: Any, error: tuple[int, str, str]) -> None:
    await api.post(CONFIG_MAPS, config_map("a", data={"k": "v"}))
    assert (await patch(api, PATH, body)).error == error


async def test_unknown_fields_are_told_in_order(api: API) -> None:
    await api.post(PODS, pod("a"))
    body = {"spec": {"z": 1, "b": 2}, "nope": 3}
    warned = await patch(api, f"{PODS}/a", body)
    assert warned.warnings == [rf'299 - "unknown field \"{name}\""' for name in ("nope", "spec.b", "spec.z")]
    refused = await patch(api, f"{PODS}/a?fieldValidation=Strict", {"nope": 3})
    why = 'Invalid value: "map[nope:3]": strict decoding error: unknown field "nope"'
    assert refused.error == (422, "Invalid", f' "" is invalid: patch: {why}')
