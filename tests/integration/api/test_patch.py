"""Patch: JSON Patch and JSON Merge Patch, on whatever is there by then."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.integration.api.talk import API, JSON_PATCH, MERGE
from tests.integration.api.toys import (
    CONFIG_MAPS,
    CRON_TABS,
    NEW_SHIRTS,
    OLD_SHIRTS,
    PODS,
    config_map,
    cron_tab,
    pod,
)

REJECTED = "the server rejected our request due to an error in our request"


async def test_a_merge_patch_sets_and_removes(api: API) -> None:
    await api.post(CONFIG_MAPS, config_map("a", data={"k": "v", "l": "w"}, metadata={"labels": {"x": "1"}}))
    patched = await api.merge(f"{CONFIG_MAPS}/a", {"data": {"k": None, "m": "n"}, "metadata": {"labels": None}})
    assert patched.status == 200
    assert patched.body["data"] == {"l": "w", "m": "n"}
    assert "labels" not in patched.body["metadata"]
    assert (await api.get(f"{CONFIG_MAPS}/a")).data == patched.data


@pytest.mark.parametrize("depth", [300, 600, 900])
async def test_what_is_nested_too_deeply_is_the_clients_fault(api: API, depth: int) -> None:
    await api.post(CONFIG_MAPS, config_map("a"))
    value: Any = 1
    for _ in range(depth):
        value = {"a": value}
    for refused in (
        await api.merge(f"{CONFIG_MAPS}/a", {"data": value}),
        await api.json_patch(f"{CONFIG_MAPS}/a", [{"op": "add", "path": "/data", "value": value}]),
        await api.post(CONFIG_MAPS, config_map("b", data=value)),
    ):
        assert refused.status in (400, 422)


async def test_operations_that_move_whole_lists_again_and_again_are_too_many(api: API) -> None:
    await api.post(CONFIG_MAPS, config_map("a"))
    fill = {"op": "add", "path": "/metadata/finalizers", "value": [0] * 10_000}
    insert = {"op": "add", "path": "/metadata/finalizers/0", "value": 0}
    refused = await api.json_patch(f"{CONFIG_MAPS}/a", [fill, *[insert] * 5000])
    assert refused.error == (
        413,
        "RequestEntityTooLarge",
        "Request entity too large: The operations of a JSON patch may move at most 20000000 items of lists up or down",
    )


async def test_a_json_patch_does_its_operations_in_order(api: API) -> None:
    await api.post(CONFIG_MAPS, config_map("a", data={"k": "v"}))
    operations = [
        {"op": "test", "path": "/data/k", "value": "v"},
        {"op": "add", "path": "/data/l", "value": "w"},
        {"op": "move", "from": "/data/k", "path": "/data/m"},
        {"op": "copy", "from": "/data/m", "path": "/data/n"},
        {"op": "replace", "path": "/data/l", "value": "x"},
        {"op": "remove", "path": "/data/m"},
    ]
    patched = await api.json_patch(f"{CONFIG_MAPS}/a", operations)
    assert (patched.status, patched.body["data"]) == (200, {"l": "x", "n": "v"})


async def test_a_patch_that_changes_nothing_writes_nothing(api: API) -> None:
    created = await api.post(CONFIG_MAPS, config_map("a", data={"k": "v"}))
    before = api.revision
    assert (await api.merge(f"{CONFIG_MAPS}/a", {})).data == created.data
    assert (await api.merge(f"{CONFIG_MAPS}/a", {"data": {"k": "v"}})).data == created.data
    assert (await api.json_patch(f"{CONFIG_MAPS}/a", [])).data == created.data
    assert api.revision == before


async def test_patches_of_different_keys_all_succeed_at_once(api: API) -> None:
    await api.post(CONFIG_MAPS, config_map("a"))
    replies = await asyncio.gather(
        *(api.merge(f"{CONFIG_MAPS}/a", {"data": {f"k{number}": "v"}}) for number in range(100))
    )
    assert {reply.status for reply in replies} == {200}
    assert len((await api.get(f"{CONFIG_MAPS}/a")).body["data"]) == 100


async def test_a_patch_that_names_a_version_must_have_seen_it(api: API) -> None:
    created = await api.post(CONFIG_MAPS, config_map("a"))
    assert (await api.merge(f"{CONFIG_MAPS}/a", {"metadata": {"resourceVersion": created.version}})).status == 200
    refused = await api.merge(f"{CONFIG_MAPS}/a", {"metadata": {"resourceVersion": "1"}, "data": {"k": "v"}})
    assert refused.error == (
        409,
        "Conflict",
        (
            'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your '
            "changes to "
            "the latest version and try again"
        ),
    )


@pytest.mark.parametrize(
    ("content_type", "body"),
    [(MERGE, b'{"data":{}}'), (JSON_PATCH, b"[]"), (JSON_PATCH, b"{}"), (MERGE, b"[]"), (MERGE, b"null")],
)
async def test_a_patch_of_nothing_is_told_that_there_is_nothing(api: API, content_type: str, body: bytes) -> None:
    """Even one that is no patch: nobody looks at it."""
    refused = await api.send("PATCH", f"{CONFIG_MAPS}/a", raw=body, content_type=content_type)
    assert refused.error == (404, "NotFound", 'configmaps "a" not found')


@pytest.mark.parametrize("content_type", [MERGE, JSON_PATCH])
@pytest.mark.parametrize("body", [b"", b"{", b"nonsense", b'{"a":1}{}', b"\xef\xbb\xbf{}", b"[NaN]"])
async def test_what_is_no_json_is_no_patch(api: API, content_type: str, body: bytes) -> None:
    refused = await api.send("PATCH", f"{CONFIG_MAPS}/a", raw=body, content_type=content_type)
    assert refused.error == (400, "BadRequest", "invalid JSON patch")


@pytest.mark.parametrize(
    ("content_type", "body", "query", "message"),
    [
        (
            JSON_PATCH,
            b"{}",
            "",
            "error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp",
        ),
        (
            JSON_PATCH,
            b"{}",
            "?fieldValidation=Ignore",
            "json: cannot unmarshal object into Go value of type jsonpatch.",
        ),
        (
            MERGE,
            b"[]",
            "",
            "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}",
        ),
        (MERGE, b"null", "", "Invalid JSON Patch"),
    ],
)
async def test_json_that_is_no_patch_is_a_bad_request(
    api: API, content_type: str, body: bytes, query: str, message: str
) -> None:
    await api.post(CONFIG_MAPS, config_map("a"))
    before = api.revision
    refused = await api.send("PATCH", f"{CONFIG_MAPS}/a{query}", raw=body, content_type=content_type)
    assert refused.error[:2] == (400, "BadRequest")
    assert refused.message.startswith(message)
    assert api.revision == before


@pytest.mark.parametrize(
    "operation",
    [
        {"op": "test", "path": "/data/k", "value": "w"},
        {"op": "test", "path": "/data/none", "value": "w"},
        {"op": "remove", "path": "/data/none"},
        {"op": "replace", "path": "/none/k", "value": "w"},
        {"op": "add", "path": "/metadata/finalizers/5", "value": "a/b"},
        {"op": "explode", "path": "/data/k"},
        {"path": "/data/k"},
    ],
)
async def test_an_operation_that_does_not_apply_is_unprocessable(api: API, operation: dict[str, Any]) -> None:
    await api.post(CONFIG_MAPS, config_map("a", data={"k": "v"}, metadata={"finalizers": ["a/f"]}))
    before = api.revision
    refused = await api.json_patch(f"{CONFIG_MAPS}/a", [{"op": "add", "path": "/data/z", "value": "z"}, operation])
    assert refused.error == (422, "Invalid", REJECTED)
    assert refused.body["details"] == {}
    assert api.revision == before


async def test_ten_thousand_operations_are_enough(api: API) -> None:
    await api.post(CONFIG_MAPS, config_map("a", data={"k": "v"}))
    operation = {"op": "test", "path": "/data/k", "value": "v"}
    assert (await api.json_patch(f"{CONFIG_MAPS}/a", [operation] * 10_000)).status == 200
    refused = await api.json_patch(f"{CONFIG_MAPS}/a", [operation] * 10_001)
    assert refused.error == (
        413,
        "RequestEntityTooLarge",
        "Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001",
    )


async def test_copies_cannot_blow_an_object_up(api: API) -> None:
    await api.post(CONFIG_MAPS, config_map("a", data={"k": "x" * 1000}))
    doubling = [{"op": "copy", "from": "/data", "path": f"/metadata/annotations{number}"} for number in range(4000)]
    assert (await api.json_patch(f"{CONFIG_MAPS}/a", doubling)).error == (422, "Invalid", REJECTED)


async def test_a_wrong_type_is_told_with_what_the_patch_made(api: API) -> None:
    path = f"{CONFIG_MAPS}?fieldManager=me"
    created = (await api.post(path, config_map("a", data={"k": "<&>"}))).body["metadata"]
    refused = await api.merge(f"{CONFIG_MAPS}/a", {"data": {"l": 5}})
    assert refused.error[:2] == (422, "Invalid")
    document = (
        r"{\"apiVersion\":\"v1\",\"data\":{\"k\":\"\\u003c\\u0026\\u003e\",\"l\":5},\"kind\":\"ConfigMap\","
        rf"\"metadata\":{{\"name\":\"a\",\"namespace\":\"default\",\"uid\":\"{created['uid']}\","
        rf"\"resourceVersion\":\"{created['resourceVersion']}\","
        rf"\"creationTimestamp\":\"{created['creationTimestamp']}\",\"managedFields\":[{{\"manager\":\"me\","
        rf"\"operation\":\"Update\",\"apiVersion\":\"v1\",\"time\":\"{created['creationTimestamp']}\","
        r"\"fieldsType\":\"FieldsV1\",\"fieldsV1\":{\"f:data\":{\".\":{},\"f:k\":{}}}}]}}"
    )
    why = "json: cannot unmarshal number into Go struct field ConfigMap.data of type string"
    assert refused.message == f' "" is invalid: patch: Invalid value: "{document}": {why}'
    assert refused.body["details"] == {
        "causes": [{"reason": "FieldValueInvalid", "message": f'Invalid value: "{document}": {why}', "field": "patch"}]
    }


async def test_a_list_where_a_text_belongs_is_told(api: API) -> None:
    await api.post(CONFIG_MAPS, config_map("a"))
    refused = await api.merge(f"{CONFIG_MAPS}/a", {"metadata": {"annotations": {"k": ["x"]}}})
    assert refused.error[:2] == (422, "Invalid")
    assert refused.message.endswith(
        "json: cannot unmarshal array into Go struct field ObjectMeta.metadata.annotations of type string"
    )


@pytest.mark.parametrize(
    ("patch", "why"),
    [
        ({"kind": "Pod"}, "converting (v1.Pod) to (core.ConfigMap): unknown conversion"),
        ({"kind": "Nothing"}, 'no kind "Nothing" is registered for version "v1" in scheme '),
        ({"apiVersion": "v9"}, 'no kind "ConfigMap" is registered for version "v9" in scheme '),
        ({"apiVersion": "a/b/c"}, "unexpected GroupVersion string: a/b/c"),
        ({"kind": 5}, "json: cannot unmarshal number into Go struct field .kind of type string"),
        ({"kind": None}, "Object 'Kind' is missing in "),
    ],
)
async def test_a_patch_cannot_make_something_else_of_an_object(api: API, patch: dict[str, Any], why: str) -> None:
    created = await api.post(CONFIG_MAPS, config_map("a"))
    refused = await api.merge(f"{CONFIG_MAPS}/a", patch)
    assert refused.error[:2] == (422, "Invalid")
    assert refused.message.startswith(' "" is invalid: patch: Invalid value: ')
    assert why in refused.message
    assert (await api.get(f"{CONFIG_MAPS}/a")).data == created.data


async def test_a_document_that_is_replaced_by_a_list_is_no_object(api: API) -> None:
    await api.post(CONFIG_MAPS, config_map("a"))
    for content_type, body in ((MERGE, b"[1]"), (JSON_PATCH, b'[{"op":"replace","path":"","value":[1]}]')):
        refused = await api.send(
            "PATCH", f"{CONFIG_MAPS}/a?fieldValidation=Ignore", raw=body, content_type=content_type
        )
        assert refused.error[:2] == (422, "Invalid")
        assert 'patch: Invalid value: "[1]": couldn\'t get version/kind' in refused.message


@pytest.mark.parametrize(
    ("metadata", "error"),
    [
        ({"name": "b"}, (400, "BadRequest", "the name of the object (b) does not match the name on the URL (a)")),
        (
            {"name": None},
            (
                400,
                "BadRequest",
                "the name of the object (a based on URL) was undeterminable: name must be provided",
            ),
        ),
        (
            {"namespace": "other"},
            (
                400,
                "BadRequest",
                "the namespace of the provided object does not match the namespace sent on the request",
            ),
        ),
        (
            {"uid": "u"},
            (422, "Invalid", 'ConfigMap "a" is invalid: metadata.uid: Invalid value: "u": field is immutable'),
        ),
    ],
)
async def test_a_patch_cannot_move_an_object(api: API, metadata: dict[str, Any], error: tuple[int, str, str]) -> None:
    created = await api.post(CONFIG_MAPS, config_map("a"))
    assert (await api.merge(f"{CONFIG_MAPS}/a", {"metadata": metadata})).error == error
    assert (await api.get(f"{CONFIG_MAPS}/a")).data == created.data


async def test_a_patch_is_in_the_version_of_its_url(api: API) -> None:
    await api.post(NEW_SHIRTS, {"metadata": {"name": "a"}, "spec": {"width": 40, "length": 70}})
    patched = await api.merge(f"{OLD_SHIRTS}/a", {"spec": {"size": "41x71"}})
    assert (patched.body["apiVersion"], patched.body["spec"]) == (
        "wardrobe.example.com/v1alpha1",
        {"size": "41x71"},
    )
    spec = (await api.get(f"{NEW_SHIRTS}/a")).body["spec"]
    assert (spec["width"], spec["length"]) == (41, 71)


async def test_a_dry_run_patches_nothing(api: API) -> None:
    created = await api.post(CONFIG_MAPS, config_map("a"))
    before = api.revision
    tried = await api.merge(f"{CONFIG_MAPS}/a?dryRun=All", {"data": {"k": "v"}})
    assert (tried.status, tried.body["data"], tried.version) == (200, {"k": "v"}, created.version)
    assert api.revision == before
    assert (await api.get(f"{CONFIG_MAPS}/a")).data == created.data


async def test_a_patch_of_a_custom_resource_is_validated(api: API) -> None:
    await api.post(CRON_TABS, cron_tab("a", spec={"replicas": 1}))
    refused = await api.merge(f"{CRON_TABS}/a", {"spec": {"replicas": "many"}})
    assert refused.error[:2] == (422, "Invalid")
    assert refused.message.startswith('CronTab.stable.example.com "a" is invalid: spec.replicas: ')


async def test_a_patch_does_not_skip_what_a_kind_keeps(api: API) -> None:
    await api.post(PODS, pod("a", node="n"))
    refused = await api.merge(f"{PODS}/a", {"spec": {"nodeName": "m"}})
    assert refused.message == 'Pod "a" is invalid: spec.nodeName: Invalid value: "m": field is immutable'


@pytest.mark.parametrize("content_type", ["text/plain", "application/json", ""])
async def test_a_patch_needs_a_content_type_that_says_what_it_is(api: API, content_type: str) -> None:
    await api.post(CONFIG_MAPS, config_map("a"))
    refused = await api.send("PATCH", f"{CONFIG_MAPS}/a", raw=b"{}", content_type=content_type)
    assert refused.error[:2] == (415, "UnsupportedMediaType")
    await api.post(CRON_TABS, cron_tab("a"))
    refused = await api.send("PATCH", f"{CRON_TABS}/a", raw=b"{}", content_type=content_type)
    assert refused.error == (
        415,
        "UnsupportedMediaType",
        (
            "the body of the request was in an unknown format - accepted media types include: "
            "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml"
        ),
    )


async def test_a_character_set_in_the_content_type_is_of_no_matter(api: API) -> None:
    await api.post(CONFIG_MAPS, config_map("a"))
    patched = await api.send("PATCH", f"{CONFIG_MAPS}/a", raw=b"{}", content_type=f"{MERGE}; charset=utf-8")
    assert patched.status == 200


async def test_force_is_for_apply_alone(api: API) -> None:
    refused = await api.merge(f"{CONFIG_MAPS}/a?force=true", {})
    assert refused.error == (
        422,
        "Invalid",
        'PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch',
    )
