"""Delete: what it answers, what it asks first, and what becomes of dependents."""

from __future__ import annotations

from typing import Any

import pytest

from tests.integration.api.talk import API, named
from tests.integration.api.toys import CONFIG_MAPS, CRON_TABS, JOBS, PODS, config_map, cron_tab, pod

FINALIZER = {"finalizers": ["example.com/f"]}


async def test_a_deleted_object_is_gone_and_the_answer_says_which(api: API) -> None:
    created = (await api.post(CRON_TABS, cron_tab("a"))).body
    deleted = await api.delete(f"{CRON_TABS}/a")
    assert deleted.status == 200
    assert deleted.body == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Success",
        "details": {
            "name": "a",
            "group": "stable.example.com",
            "kind": "crontabs",
            "uid": created["metadata"]["uid"],
        },
    }
    assert (await api.get(f"{CRON_TABS}/a")).status == 404


async def test_some_kinds_answer_with_the_object_that_went(api: API) -> None:
    created = (await api.post("/api/v1/namespaces", {"metadata": {"name": "n"}})).body
    deleted = await api.delete("/api/v1/namespaces/n")
    assert (deleted.status, deleted.body["kind"]) == (200, "Namespace")
    assert deleted.body["metadata"]["uid"] == created["metadata"]["uid"]
    assert deleted.version == str(api.revision)


async def test_what_is_not_there_is_not_found(api: API) -> None:
    for query in ("", "?dryRun=All"):
        refused = await api.delete(f"{CONFIG_MAPS}/a{query}")
        assert refused.error == (404, "NotFound", 'configmaps "a" not found')


@pytest.mark.parametrize(
    "options",
    [
        {"url": "?dryRun=All"},
        {"body": {"kind": "DeleteOptions", "apiVersion": "v1", "dryRun": ["All"]}},
        {"body": {"kind": "DeleteOptions", "apiVersion": "meta.k8s.io/v1", "dryRun": ["All"]}},
        {"body": {"kind": "DeleteOptions", "apiVersion": "stable.example.com/v1", "dryRun": ["All"]}},
        {"body": {"dryRun": ["All"]}},
    ],
)
async def test_a_dry_run_deletes_nothing(api: API, options: dict[str, Any]) -> None:
    created = await api.post(CONFIG_MAPS, config_map("a"))
    before = api.revision
    tried = await api.delete(f"{CONFIG_MAPS}/a{options.get('url', '')}", options.get("body"))
    assert (tried.status, tried.body["status"]) == (200, "Success")
    assert tried.body["details"]["uid"] == created.body["metadata"]["uid"]
    assert api.revision == before
    assert (await api.get(f"{CONFIG_MAPS}/a")).data == created.data


async def test_options_in_yaml_are_read(api: API) -> None:
    await api.post(CONFIG_MAPS, config_map("a"))
    tried = await api.delete(f"{CONFIG_MAPS}/a", raw=b"dryRun: [All]\n", content_type="application/yaml")
    assert tried.status == 200
    assert (await api.get(f"{CONFIG_MAPS}/a")).status == 200


async def test_a_body_counts_more_than_a_query(api: API) -> None:
    await api.post(CONFIG_MAPS, config_map("a"))
    assert (await api.delete(f"{CONFIG_MAPS}/a?dryRun=All", {"gracePeriodSeconds": 0})).status == 200
    assert (await api.get(f"{CONFIG_MAPS}/a")).status == 404


@pytest.mark.parametrize("in_query", [True, False])
async def test_a_uid_that_is_not_the_objects_is_a_conflict(api: API, *, in_query: bool) -> None:
    uid = (await api.post(CRON_TABS, cron_tab("a"))).body["metadata"]["uid"]
    before = api.revision
    query, body = ("?uid=u", None) if in_query else ("", {"preconditions": {"uid": "u"}})
    refused = await api.delete(f"{CRON_TABS}/a{query}", body)
    assert refused.error == (
        409,
        "Conflict",
        (
            'Operation cannot be fulfilled on CronTab.stable.example.com "a": the UID in the precondition (u) does '
            "not "
            f"match the UID in record ({uid}). The object might have been deleted and then recreated"
        ),
    )
    assert refused.body["details"] == {"name": "a", "group": "stable.example.com", "kind": "CronTab"}
    assert api.revision == before


@pytest.mark.parametrize("in_query", [True, False])
async def test_a_version_that_is_not_the_objects_is_a_conflict(api: API, *, in_query: bool) -> None:
    version = (await api.post(CONFIG_MAPS, config_map("a"))).version
    query, body = ("?resourceVersion=1", None) if in_query else ("", {"preconditions": {"resourceVersion": "1"}})
    refused = await api.delete(f"{CONFIG_MAPS}/a{query}", body)
    assert refused.error == (
        409,
        "Conflict",
        (
            'Operation cannot be fulfilled on ConfigMap "a": the ResourceVersion in the precondition (1) does not '
            "match "
            f"the ResourceVersion in record ({version}). The object might have been modified"
        ),
    )


async def test_preconditions_that_hold_let_it_go(api: API) -> None:
    created = await api.post(CONFIG_MAPS, config_map("a"))
    preconditions = {"uid": created.body["metadata"]["uid"], "resourceVersion": created.version}
    assert (await api.delete(f"{CONFIG_MAPS}/a", {"preconditions": preconditions})).status == 200


async def test_a_precondition_is_still_true_after_our_own_mark(api: API) -> None:
    """A pod without a node is marked first and then removed, in one request."""
    created = await api.post(PODS, pod("a"))
    deleted = await api.delete(f"{PODS}/a", {"preconditions": {"resourceVersion": created.version}})
    assert deleted.status == 200
    assert (await api.get(f"{PODS}/a")).status == 404


@pytest.mark.parametrize(
    ("query", "message"),
    [
        (
            "propagationPolicy=Whatever",
            (
                'propagationPolicy: Unsupported value: "Whatever": supported values: "Foreground", "Background", '
                '"Orphan", '
                '"nil"'
            ),
        ),
        (
            "propagationPolicy=Orphan&orphanDependents=true",
            'propagationPolicy: Invalid value: "Orphan": orphanDependents and deletionPropagation cannot be both set',
        ),
        ("dryRun=yes", 'dryRun: Unsupported value: ["yes"]: supported values: "All"'),
    ],
)
async def test_options_are_checked(api: API, query: str, message: str) -> None:
    await api.post(CONFIG_MAPS, config_map("a"))
    refused = await api.delete(f"{CONFIG_MAPS}/a?{query}")
    assert refused.error == (422, "Invalid", f'DeleteOptions.meta.k8s.io "" is invalid: {message}')
    assert (await api.get(f"{CONFIG_MAPS}/a")).status == 200


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"nonsense", "couldn't get version/kind; json parse error: invalid character 'o' in literal null"),
        (b"[]", "couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type"),
        (b'{"kind":"ConfigMap","apiVersion":"v1"}', 'no kind "ConfigMap" is registered for version "v1" in scheme '),
        (
            b'{"gracePeriodSeconds":"x"}',
            "json: cannot unmarshal string into Go struct field DeleteOptions.gracePeriodSeconds of type int64",
        ),
        (
            b'{"preconditions":{"uid":5}}',
            "json: cannot unmarshal number into Go struct field Preconditions.preconditions.uid of type types.UID",
        ),
        (
            b'{"dryRun":"All"}',
            "json: cannot unmarshal string into Go struct field DeleteOptions.dryRun of type []string",
        ),
    ],
)
async def test_a_body_that_holds_no_options_is_a_bad_request(api: API, body: bytes, message: str) -> None:
    await api.post(CONFIG_MAPS, config_map("a"))
    refused = await api.delete(f"{CONFIG_MAPS}/a", raw=body)
    assert refused.error[:2] == (400, "BadRequest")
    assert refused.message.startswith(message)
    assert (await api.get(f"{CONFIG_MAPS}/a")).status == 200


async def test_a_number_in_the_query_must_be_one(api: API) -> None:
    await api.post(CONFIG_MAPS, config_map("a"))
    for text in ("abc", "", "1e3", "٣"):
        refused = await api.delete(f"{CONFIG_MAPS}/a?gracePeriodSeconds={text}")
        assert refused.error == (400, "BadRequest", f'strconv.ParseInt: parsing "{text}": invalid syntax')


async def test_a_finalizer_keeps_an_object_until_it_is_removed(api: API) -> None:
    created = await api.post(CRON_TABS, cron_tab("a", metadata=FINALIZER))
    deleted = await api.delete(f"{CRON_TABS}/a")
    metadata = deleted.body["metadata"]
    assert (deleted.status, deleted.body["kind"]) == (200, "CronTab")
    assert metadata["deletionTimestamp"] >= created.body["metadata"]["creationTimestamp"]
    assert metadata["deletionGracePeriodSeconds"] == 0
    assert metadata["generation"] == created.body["metadata"]["generation"] + 1
    assert (await api.get(f"{CRON_TABS}/a")).data == deleted.data
    emptied = await api.merge(f"{CRON_TABS}/a", {"metadata": {"finalizers": None}})
    assert emptied.status == 200
    assert emptied.body["metadata"]["uid"] == metadata["uid"]
    assert "finalizers" not in emptied.body["metadata"]
    assert (await api.get(f"{CRON_TABS}/a")).status == 404


async def test_removing_the_last_finalizer_by_put_deletes_too(api: API) -> None:
    await api.post(CONFIG_MAPS, config_map("a", metadata=FINALIZER))
    marked = (await api.delete(f"{CONFIG_MAPS}/a")).body
    del marked["metadata"]["finalizers"]
    assert (await api.put(f"{CONFIG_MAPS}/a", marked)).status == 200
    assert (await api.get(f"{CONFIG_MAPS}/a")).status == 404


async def test_a_dry_run_of_removing_the_last_finalizer_keeps_the_object(api: API) -> None:
    await api.post(CONFIG_MAPS, config_map("a", metadata=FINALIZER))
    await api.delete(f"{CONFIG_MAPS}/a")
    before = api.revision
    assert (await api.merge(f"{CONFIG_MAPS}/a?dryRun=All", {"metadata": {"finalizers": None}})).status == 200
    assert api.revision == before


async def test_removing_one_of_several_finalizers_deletes_nothing(api: API) -> None:
    await api.post(CONFIG_MAPS, config_map("a", metadata={"finalizers": ["example.com/f", "example.com/g"]}))
    await api.delete(f"{CONFIG_MAPS}/a")
    await api.merge(f"{CONFIG_MAPS}/a", {"metadata": {"finalizers": ["example.com/g"]}})
    assert (await api.get(f"{CONFIG_MAPS}/a")).body["metadata"]["finalizers"] == ["example.com/g"]


async def test_an_object_without_finalizers_may_be_emptied_without_being_deleted(api: API) -> None:
    await api.post(CONFIG_MAPS, config_map("a", metadata=FINALIZER))
    await api.merge(f"{CONFIG_MAPS}/a", {"metadata": {"finalizers": None}})
    assert (await api.get(f"{CONFIG_MAPS}/a")).status == 200


async def test_no_finalizer_comes_to_an_object_that_is_going(api: API) -> None:
    await api.post(CONFIG_MAPS, config_map("a", metadata=FINALIZER))
    await api.delete(f"{CONFIG_MAPS}/a")
    refused = await api.merge(f"{CONFIG_MAPS}/a", {"metadata": {"finalizers": ["example.com/f", "example.com/g"]}})
    assert refused.error == (
        422,
        "Invalid",
        (
            'ConfigMap "a" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if the object is '
            'being deleted, found new finalizers []string{"example.com/g"}'
        ),
    )


async def test_deleting_again_changes_nothing(api: API) -> None:
    await api.post(CONFIG_MAPS, config_map("a", metadata=FINALIZER))
    first = await api.delete(f"{CONFIG_MAPS}/a")
    before = api.revision
    again = await api.delete(f"{CONFIG_MAPS}/a")
    assert (again.status, again.data) == (200, first.data)
    assert api.revision == before


async def test_a_mark_cannot_be_taken_back(api: API) -> None:
    await api.post(CONFIG_MAPS, config_map("a", metadata=FINALIZER))
    marked = (await api.delete(f"{CONFIG_MAPS}/a")).body["metadata"]
    put = await api.put(f"{CONFIG_MAPS}/a", config_map("a", metadata=FINALIZER, data={"k": "v"}))
    assert put.status == 200
    for field in ("deletionTimestamp", "deletionGracePeriodSeconds"):
        assert put.body["metadata"][field] == marked[field]


@pytest.mark.parametrize(
    ("query", "status"),
    [("?orphanDependents=false", 202), ("?orphanDependents=true", 200), ("?propagationPolicy=Background", 200)],
)
async def test_who_asked_in_the_old_way_is_told_that_it_is_not_gone_yet(api: API, query: str, status: int) -> None:
    await api.post(CONFIG_MAPS, config_map("a", metadata=FINALIZER))
    assert (await api.delete(f"{CONFIG_MAPS}/a{query}")).status == status


async def test_what_is_gone_at_once_is_never_accepted_only(api: API) -> None:
    await api.post(CONFIG_MAPS, config_map("a"))
    assert (await api.delete(f"{CONFIG_MAPS}/a?orphanDependents=false")).status == 200


@pytest.mark.parametrize(
    ("query", "finalizers"),
    [
        ("propagationPolicy=Foreground", ["foregroundDeletion"]),
        ("propagationPolicy=Orphan", ["orphan"]),
        ("orphanDependents=true", ["orphan"]),
    ],
)
async def test_a_policy_is_told_to_the_garbage_collector(api: API, query: str, finalizers: list[str]) -> None:
    await api.post(CONFIG_MAPS, config_map("a"))
    deleted = await api.delete(f"{CONFIG_MAPS}/a?{query}")
    assert deleted.body["metadata"]["finalizers"] == finalizers
    assert deleted.body["metadata"]["deletionGracePeriodSeconds"] == 0
    assert (await api.get(f"{CONFIG_MAPS}/a")).data == deleted.data


@pytest.mark.parametrize("query", ["propagationPolicy=Background", "orphanDependents=false", ""])
async def test_in_the_background_nothing_has_to_be_waited_for(api: API, query: str) -> None:
    await api.post(CONFIG_MAPS, config_map("a"))
    assert (await api.delete(f"{CONFIG_MAPS}/a?{query}")).body["status"] == "Success"
    assert (await api.get(f"{CONFIG_MAPS}/a")).status == 404


async def test_a_kind_may_orphan_by_default(api: API) -> None:
    await api.post(JOBS, {"metadata": {"name": "a"}})
    assert (await api.delete(f"{JOBS}/a")).body["metadata"]["finalizers"] == ["orphan"]
    await api.post(JOBS, {"metadata": {"name": "b"}})
    assert (await api.delete(f"{JOBS}/b?propagationPolicy=Background")).body["status"] == "Success"


async def test_a_later_policy_replaces_an_earlier_one(api: API) -> None:
    await api.post(CONFIG_MAPS, config_map("a", metadata=FINALIZER))
    await api.delete(f"{CONFIG_MAPS}/a?propagationPolicy=Foreground")
    again = await api.delete(f"{CONFIG_MAPS}/a?propagationPolicy=Orphan")
    assert again.body["metadata"]["finalizers"] == ["example.com/f", "orphan"]
    last = await api.delete(f"{CONFIG_MAPS}/a")
    assert last.body["metadata"]["finalizers"] == ["example.com/f", "orphan"]


async def test_a_policy_that_leaves_no_finalizer_lets_the_object_go(api: API) -> None:
    await api.post(CONFIG_MAPS, config_map("a"))
    await api.delete(f"{CONFIG_MAPS}/a?propagationPolicy=Foreground")
    assert (await api.delete(f"{CONFIG_MAPS}/a?propagationPolicy=Background")).body["status"] == "Success"
    assert (await api.get(f"{CONFIG_MAPS}/a")).status == 404


async def test_a_dry_run_of_a_policy_marks_nothing(api: API) -> None:
    await api.post(CONFIG_MAPS, config_map("a"))
    before = api.revision
    tried = await api.delete(f"{CONFIG_MAPS}/a?propagationPolicy=Foreground&dryRun=All")
    assert tried.body["metadata"]["finalizers"] == ["foregroundDeletion"]
    assert api.revision == before


async def test_a_watch_sees_the_mark_and_then_the_end(api: API) -> None:
    await api.post(CONFIG_MAPS, config_map("a", metadata=FINALIZER))
    watch = await api.watch(f"{CONFIG_MAPS}?watch=1&resourceVersion={api.revision}")
    await api.delete(f"{CONFIG_MAPS}/a")
    await api.merge(f"{CONFIG_MAPS}/a", {"metadata": {"finalizers": None}})
    marked, gone = await watch.take(2)
    assert [named(marked), named(gone)] == [("MODIFIED", "a"), ("DELETED", "a")]
    assert marked["object"]["metadata"]["deletionTimestamp"]
    assert gone["object"]["metadata"]["resourceVersion"] == str(api.revision)
    assert gone["object"]["metadata"]["finalizers"] == ["example.com/f"]
    await watch.close()
