"""Server-side apply: a manager says what it wants, and the server sees who else wants something."""

from __future__ import annotations

from typing import Any

import pytest

from tests.integration.api.talk import API, Reply
from tests.integration.api.test_field_managers import managers
from tests.integration.api.toys import CONFIG_MAPS, CRON_TABS, NEW_SHIRTS, OLD_SHIRTS, config_map, cron_tab

APPLY = "application/apply-patch+yaml"
PATH = f"{CONFIG_MAPS}/a"


async def apply(api: API, path: str, body: Any, manager: str = "m", query: str = "") -> Reply:
    return await api.send("PATCH", f"{path}?fieldManager={manager}{query}", body, content_type=APPLY)


async def test_apply_creates_changes_and_takes_back(api: API) -> None:
    created = await apply(api, PATH, config_map("a", data={"k": "v", "l": "w"}))
    assert created.status == 201
    assert managers(created.body) == {"m": {"f:data": {"f:k": {}, "f:l": {}}}}
    changed = await apply(api, PATH, config_map("a", data={"k": "x"}))
    assert (changed.status, changed.body["data"]) == (200, {"k": "x"})


async def test_to_apply_again_writes_nothing(api: API) -> None:
    created = await apply(api, PATH, config_map("a", data={"k": "v"}))
    before = api.revision
    assert (await apply(api, PATH, config_map("a", data={"k": "v"}))).data == created.data
    assert api.revision == before


async def test_a_configuration_may_be_yaml(api: API) -> None:
    text = b"# mine\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  k: 'v'\n"
    created = await api.send("PATCH", f"{PATH}?fieldManager=m", raw=text, content_type=APPLY)
    assert (created.status, created.body["data"]) == (201, {"k": "v"})


async def test_what_another_manager_owns_is_a_conflict_until_it_is_forced(api: API) -> None:
    await api.post(f"{CONFIG_MAPS}?fieldManager=one", config_map("a", data={"k": "v"}))
    refused = await apply(api, PATH, config_map("a", data={"k": "x"}), "two")
    message = 'Apply failed with 1 conflict: conflict with "one" using v1: .data.k'
    assert refused.error == (409, "Conflict", message)
    cause = {"reason": "FieldManagerConflict", "message": 'conflict with "one" using v1', "field": ".data.k"}
    assert refused.body["details"] == {"causes": [cause]}
    forced = await apply(api, PATH, config_map("a", data={"k": "x"}), "two", "&force=true")
    assert managers(forced.body) == {"one": {"f:data": {}}, "two": {"f:data": {"f:k": {}}}}


async def test_a_dry_run_of_an_apply_stores_nothing(api: API) -> None:
    tried = await apply(api, PATH, config_map("a", data={"k": "v"}), query="&dryRun=All")
    assert (tried.status, tried.body["data"]) == (201, {"k": "v"})
    assert (await api.get(PATH)).status == 404


async def test_status_is_applied_below_its_object_and_never_creates_it(api: API) -> None:
    refused = await apply(api, f"{CRON_TABS}/a/status", cron_tab("a", status={"phase": "Up"}))
    assert refused.error[:2] == (404, "NotFound")
    await apply(api, f"{CRON_TABS}/a", cron_tab("a", spec={"cron": "x"}, status={"phase": "Up"}))
    applied = await apply(api, f"{CRON_TABS}/a/status", cron_tab("a", spec={"cron": "y"}, status={"phase": "Up"}))
    assert (applied.body["spec"]["cron"], applied.body["status"]) == ("x", {"phase": "Up"})
    assert managers(applied.body) == {"m": {"f:spec": {"f:cron": {}}}, "m/status": {"f:status": {"f:phase": {}}}}


async def test_a_configuration_of_another_version_is_still_the_managers(api: API) -> None:
    old = {"apiVersion": "wardrobe.example.com/v1alpha1", "kind": "Shirt", "metadata": {"name": "s"}}
    new = {"apiVersion": "wardrobe.example.com/v1", "kind": "Shirt", "metadata": {"name": "s"}}
    await apply(api, f"{OLD_SHIRTS}/s", old | {"spec": {"size": "50x60"}})
    applied = await apply(api, f"{NEW_SHIRTS}/s", new | {"spec": {"width": 50}})
    assert applied.body["spec"]["width"] == 50
    assert managers(applied.body) == {"m": {"f:spec": {"f:width": {}}}}


@pytest.mark.parametrize(
    ("body", "code", "message"),
    [
        (b"this: [is not", 400, "error encoding patch: yaml: line 1: did not find expected ',' or ']'"),
        (
            b'{"a": 1',
            400,
            "error decoding patch: error converting YAML to JSON: yaml: line 1: did not find expected ',' or '}'",
        ),
        (
            b"- a",
            400,
            (
                "error decoding patch: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into "
                "Go value of type map[string]interface {}"
            ),
        ),
        (b"", 400, "invalid object type: /, Kind="),
        (b'{"kind":"ConfigMap"}', 400, "invalid object type: /, Kind=ConfigMap"),
        (
            b'{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"b"}}',
            400,
            "the name of the object (b) does not match the name on the URL (a)",
        ),
        (
            b'{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","namespace":"x"}}',
            400,
            "the namespace of the provided object does not match the namespace sent on the request",
        ),
        (
            b'{"kind":"ConfigMap","apiVersion":"v1","metadata":{"managedFields":[]}}',
            400,
            "metadata.managedFields must be nil",
        ),
        (
            b'{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"},"nope":1}',
            500,
            "failed to create typed patch object (/a; /v1, Kind=ConfigMap): .nope: field not declared in schema",
        ),
        (
            b'{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","uid":"u"}}',
            409,
            (
                'Operation cannot be fulfilled on configmaps "a": uid mismatch: the provided object specified uid u, '
                "and no existing object was found"
            ),
        ),
    ],
)
async def test_a_configuration_that_is_none_is_told_so(api: API, body: bytes, code: int, message: str) -> None:
    refused = await api.send("PATCH", f"{PATH}?fieldManager=m", raw=body, content_type=APPLY)
    assert (refused.status, refused.message) == (code, message)


async def test_who_applies_must_have_a_name(api: API) -> None:
    refused = await api.send("PATCH", PATH, config_map("a"), content_type=APPLY)
    message = 'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch'
    assert refused.error == (422, "Invalid", message)


async def test_a_key_that_comes_twice_is_warned_about_or_refused(api: API) -> None:
    text = b"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  k: v\n  k: w\n"
    problem = 'error converting YAML to JSON: yaml: unmarshal errors:\n  line 6: key "k" already set in map'
    strict = f"{PATH}?fieldManager=m&fieldValidation=Strict"
    refused = await api.send("PATCH", strict, raw=text, content_type=APPLY)
    assert refused.error == (400, "BadRequest", f"error strict decoding patch: {problem}")
    warned = await api.send("PATCH", f"{PATH}?fieldManager=m", raw=text, content_type=APPLY)
    assert (warned.status, warned.body["data"]) == (201, {"k": "w"})
    assert warned.warnings == [r'299 - "line 6: key \"k\" already set in map"']


async def test_a_patch_of_what_is_not_there_creates_only_by_apply(api: API) -> None:
    for content_type in ("application/merge-patch+json", "application/strategic-merge-patch+json"):
        refused = await api.send("PATCH", PATH, config_map("a"), content_type=content_type)
        assert refused.error == (404, "NotFound", 'configmaps "a" not found')
