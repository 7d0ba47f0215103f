"""The status subresource: status changes there, and nowhere else."""

from __future__ import annotations

from tests.integration.api.talk import API
from tests.integration.api.toys import CONFIG_MAPS, CRON_TABS, PODS, cron_tab, pod


async def test_only_status_changes_through_it(api: API) -> None:
    created = (await api.post(CRON_TABS, cron_tab("a", spec={"cron": "x"}))).body
    sent = created | {
        "spec": {"cron": "ignored"},
        "status": {"phase": "Up"},
        "metadata": created["metadata"] | {"labels": {"ignored": "yes"}},
    }
    put = await api.put(f"{CRON_TABS}/a/status", sent)
    assert put.status == 200
    assert put.body["status"] == {"phase": "Up"}
    assert put.body["spec"] == created["spec"]
    assert "labels" not in put.body["metadata"]
    assert put.body["metadata"]["generation"] == 1
    assert (await api.get(f"{CRON_TABS}/a/status")).data == (await api.get(f"{CRON_TABS}/a")).data == put.data


async def test_status_changes_through_nothing_else(api: API) -> None:
    await api.post(CRON_TABS, cron_tab("a", spec={"cron": "x"}))
    await api.merge(f"{CRON_TABS}/a/status", {"status": {"phase": "Up"}})
    patched = await api.merge(f"{CRON_TABS}/a", {"spec": {"cron": "y"}, "status": {"phase": "Down"}})
    assert patched.body["status"] == {"phase": "Up"}
    assert patched.body["metadata"]["generation"] == 2
    seen = patched.body | {"status": None}
    assert (await api.put(f"{CRON_TABS}/a", seen)).body["status"] == {"phase": "Up"}


async def test_a_change_of_status_alone_through_the_object_is_no_change(api: API) -> None:
    created = await api.post(CRON_TABS, cron_tab("a"))
    before = api.revision
    assert (await api.merge(f"{CRON_TABS}/a", {"status": {"phase": "Up"}})).data == created.data
    assert api.revision == before


async def test_its_schema_holds_for_status(api: API) -> None:
    await api.post(CRON_TABS, cron_tab("a"))
    refused = await api.merge(f"{CRON_TABS}/a/status", {"status": {"phase": "Sideways"}})
    assert refused.error == (
        422,
        "Invalid",
        (
            'CronTab.stable.example.com "a" is invalid: status.phase: Unsupported value: "Sideways": supported values: '
            '"Up", "Down"'
        ),
    )


async def test_a_stale_version_is_a_conflict_there_too(api: API) -> None:
    created = (await api.post(CRON_TABS, cron_tab("a"))).body
    await api.merge(f"{CRON_TABS}/a", {"spec": {"cron": "x"}})
    refused = await api.put(f"{CRON_TABS}/a/status", created | {"status": {"phase": "Up"}})
    assert refused.error[:2] == (409, "Conflict")


async def test_it_never_creates_its_object(api: API) -> None:
    for reply in (
        await api.put(f"{PODS}/none/status", pod("none")),
        await api.merge(f"{PODS}/none/status", {"status": {}}),
        await api.get(f"{PODS}/none/status"),
    ):
        assert reply.error == (404, "NotFound", 'pods "none" not found')


async def test_a_dry_run_writes_no_status(api: API) -> None:
    await api.post(CRON_TABS, cron_tab("a"))
    before = api.revision
    tried = await api.merge(f"{CRON_TABS}/a/status?dryRun=All", {"status": {"phase": "Up"}})
    assert tried.body["status"] == {"phase": "Up"}
    assert api.revision == before


async def test_the_rules_of_the_kind_hold_for_its_status(api: API) -> None:
    await api.post(PODS, pod("a", node="n"))
    put = await api.put(f"{PODS}/a/status", pod("a", node="m", status={"phase": "Running"}))
    assert (put.status, put.body["spec"]["nodeName"], put.body["status"]["phase"]) == (200, "n", "Running")


async def test_a_kind_without_one_has_none(api: API) -> None:
    refused = await api.merge(f"{CONFIG_MAPS}/a/status", {})
    assert refused.error == (404, "NotFound", "the server could not find the requested resource")
    assert refused.body["details"] == {}
