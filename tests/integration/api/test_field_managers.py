"""Who owns which field, as every write leaves it behind."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.admission import Attributes, Operation
from tests.integration.api.talk import API
from tests.integration.api.toys import (
    CONFIG_MAPS,
    CRON_TABS,
    GROUPS,
    LEASES,
    NEW_SHIRTS,
    OLD_SHIRTS,
    PODS,
    config_map,
    cron_tab,
    pod,
)


def managers(obj: JSONObject) -> dict[str, Any]:
    """The fields of each manager, by its name and, where it has one, its subresource."""
    entries = obj["metadata"].get("managedFields", [])
    return {
        entry["manager"] + (f"/{entry['subresource']}" if "subresource" in entry else ""): entry["fieldsV1"]
        for entry in entries
    }


async def test_whoever_creates_owns_what_it_sent(api: API) -> None:
    created = await api.post(f"{CONFIG_MAPS}?fieldManager=me", config_map("a", data={"k": "v"}))
    entry = created.body["metadata"]["managedFields"][0]
    assert entry == {
        "manager": "me",
        "operation": "Update",
        "apiVersion": "v1",
        "time": created.body["metadata"]["creationTimestamp"],
        "fieldsType": "FieldsV1",
        "fieldsV1": {"f:data": {".": {}, "f:k": {}}},
    }


@pytest.mark.parametrize(
    ("user_agent", "manager"),
    [("kubectl/v1.37 (linux)", "kubectl"), ("", "unknown"), ("a\u200bb", "ab"), ("é" * 100, "é" * 64)],
)
async def test_without_a_name_the_manager_is_the_user_agent(api: API, user_agent: str, manager: str) -> None:
    created = await api.post(CONFIG_MAPS, config_map("a", data={"k": "v"}), headers={"user-agent": user_agent})
    assert list(managers(created.body)) == [manager]


async def test_whoever_changes_a_field_takes_it(api: API) -> None:
    await api.post(f"{CONFIG_MAPS}?fieldManager=one", config_map("a", data={"k": "v", "l": "w"}))
    changed = await api.put(f"{CONFIG_MAPS}/a?fieldManager=two", config_map("a", data={"k": "x", "l": "w"}))
    assert managers(changed.body) == {"one": {"f:data": {".": {}, "f:l": {}}}, "two": {"f:data": {"f:k": {}}}}
    patched = await api.merge(f"{CONFIG_MAPS}/a?fieldManager=three", {"data": {"k": None, "l": "y"}})
    assert managers(patched.body) == {"one": {"f:data": {}}, "three": {"f:data": {"f:l": {}}}}


async def test_a_write_that_changes_nothing_keeps_its_times(api: API) -> None:
    created = await api.post(f"{CONFIG_MAPS}?fieldManager=m", config_map("a", data={"k": "v"}))
    stored = created.body
    stored["metadata"]["managedFields"][0]["time"] = "2001-01-01T00:00:00Z"
    aged = await api.put(f"{CONFIG_MAPS}/a?fieldManager=m", stored)
    again = await api.put(f"{CONFIG_MAPS}/a?fieldManager=m", config_map("a", data={"k": "v"}))
    assert again.data == aged.data


async def test_an_empty_entry_forgets_all_managers(api: API) -> None:
    await api.post(CONFIG_MAPS, config_map("a", data={"k": "v"}))
    cleared = await api.merge(f"{CONFIG_MAPS}/a", {"metadata": {"managedFields": [{}]}})
    assert "managedFields" not in cleared.body["metadata"]
    changed = await api.merge(f"{CONFIG_MAPS}/a", {"data": {"k": "w"}})
    assert "managedFields" not in changed.body["metadata"]


async def test_managers_that_make_no_sense_are_ignored(api: API) -> None:
    created = await api.post(f"{CONFIG_MAPS}?fieldManager=m", config_map("a", data={"k": "v"}))
    nonsense = {"metadata": {"managedFields": [{"manager": "n", "operation": "Fly", "apiVersion": "v1"}]}}
    assert (await api.merge(f"{CONFIG_MAPS}/a?fieldManager=m", nonsense)).data == created.data


async def test_only_so_many_updaters_are_remembered(api: API) -> None:
    await api.post(f"{CONFIG_MAPS}?fieldManager=creator", config_map("a", data={"k": "v"}))
    for number in range(15):
        await api.merge(f"{CONFIG_MAPS}/a?fieldManager=m{number}", {"data": {f"k{number}": "v"}})
    found = managers((await api.get(f"{CONFIG_MAPS}/a")).body)
    assert len(found) == 10
    assert "ancient-changes" in found


async def test_status_has_managers_of_its_own(api: API) -> None:
    await api.post(f"{CRON_TABS}?fieldManager=m", cron_tab("a", spec={"replicas": 2}, status={"phase": "Up"}))
    changed = await api.merge(
        f"{CRON_TABS}/a/status?fieldManager=m", {"spec": {"replicas": 3}, "status": {"phase": "Down"}}
    )
    assert managers(changed.body) == {
        "m": {"f:spec": {".": {}, "f:replicas": {}}},
        "m/status": {"f:status": {".": {}, "f:phase": {}}},
    }


async def test_nobody_owns_a_status_that_the_server_writes(api: API) -> None:
    created = await api.post(f"{PODS}?fieldManager=m", pod("a", node="n", status={"phase": "Running"}))
    assert managers(created.body) == {"m": {"f:spec": {"f:nodeName": {}}}}


async def test_a_put_that_creates_makes_its_sender_the_owner(api: API) -> None:
    lease = {"metadata": {"name": "l"}, "spec": {"a": "b"}}
    created = await api.put(f"{LEASES}/l?fieldManager=m", lease)
    assert created.status == 201
    assert managers(created.body) == {"m": {"f:spec": {".": {}, "f:a": {}}}}


async def test_managers_of_two_versions_take_fields_from_one_another(api: API) -> None:
    await api.post(f"{OLD_SHIRTS}?fieldManager=old", {"metadata": {"name": "s"}, "spec": {"size": "40x70"}})
    kept = await api.merge(f"{NEW_SHIRTS}/s?fieldManager=new", {"spec": {"fabric": "silk"}})
    assert managers(kept.body) == {"old": {"f:spec": {"f:size": {}}}, "new": {"f:spec": {"f:fabric": {}}}}
    taken = await api.merge(f"{NEW_SHIRTS}/s?fieldManager=new", {"spec": {"width": 50}})
    assert managers(taken.body) == {"new": {"f:spec": {"f:fabric": {}, "f:width": {}}}}


class Careless:
    """Writes managedFields that nobody can read."""

    name = "Careless"
    operations = frozenset({Operation.CREATE, Operation.UPDATE})

    async def admit(self, attributes: Attributes) -> None:
        assert attributes.object is not None
        attributes.object["metadata"]["managedFields"] = [{"manager": "m"}]


@pytest.fixture
async def careless() -> AsyncIterator[API]:
    api = await API.start(GROUPS, plugins=[Careless()])
    yield api
    await api.close()


async def test_what_admission_breaks_is_put_right_and_told(careless: API) -> None:
    created = await careless.post(f"{CONFIG_MAPS}?fieldManager=me", config_map("a", data={"k": "v"}))
    assert managers(created.body) == {"me": {"f:data": {".": {}, "f:k": {}}}}
    assert len(created.warnings) == 1
    assert ".metadata.managedFields was in an invalid state after admission" in created.warnings[0]
