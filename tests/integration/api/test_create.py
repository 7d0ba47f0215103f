"""Create: what the server fills in, what it wipes, and what it refuses."""

from __future__ import annotations

import re
import uuid
from typing import Any

import pytest

from localplane.apiserver.registry import create as creating
from tests.integration.api.talk import API
from tests.integration.api.toys import CONFIG_MAPS, CRON_TABS, PODS, config_map, cron_tab, pod


async def test_a_created_object_is_answered_with_what_the_server_added(api: API) -> None:
    created = await api.post(CONFIG_MAPS, config_map("a", data={"k": "v"}))
    assert created.status == 201
    metadata = created.body["metadata"]
    assert uuid.UUID(metadata["uid"]).version == 4
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", metadata["creationTimestamp"])
    assert metadata["resourceVersion"] == str(api.revision)
    assert metadata["namespace"] == "default"
    assert created.body["data"] == {"k": "v"}
    assert (await api.get(f"{CONFIG_MAPS}/a")).data == created.data


async def test_a_kind_that_tracks_its_generation_begins_with_one(api: API) -> None:
    assert (await api.post(PODS, pod("a", metadata={"generation": 9}))).body["metadata"]["generation"] == 1


async def test_what_only_the_server_writes_is_wiped(api: API) -> None:
    sent = {
        "uid": "u",
        "creationTimestamp": "2001-01-01T00:00:00Z",
        "deletionTimestamp": "2001-01-01T00:00:00Z",
        "deletionGracePeriodSeconds": 5,
        "selfLink": "/x",
        "managedFields": [{"manager": "m", "operation": "Update", "apiVersion": "v1"}],
    }
    metadata = (await api.post(CONFIG_MAPS, config_map("a", metadata=sent))).body["metadata"]
    assert set(metadata) == {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"}
    assert (metadata["uid"], metadata["creationTimestamp"]) != (sent["uid"], sent["creationTimestamp"])


async def test_a_status_with_a_subresource_of_its_own_is_dropped(api: API) -> None:
    created = await api.post(CRON_TABS, cron_tab("a", status={"phase": "Up"}))
    assert "status" not in created.body
    assert (await api.post(PODS, pod("a", status={"phase": "Running"}))).body["status"] == {"phase": "Pending"}


async def test_a_name_that_is_taken_is_a_conflict(api: API) -> None:
    first = await api.post(CONFIG_MAPS, config_map("a"))
    again = await api.post(CONFIG_MAPS, config_map("a", data={"k": "v"}))
    assert again.error == (409, "AlreadyExists", 'configmaps "a" already exists')
    assert again.body["details"] == {"name": "a", "kind": "configmaps"}
    assert (await api.get(f"{CONFIG_MAPS}/a")).data == first.data


async def test_an_error_names_the_group_of_its_resource(api: API) -> None:
    await api.post(CRON_TABS, cron_tab("a"))
    again = await api.post(CRON_TABS, cron_tab("a"))
    assert again.message == 'crontabs.stable.example.com "a" already exists'
    assert again.body["details"] == {"name": "a", "group": "stable.example.com", "kind": "crontabs"}


async def test_a_name_that_is_being_deleted_is_told_as_such(api: API) -> None:
    await api.post(CONFIG_MAPS, config_map("a", metadata={"finalizers": ["example.com/f"]}))
    await api.delete(f"{CONFIG_MAPS}/a")
    again = await api.post(CONFIG_MAPS, config_map("a"))
    assert again.error == (409, "AlreadyExists", 'object is being deleted: configmaps "a" already exists')


async def test_a_generated_name_has_five_characters_after_the_prefix(api: API) -> None:
    created = await api.post(CONFIG_MAPS, {"metadata": {"generateName": "a-"}})
    assert created.status == 201
    assert re.fullmatch("a-[bcdfghjklmnpqrstvwxz2456789]{5}", created.body["metadata"]["name"])
    assert created.body["metadata"]["generateName"] == "a-"


async def test_a_long_prefix_is_cut(api: API) -> None:
    created = await api.post(CONFIG_MAPS, {"metadata": {"generateName": "x" * 80}})
    name = created.body["metadata"]["name"]
    assert len(name) == 63
    assert name.startswith("x" * 58)


async def test_a_name_beats_a_prefix(api: API) -> None:
    created = await api.post(CONFIG_MAPS, config_map("a", metadata={"generateName": "b-"}))
    assert created.body["metadata"]["name"] == "a"


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names that will be generated, in their order."""
    coming: list[str] = []
    monkeypatch.setattr(creating, "generate_name", lambda _: coming.pop(0))
    return coming


async def test_a_generated_name_that_is_taken_is_tried_again(api: API, names: list[str]) -> None:
    await api.post(CONFIG_MAPS, config_map("a-1"))
    names += ["a-1", "a-1", "a-2"]
    created = await api.post(CONFIG_MAPS, {"metadata": {"generateName": "a-"}})
    assert (created.status, created.body["metadata"]["name"]) == (201, "a-2")


async def test_after_eight_taken_names_the_server_gives_up(api: API, names: list[str]) -> None:
    await api.post(CRON_TABS, cron_tab("a-1"))
    names += ["a-1"] * 8 + ["never"]
    body = cron_tab("", metadata={"generateName": "a-"})
    refused = await api.post(CRON_TABS, body)
    assert refused.error == (
        409,
        "AlreadyExists",
        (
            'crontabs.stable.example.com "a-1" already exists, the server was not able to generate a unique name for '
            "the "
            "object"
        ),
    )
    assert refused.body["details"] == {
        "name": "a-1",
        "group": "stable.example.com",
        "kind": "crontabs",
        "retryAfterSeconds": 1,
    }
    assert refused.headers["Retry-After"] == "1"
    assert names == ["never"]


async def test_a_dry_run_stores_nothing_but_answers_as_if_it_did(api: API) -> None:
    before = api.revision
    tried = await api.post(f"{CONFIG_MAPS}?dryRun=All", config_map("a", data={"k": "v"}))
    assert tried.status == 201
    assert tried.body["data"] == {"k": "v"}
    assert uuid.UUID(tried.body["metadata"]["uid"])
    assert "resourceVersion" not in tried.body["metadata"]
    assert api.revision == before
    assert (await api.get(f"{CONFIG_MAPS}/a")).status == 404


async def test_a_dry_run_sees_that_a_name_is_taken(api: API) -> None:
    await api.post(CONFIG_MAPS, config_map("a"))
    assert (await api.post(f"{CONFIG_MAPS}?dryRun=All", config_map("a"))).error[:2] == (409, "AlreadyExists")


async def test_a_resource_version_on_create_is_refused(api: API) -> None:
    before = api.revision
    refused = await api.post(CONFIG_MAPS, config_map("a", metadata={"resourceVersion": "12"}))
    assert refused.error == (500, "", "resourceVersion should not be set on objects to be created")
    assert "details" not in refused.body
    assert api.revision == before


async def test_an_object_needs_a_name(api: API) -> None:
    refused = await api.post(CONFIG_MAPS, {})
    assert refused.error == (
        422,
        "Invalid",
        'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
    )
    assert refused.body["details"]["causes"] == [
        {
            "reason": "FieldValueRequired",
            "message": "Required value: name or generateName is required",
            "field": "metadata.name",
        }
    ]


SUBDOMAIN = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    r"'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)


async def test_a_name_that_is_no_subdomain_is_invalid(api: API) -> None:
    refused = await api.post(CONFIG_MAPS, config_map("Foo_"))
    assert refused.error == (
        422,
        "Invalid",
        f'ConfigMap "Foo_" is invalid: metadata.name: Invalid value: "Foo_": {SUBDOMAIN}',
    )
    assert refused.body["details"]["name"] == "Foo_"
    assert refused.body["details"]["kind"] == "ConfigMap"


@pytest.mark.parametrize("name", ["a" * 254, "a\x00b", "a b", "a😀b", "..", "a/b", "a%b"])
async def test_no_name_that_is_no_subdomain_is_stored(api: API, name: str) -> None:
    before = api.revision
    assert (await api.post(CONFIG_MAPS, config_map(name))).error[:2] == (422, "Invalid")
    assert api.revision == before


async def test_a_kind_without_rules_of_its_own_still_needs_a_name_that_fits_a_path(api: API) -> None:
    refused = await api.post("/api/v1/nodes", {"metadata": {"name": "a/b"}})
    assert refused.error == (
        422,
        "Invalid",
        'Node "a/b" is invalid: metadata.name: Invalid value: "a/b": may not contain \'/\'',
    )


@pytest.mark.parametrize(
    ("metadata", "problem"),
    [
        (
            {"labels": {"k": "a b"}},
            (
                'metadata.labels: Invalid value: "a b": a valid label must be an empty string or consist of '
                "alphanumeric "
                "characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue', "
                " or "
                "'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
            ),
        ),
        (
            {"annotations": {"k": "x" * 262144}},
            "metadata.annotations: Too long: may not be more than 262144 bytes",
        ),
        ({"ownerReferences": [{"apiVersion": "v1", "kind": "A", "uid": "u"}]}, "metadata.ownerReferences[0].name: "),
        ({"finalizers": ["a b"]}, 'metadata.finalizers: Invalid value: "a b": '),
    ],
)
async def test_metadata_is_checked(api: API, metadata: dict[str, Any], problem: str) -> None:
    refused = await api.post(CONFIG_MAPS, config_map("a", metadata=metadata))
    assert refused.error[:2] == (422, "Invalid")
    assert refused.message.startswith(f'ConfigMap "a" is invalid: {problem}')


async def test_all_that_is_wrong_is_told_at_once(api: API) -> None:
    refused = await api.post(CONFIG_MAPS, config_map("A", metadata={"labels": {"k": "a b", "-": ""}}))
    assert refused.message.startswith('ConfigMap "A" is invalid: [metadata.name: ')
    assert [cause["field"] for cause in refused.body["details"]["causes"]] == [
        "metadata.name",
        "metadata.labels",
        "metadata.labels",
    ]


async def test_the_namespace_of_the_url_is_the_objects(api: API) -> None:
    created = await api.post("/api/v1/namespaces/other/configmaps", config_map("a"))
    assert created.body["metadata"]["namespace"] == "other"


async def test_another_namespace_in_the_body_is_refused(api: API) -> None:
    refused = await api.post(CONFIG_MAPS, config_map("a", metadata={"namespace": "other"}))
    assert refused.error == (
        400,
        "BadRequest",
        "the namespace of the provided object does not match the namespace sent on the request",
    )


async def test_a_namespace_on_a_cluster_scoped_object_is_dropped(api: API) -> None:
    created = await api.post("/api/v1/nodes", {"metadata": {"name": "a", "namespace": "default"}})
    assert created.status == 201
    assert "namespace" not in created.body["metadata"]


async def test_an_owner_that_is_named_twice_is_kept_once(api: API) -> None:
    owner = {"apiVersion": "v1", "kind": "Node", "name": "n", "uid": "u"}
    other = owner | {"uid": "w"}
    created = await api.post(CONFIG_MAPS, config_map("a", metadata={"ownerReferences": [owner, other, owner]}))
    assert created.body["metadata"]["ownerReferences"] == [owner, other]
    assert created.warnings == [
        (
            '299 - ".metadata.ownerReferences contains duplicate entries; API server dedups owner references in '
            "1.20+, and "
            'may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: u"'
        )
    ]
