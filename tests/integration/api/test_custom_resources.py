"""Custom resources: a schema that may change under what is stored, and paths without a router."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from localplane.apiserver.resource import Version
from tests.integration.api.talk import API
from tests.integration.api.toys import CRON_TAB, CRON_TABS, cron_tab, cron_tabs

GROUP = "/apis/stable.example.com"


def schema(**spec: Any) -> dict[str, Any]:
    changed = copy.deepcopy(CRON_TAB)
    changed["properties"]["spec"]["properties"] = spec
    return changed


async def test_what_is_left_out_is_filled_in(api: API) -> None:
    created = await api.post(CRON_TABS, cron_tab("a", spec={}))
    assert created.body["spec"] == {"replicas": 1}


async def test_what_is_wrong_is_told_with_its_name(api: API) -> None:
    refused = await api.post(CRON_TABS, cron_tab("a", spec={"replicas": -1}))
    assert refused.error == (
        422,
        "Invalid",
        (
            'CronTab.stable.example.com "a" is invalid: spec.replicas: Invalid value: -1: spec.replicas in body '
            "should be "
            "greater than or equal to 0"
        ),
    )
    assert refused.body["details"]["name"] == "a"
    assert refused.body["details"]["group"] == "stable.example.com"
    assert refused.body["details"]["kind"] == "CronTab"


async def test_a_default_that_comes_later_shows_in_what_is_stored(api: API) -> None:
    created = await api.post(CRON_TABS, cron_tab("a", spec={"cron": "x"}))
    await api.get(CRON_TABS)
    later = schema(cron={"type": "string"}, replicas={"type": "integer"}, zone={"type": "string", "default": "UTC"})
    api.installer.install(cron_tabs(Version("v1", later)))
    seen = await api.get(f"{CRON_TABS}/a")
    assert seen.body["spec"] == {"cron": "x", "replicas": 1, "zone": "UTC"}
    assert seen.version == created.version
    assert (await api.get(CRON_TABS)).body["items"][0]["spec"]["zone"] == "UTC"
    watch = await api.watch(f"{CRON_TABS}?watch=1")
    assert (await watch.next())["object"]["spec"]["zone"] == "UTC"
    await watch.close()


async def test_a_field_that_goes_later_is_no_longer_shown(api: API) -> None:
    await api.post(CRON_TABS, cron_tab("a", spec={"cron": "x"}))
    api.installer.install(cron_tabs(Version("v1", schema(replicas={"type": "integer"}))))
    assert (await api.get(f"{CRON_TABS}/a")).body["spec"] == {"replicas": 1}


async def test_another_version_shows_what_it_knows(api: API) -> None:
    beta = schema(cron={"type": "string"})
    api.installer.install(cron_tabs(Version("v1", CRON_TAB), Version("v1beta1", beta), storage_version="v1"))
    await api.post(CRON_TABS, cron_tab("a", spec={"cron": "x", "replicas": 5}))
    seen = (await api.get(f"{GROUP}/v1beta1/namespaces/default/crontabs/a")).body
    assert (seen["apiVersion"], seen["spec"]) == ("stable.example.com/v1beta1", {"cron": "x"})
    assert (await api.get(f"{CRON_TABS}/a")).body["spec"] == {"cron": "x", "replicas": 5}


async def test_what_was_wrong_before_and_is_untouched_is_forgiven(api: API) -> None:
    created = await api.post(CRON_TABS, cron_tab("a", spec={"cron": "x" * 30, "replicas": 1}))
    assert created.status == 201
    stricter = schema(cron={"type": "string", "maxLength": 5}, replicas={"type": "integer"})
    api.installer.install(cron_tabs(Version("v1", stricter)))
    assert (await api.merge(f"{CRON_TABS}/a", {"spec": {"replicas": 2}})).status == 200
    refused = await api.merge(f"{CRON_TABS}/a", {"spec": {"cron": "y" * 30}})
    assert refused.error[:2] == (422, "Invalid")


async def test_what_is_written_back_is_what_is_shown(api: API) -> None:
    """A stored field that is gone and a default that is new are settled by the next write."""
    await api.post(CRON_TABS, cron_tab("a", spec={"cron": "x"}))
    later = schema(zone={"type": "string", "default": "UTC"})
    api.installer.install(cron_tabs(Version("v1", later)))
    await api.merge(f"{CRON_TABS}/a", {"metadata": {"labels": {"a": "b"}}})
    found = await api.backend.get("/registry/stable.example.com/crontabs/default/a")
    assert found.kv is not None
    assert b'"zone":"UTC"' in found.kv.value
    assert b'"cron"' not in found.kv.value


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/v1/nopes"),
        ("GET", "/v9/crontabs"),
        ("GET", "/v1/crontabs/a"),
        ("POST", "/v1/crontabs"),
        ("DELETE", "/v1/crontabs"),
    ],
)
async def test_paths_that_nobody_knows_are_pages_that_are_not_found(api: API, method: str, path: str) -> None:
    reply = await api.send(method, GROUP + path)
    assert (reply.status, reply.content_type, reply.data) == (
        404,
        "text/plain; charset=utf-8",
        b"404 page not found\n",
    )


async def test_a_cluster_scoped_one_is_not_in_a_namespace(api: API) -> None:
    api.installer.install(cron_tabs(namespaced=False))
    assert (await api.post(f"{GROUP}/v1/crontabs", cron_tab("a"))).status == 201
    assert (await api.get(f"{GROUP}/v1/crontabs/a")).status == 200
    for path in ("/v1/namespaces/default/crontabs", "/v1/namespaces/default/crontabs/a"):
        reply = await api.get(GROUP + path)
        assert (reply.status, reply.data) == (404, b"404 page not found\n")


async def test_a_subresource_that_it_does_not_have_is_not_found(api: API) -> None:
    for name in ("scale", "nope"):
        refused = await api.get(f"{CRON_TABS}/a/{name}")
        assert refused.error == (404, "NotFound", 'crontabs.stable.example.com "a" not found')


@pytest.mark.parametrize(
    ("method", "path", "verb"),
    [("DELETE", "/a/status", "delete"), ("POST", "/a/status", "create"), ("OPTIONS", "", "")],
)
async def test_a_verb_that_it_does_not_have_is_not_supported(api: API, method: str, path: str, verb: str) -> None:
    refused = await api.send(method, CRON_TABS + path)
    assert refused.error == (
        405,
        "MethodNotAllowed",
        f'{verb} is not supported on resources of kind "crontabs.stable.example.com"',
    )
    assert refused.body["details"] == {"group": "stable.example.com", "kind": "crontabs"}


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
async def test_a_change_needs_a_name(api: API, method: str) -> None:
    assert (await api.send(method, CRON_TABS)).error == (400, "BadRequest", "name must be provided")


async def test_removing_its_group_ends_it_without_a_restart(api: API) -> None:
    await api.post(CRON_TABS, cron_tab("a"))
    api.installer.remove("stable.example.com")
    assert (await api.get(f"{CRON_TABS}/a")).data == b"404 page not found\n"
    api.installer.install(cron_tabs())
    assert (await api.get(f"{CRON_TABS}/a")).status == 200
