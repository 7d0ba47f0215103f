"""Jobs over the API: what becomes of their pods, and what they can be found by."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from localplane.catalog import batch
from localplane.catalog.declarations import group
from tests.integration.api.talk import API

JOBS = "/apis/batch/v1/namespaces/default/jobs"
POD = {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}


@pytest.fixture
async def api() -> AsyncIterator[API]:
    api = await API.start([group("batch", *batch.RESOURCES)])
    yield api
    await api.close()


async def create(api: API, name: str) -> None:
    reply = await api.post(JOBS, {"metadata": {"name": name}, "spec": {"template": {"spec": POD}}})
    assert reply.status == 201, reply.data


async def test_pods_outlive_a_job_unless_the_client_says_otherwise_and_it_is_told_so(api: API) -> None:
    await create(api, "a")
    silent = await api.delete(f"{JOBS}/a")
    (warning,) = silent.warnings
    assert "child pods are preserved by default when jobs are deleted" in warning
    assert (await api.get(f"{JOBS}/a")).body["metadata"]["finalizers"] == ["orphan"]
    await create(api, "b")
    explicit = await api.delete(f"{JOBS}/b?propagationPolicy=Background")
    assert (explicit.warnings, (await api.get(f"{JOBS}/b")).status) == ([], 404)


async def test_jobs_are_selected_by_how_many_of_their_pods_succeeded(api: API) -> None:
    for name in ("a", "b"):
        await create(api, name)
    done = await api.merge(f"{JOBS}/b/status", {"status": {"succeeded": 1}})
    assert done.status == 200, done.data
    assert (await api.get(f"{JOBS}?fieldSelector=status.successful=1")).names == ["b"]
    assert (await api.get(f"{JOBS}?fieldSelector=status.successful=0")).names == ["a"]
