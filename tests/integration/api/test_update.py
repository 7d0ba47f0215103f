"""Update: against what the client saw, and never more than it may change."""

from __future__ import annotations

from typing import Any

import pytest

from tests.integration.api.talk import API
from tests.integration.api.toys import (
    CONFIG_MAPS,
    CRON_TABS,
    LEASES,
    NEW_SHIRTS,
    OLD_SHIRTS,
    PODS,
    config_map,
    cron_tab,
    pod,
)

MODIFIED = "the object has been modified; please apply your changes to the latest version and try again"


async def test_an_update_with_the_version_that_was_seen_is_written(api: API) -> None:
    created = (await api.post(CONFIG_MAPS, config_map("a", data={"k": "v"}))).body
    updated = await api.put(f"{CONFIG_MAPS}/a", created | {"data": {"k": "w"}})
    assert updated.status == 200
    assert updated.body["data"] == {"k": "w"}
    assert updated.body["metadata"]["uid"] == created["metadata"]["uid"]
    assert updated.version == str(api.revision) != created["metadata"]["resourceVersion"]
    assert (await api.get(f"{CONFIG_MAPS}/a")).data == updated.data


async def test_a_version_that_is_no_longer_true_is_a_conflict(api: API) -> None:
    created = (await api.post(CONFIG_MAPS, config_map("a"))).body
    await api.put(f"{CONFIG_MAPS}/a", created | {"data": {"k": "1"}})
    before = api.revision
    refused = await api.put(f"{CONFIG_MAPS}/a", created | {"data": {"k": "2"}})
    assert refused.error == (409, "Conflict", f'Operation cannot be fulfilled on configmaps "a": {MODIFIED}')
    assert refused.body["details"] == {"name": "a", "kind": "configmaps"}
    assert api.revision == before


async def test_a_conflict_names_the_group(api: API) -> None:
    created = (await api.post(CRON_TABS, cron_tab("a"))).body
    created["metadata"]["resourceVersion"] = "1"
    refused = await api.put(f"{CRON_TABS}/a", created)
    assert refused.message == f'Operation cannot be fulfilled on crontabs.stable.example.com "a": {MODIFIED}'
    assert refused.body["details"] == {"name": "a", "group": "stable.example.com", "kind": "crontabs"}


async def test_without_a_version_a_kind_that_allows_it_is_overwritten(api: API) -> None:
    await api.post(CONFIG_MAPS, config_map("a", data={"k": "v"}))
    updated = await api.put(f"{CONFIG_MAPS}/a", config_map("a", data={"l": "w"}))
    assert (updated.status, updated.body["data"]) == (200, {"l": "w"})


@pytest.mark.parametrize("metadata", [{}, {"resourceVersion": ""}, {"resourceVersion": "0"}])
async def test_without_a_version_another_kind_is_refused(api: API, metadata: dict[str, Any]) -> None:
    await api.post(CRON_TABS, cron_tab("a"))
    refused = await api.put(f"{CRON_TABS}/a", cron_tab("a", metadata=metadata))
    assert refused.error == (
        422,
        "Invalid",
        (
            'crontabs.stable.example.com "a" is invalid: metadata.resourceVersion: Invalid value: 0: must be '
            "specified for "
            "an update"
        ),
    )
    assert refused.body["details"]["kind"] == "crontabs"


async def test_a_version_that_is_no_number_is_refused_in_gos_words(api: API) -> None:
    await api.post(CONFIG_MAPS, config_map("a"))
    refused = await api.put(f"{CONFIG_MAPS}/a", config_map("a", metadata={"resourceVersion": "abc"}))
    assert refused.error == (500, "", 'strconv.ParseUint: parsing "abc": invalid syntax')


async def test_an_object_that_is_not_there_is_not_found(api: API) -> None:
    refused = await api.put(f"{CONFIG_MAPS}/a", config_map("a"))
    assert refused.error == (404, "NotFound", 'configmaps "a" not found')
    assert refused.body["details"] == {"name": "a", "kind": "configmaps"}


async def test_a_kind_that_allows_it_is_created_by_an_update(api: API) -> None:
    sent = {"metadata": {"name": "a", "resourceVersion": "5", "creationTimestamp": "2001-01-01T00:00:00Z"}}
    created = await api.put(f"{LEASES}/a", sent)
    assert created.status == 201
    assert created.version == str(api.revision)
    assert created.body["metadata"]["namespace"] == "default"
    assert created.body["metadata"]["creationTimestamp"] != "2001-01-01T00:00:00Z"


@pytest.mark.parametrize(("query", "root"), [("", "/registry"), ("?dryRun=All", "")])
async def test_a_uid_in_an_update_means_that_the_object_was_there(api: API, query: str, root: str) -> None:
    before = api.revision
    refused = await api.put(f"{LEASES}/a{query}", {"metadata": {"name": "a", "uid": "u"}})
    assert refused.error == (
        409,
        "Conflict",
        (
            'Operation cannot be fulfilled on leases.coordination.example.com "a": StorageError: invalid object, '
            f"Code: 4, Key: {root}/coordination.example.com/leases/default/a, ResourceVersion: 0, "
            "AdditionalErrorMsg: Precondition failed: UID in precondition: u, UID in object meta: "
        ),
    )
    assert api.revision == before


async def test_an_update_of_another_uid_is_a_conflict(api: API) -> None:
    uid = (await api.post(CONFIG_MAPS, config_map("a"))).body["metadata"]["uid"]
    refused = await api.put(f"{CONFIG_MAPS}/a", config_map("a", metadata={"uid": "u"}))
    assert refused.error == (
        409,
        "Conflict",
        (
            'Operation cannot be fulfilled on configmaps "a": StorageError: invalid object, Code: 4, '
            "Key: /registry/configmaps/default/a, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: "
            f"UID in precondition: u, UID in object meta: {uid}"
        ),
    )


async def test_a_write_that_changes_nothing_writes_nothing(api: API) -> None:
    created = await api.post(CONFIG_MAPS, config_map("a", data={"k": "v"}))
    before = api.revision
    same = await api.put(f"{CONFIG_MAPS}/a", created.body)
    unconditional = await api.put(f"{CONFIG_MAPS}/a", config_map("a", data={"k": "v"}))
    assert same.data == unconditional.data == created.data
    assert api.revision == before


async def test_nothing_changes_when_the_same_thing_is_said_in_another_version(api: API) -> None:
    await api.post(OLD_SHIRTS, {"metadata": {"name": "a"}, "spec": {"size": "40x70"}})
    before = api.revision
    seen = (await api.get(f"{OLD_SHIRTS}/a")).body
    assert (await api.put(f"{OLD_SHIRTS}/a", seen)).status == 200
    assert api.revision == before
    changed = (await api.get(f"{NEW_SHIRTS}/a")).body
    changed["spec"]["width"] = 41
    assert (await api.put(f"{NEW_SHIRTS}/a", changed)).status == 200
    assert (await api.get(f"{OLD_SHIRTS}/a")).body["spec"] == {"size": "41x70"}


async def test_the_times_and_the_generation_of_an_object_stay_what_they_were(api: API) -> None:
    created = (await api.post(PODS, pod("a"))).body
    changed = created | {
        "metadata": created["metadata"]
        | {"creationTimestamp": "2001-01-01T00:00:00Z", "generation": 77, "labels": {"a": "b"}}
    }
    metadata = (await api.put(f"{PODS}/a", changed)).body["metadata"]
    assert metadata["creationTimestamp"] == created["metadata"]["creationTimestamp"]
    assert metadata["generation"] == 1
    assert metadata["labels"] == {"a": "b"}


async def test_nobody_can_mark_an_object_as_being_deleted_by_an_update(api: API) -> None:
    await api.post(CONFIG_MAPS, config_map("a"))
    metadata = {"deletionTimestamp": "2001-01-01T00:00:00Z", "deletionGracePeriodSeconds": 3}
    refused = await api.put(f"{CONFIG_MAPS}/a", config_map("a", metadata=metadata))
    assert refused.error[:2] == (422, "Invalid")
    assert "metadata.deletionTimestamp: Invalid value:" in refused.message
    assert "metadata.deletionGracePeriodSeconds: Invalid value: 3: field is immutable" in refused.message


async def test_the_generation_grows_with_the_content_and_with_nothing_else(api: API) -> None:
    created = (await api.post(CRON_TABS, cron_tab("a", spec={"cron": "x"}))).body
    labelled = created | {"metadata": created["metadata"] | {"labels": {"a": "b"}}}
    labelled = (await api.put(f"{CRON_TABS}/a", labelled)).body
    assert labelled["metadata"]["generation"] == 1
    changed = (await api.put(f"{CRON_TABS}/a", labelled | {"spec": {"cron": "y"}})).body
    assert changed["metadata"]["generation"] == 2


async def test_a_field_that_must_stay_is_told_by_the_kind(api: API) -> None:
    await api.post(PODS, pod("a", node="n"))
    refused = await api.put(f"{PODS}/a", pod("a", node="m"))
    assert refused.error == (
        422,
        "Invalid",
        'Pod "a" is invalid: spec.nodeName: Invalid value: "m": field is immutable',
    )


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        ({"name": "b"}, "the name of the object (b) does not match the name on the URL (a)"),
        ({}, "the name of the object (a based on URL) was undeterminable: name must be provided"),
        (
            {"name": "a", "namespace": "other"},
            "the namespace of the provided object does not match the namespace sent on the request",
        ),
    ],
)
async def test_the_body_names_what_the_url_names(api: API, metadata: dict[str, Any], message: str) -> None:
    await api.post(CONFIG_MAPS, config_map("a"))
    assert (await api.put(f"{CONFIG_MAPS}/a", {"metadata": metadata})).error == (400, "BadRequest", message)


async def test_a_dry_run_answers_with_the_change_and_keeps_the_version(api: API) -> None:
    created = await api.post(CONFIG_MAPS, config_map("a", data={"k": "v"}))
    before = api.revision
    tried = await api.put(f"{CONFIG_MAPS}/a?dryRun=All", config_map("a", data={"k": "w"}))
    assert (tried.status, tried.body["data"], tried.version) == (200, {"k": "w"}, created.version)
    assert api.revision == before
    assert (await api.get(f"{CONFIG_MAPS}/a")).data == created.data


async def test_a_dry_run_of_a_create_by_update_creates_nothing(api: API) -> None:
    before = api.revision
    assert (await api.put(f"{LEASES}/a?dryRun=All", {"metadata": {"name": "a"}})).status == 201
    assert (await api.put(f"{CONFIG_MAPS}/a?dryRun=All", config_map("a"))).status == 404
    assert api.revision == before


async def test_a_dry_run_sees_a_conflict(api: API) -> None:
    await api.post(CONFIG_MAPS, config_map("a"))
    stale = config_map("a", metadata={"resourceVersion": "1"})
    assert (await api.put(f"{CONFIG_MAPS}/a?dryRun=All", stale)).error[:2] == (409, "Conflict")


async def test_what_is_wrong_with_an_object_is_told_after_whether_it_is_there(api: API) -> None:
    """Validation belongs to the write: what is not there is not found, however wrong its new form is."""
    wrong = cron_tab("a", spec={"replicas": -1}, metadata={"resourceVersion": "1"})
    assert (await api.put(f"{CRON_TABS}/a", wrong)).error[:2] == (404, "NotFound")
