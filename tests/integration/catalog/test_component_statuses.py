"""ComponentStatuses over the API: asked for, never stored."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from localplane.catalog.core.component_statuses import COMPONENT_STATUSES
from localplane.catalog.declarations import group
from tests.integration.api.talk import API

STATUSES = "/api/v1/componentstatuses"


@pytest.fixture
async def api() -> AsyncIterator[API]:
    api = await API.start([group("", COMPONENT_STATUSES)])
    yield api
    await api.close()


async def test_the_store_is_well_and_the_other_two_are_told_to_be_missing_or_well(api: API) -> None:
    """Whether the others run on this machine is not for a test to say."""
    listed = (await api.get(STATUSES)).body
    health = {each["metadata"]["name"]: each["conditions"][0] for each in listed["items"]}
    assert set(health) == {"controller-manager", "scheduler", "etcd-0"}
    assert health["etcd-0"] == {"type": "Healthy", "status": "True", "message": "ok"}
    assert listed["metadata"] == {}
    assert (await api.get(f"{STATUSES}/etcd-0")).body["conditions"] == [health["etcd-0"]]


async def test_selectors_are_honoured(api: API) -> None:
    assert (await api.get(f"{STATUSES}?labelSelector=a=b")).names == []
    assert (await api.get(f"{STATUSES}?fieldSelector=metadata.name=etcd-0")).names == ["etcd-0"]


async def test_an_unknown_one_is_told_by_its_singular(api: API) -> None:
    missing = await api.get(f"{STATUSES}/none")
    assert (missing.status, missing.body["message"]) == (404, 'componentstatus "none" not found')
    (warning,) = missing.warnings
    assert "v1 ComponentStatus is deprecated in v1.19+" in warning
