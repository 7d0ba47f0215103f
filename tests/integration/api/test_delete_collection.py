"""Deleting a collection: what a list would show, and no more."""

from __future__ import annotations

import pytest

from localplane.apimachinery.errors import Forbidden
from localplane.apimachinery.groups import GroupResource
from localplane.apiserver.admission import Attributes, Operation
from localplane.apiserver.registry import delete as delete_collection
from tests.integration.api.talk import API
from tests.integration.api.toys import CONFIG_MAPS, CRON_TABS, GROUPS, PODS, config_map, cron_tab, pod


@pytest.fixture
async def filled(api: API) -> API:
    for name, label in (("a", "1"), ("b", "1"), ("c", "2"), ("d", "3")):
        await api.post(CONFIG_MAPS, config_map(name, metadata={"labels": {"g": label}}))
    await api.post("/api/v1/namespaces/other/configmaps", config_map("a", metadata={"labels": {"g": "1"}}))
    return api


async def test_what_was_there_is_answered_and_gone(filled: API) -> None:
    listed = await filled.get(CONFIG_MAPS)
    deleted = await filled.delete(CONFIG_MAPS)
    assert (deleted.status, deleted.body["kind"]) == (200, "ConfigMapList")
    assert deleted.data == listed.data
    assert (await filled.get(CONFIG_MAPS)).names == []


async def test_other_namespaces_are_left_alone(filled: API) -> None:
    await filled.delete(CONFIG_MAPS)
    assert (await filled.get("/api/v1/namespaces/other/configmaps")).names == ["a"]


async def test_only_what_is_selected_goes(filled: API) -> None:
    assert (await filled.delete(f"{CONFIG_MAPS}?labelSelector=g%3D1")).names == ["a", "b"]
    assert (await filled.delete(f"{CONFIG_MAPS}?fieldSelector=metadata.name%3Dc")).names == ["c"]
    assert (await filled.get(CONFIG_MAPS)).names == ["d"]


async def test_nothing_selected_is_an_empty_list(filled: API) -> None:
    before = filled.revision
    deleted = await filled.delete(f"{CONFIG_MAPS}?labelSelector=g%3Dnone")
    assert (deleted.status, deleted.body["items"]) == (200, [])
    assert filled.revision == before


async def test_a_limit_is_a_limit(filled: API) -> None:
    deleted = await filled.delete(f"{CONFIG_MAPS}?limit=3")
    assert deleted.names == ["a", "b", "c"]
    assert deleted.body["metadata"]["remainingItemCount"] == 1
    assert (await filled.get(CONFIG_MAPS)).names == ["d"]


async def test_many_pages_are_one_answer(filled: API, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delete_collection, "_PAGE", 3)
    deleted = await filled.delete(CONFIG_MAPS)
    assert deleted.names == ["a", "b", "c", "d"]
    assert set(deleted.body["metadata"]) == {"resourceVersion"}
    assert (await filled.get(CONFIG_MAPS)).names == []


async def test_a_dry_run_shows_what_would_go(filled: API, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delete_collection, "_PAGE", 3)
    before = filled.revision
    assert (await filled.delete(f"{CONFIG_MAPS}?dryRun=All")).names == ["a", "b", "c", "d"]
    assert (await filled.delete(CONFIG_MAPS, {"dryRun": ["All"]})).names == ["a", "b", "c", "d"]
    assert filled.revision == before


async def test_finalizers_keep_what_they_keep(api: API) -> None:
    await api.post(CONFIG_MAPS, config_map("a", metadata={"finalizers": ["example.com/f"]}))
    await api.post(CONFIG_MAPS, config_map("b"))
    assert (await api.delete(CONFIG_MAPS)).names == ["a", "b"]
    left = await api.get(CONFIG_MAPS)
    assert left.names == ["a"]
    assert left.body["items"][0]["metadata"]["deletionTimestamp"]


async def test_every_object_gets_its_own_time(api: API) -> None:
    await api.post(PODS, pod("a", node="n", spec={"terminationGracePeriodSeconds": 3}))
    await api.post(PODS, pod("b", node="n", spec={"terminationGracePeriodSeconds": 5}))
    await api.delete(PODS)
    items = (await api.get(PODS)).body["items"]
    assert [item["metadata"]["deletionGracePeriodSeconds"] for item in items] == [3, 5]


async def test_a_precondition_that_fails_stops_it(filled: API) -> None:
    refused = await filled.delete(CONFIG_MAPS, {"preconditions": {"uid": "u"}})
    assert refused.error[:2] == (409, "Conflict")
    assert (await filled.get(CONFIG_MAPS)).names == ["a", "b", "c", "d"]


async def test_all_namespaces_at_once_are_not_to_be_had(filled: API) -> None:
    await filled.post(CRON_TABS, cron_tab("a"))
    assert (await filled.delete("/api/v1/configmaps")).error[:2] == (405, "MethodNotAllowed")
    assert (await filled.delete("/apis/stable.example.com/v1/crontabs")).status == 404
    assert len((await filled.get("/api/v1/configmaps")).names) == 5


@pytest.mark.parametrize("query", ["labelSelector=a%3D%3D%3D", "limit=x", "fieldSelector=spec.x%3Dy"])
async def test_a_selection_that_cannot_be_read_deletes_nothing(filled: API, query: str) -> None:
    before = filled.revision
    assert (await filled.delete(f"{CONFIG_MAPS}?{query}")).error[:2] == (400, "BadRequest")
    assert filled.revision == before


class NotTheThird:
    """Refuses one object, and remembers which it was asked about."""

    name = "NotTheThird"
    operations = (Operation.DELETE,)

    def __init__(self) -> None:
        self.seen: list[tuple[str, str]] = []

    async def validate(self, attributes: Attributes) -> None:
        assert attributes.old_object is not None
        self.seen.append((attributes.name, attributes.old_object["metadata"]["name"]))
        if attributes.name == "c":
            raise Forbidden.of(GroupResource("", "configmaps"), "c", "it stays")


async def test_admission_is_asked_about_each_and_the_first_refusal_is_the_answer() -> None:
    plugin = NotTheThird()
    api = await API.start(GROUPS, plugins=[plugin])
    for name in "abcdefgh":
        await api.post(CONFIG_MAPS, config_map(name))
    refused = await api.delete(CONFIG_MAPS)
    assert refused.error == (403, "Forbidden", 'configmaps "c" is forbidden: it stays')
    assert "c" in (await api.get(CONFIG_MAPS)).names
    assert all(name == stored for name, stored in plugin.seen)
    await api.close()
