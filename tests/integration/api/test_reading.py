"""Get and list: which state is shown, and in which envelope."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from tests.integration.api.talk import API
from tests.integration.api.toys import CONFIG_MAPS, CRON_TABS, GROUPS, config_map, cron_tab

INVALID = 'resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax'


async def test_what_is_not_there_is_not_found(api: API) -> None:
    refused = await api.get(f"{CONFIG_MAPS}/none")
    assert refused.error == (404, "NotFound", 'configmaps "none" not found')
    assert refused.body["details"] == {"name": "none", "kind": "configmaps"}
    assert (await api.get(f"{CRON_TABS}/none")).message == 'crontabs.stable.example.com "none" not found'


async def test_an_empty_list_has_no_items_but_a_version(api: API) -> None:
    listed = await api.get(CONFIG_MAPS)
    assert listed.body == {
        "kind": "ConfigMapList",
        "apiVersion": "v1",
        "metadata": {"resourceVersion": str(api.revision)},
        "items": [],
    }


async def test_items_of_a_typed_list_leave_out_their_type(api: API) -> None:
    created = (await api.post(CONFIG_MAPS, config_map("a", data={"k": "v"}))).body
    del created["kind"], created["apiVersion"]
    assert (await api.get(CONFIG_MAPS)).body["items"] == [created]


async def test_items_of_a_custom_list_keep_their_type(api: API) -> None:
    created = (await api.post(CRON_TABS, cron_tab("a"))).body
    listed = (await api.get(CRON_TABS)).body
    assert (listed["kind"], listed["apiVersion"]) == ("CronTabList", "stable.example.com/v1")
    assert listed["items"] == [created]


async def test_a_list_is_in_the_order_of_its_names(api: API) -> None:
    for name in ("b", "a", "a0", "a-0"):
        await api.post(CONFIG_MAPS, config_map(name))
    assert (await api.get(CONFIG_MAPS)).names == ["a", "a-0", "a0", "b"]


async def test_a_namespace_is_not_the_beginning_of_another(api: API) -> None:
    await api.post("/api/v1/namespaces/default2/configmaps", config_map("a"))
    assert (await api.get(CONFIG_MAPS)).names == []


async def test_all_namespaces_are_one_list(api: API) -> None:
    for namespace in ("b", "a"):
        await api.post(f"/api/v1/namespaces/{namespace}/configmaps", config_map("x"))
    listed = await api.get("/api/v1/configmaps")
    assert [item["metadata"]["namespace"] for item in listed.body["items"]] == ["a", "b"]


async def test_a_list_goes_on_in_a_watch_without_a_gap(api: API) -> None:
    await api.post(CONFIG_MAPS, config_map("a"))
    listed = await api.get(CONFIG_MAPS)
    await api.post(CONFIG_MAPS, config_map("b"))
    watch = await api.watch(f"{CONFIG_MAPS}?watch=1&resourceVersion={listed.version}")
    assert (await watch.next())["object"]["metadata"]["name"] == "b"
    await watch.close()


async def test_what_was_written_is_read_at_once(api: API) -> None:
    for number in range(20):
        await api.post(CONFIG_MAPS, config_map(f"a{number}"))
        assert len((await api.get(CONFIG_MAPS)).names) == number + 1


@pytest.mark.parametrize("version", ["0", "1"])
async def test_a_get_takes_any_state_that_is_new_enough(api: API, version: str) -> None:
    created = await api.post(CONFIG_MAPS, config_map("a"))
    await api.get(CONFIG_MAPS)  # so that the cache has come so far
    assert (await api.get(f"{CONFIG_MAPS}/a?resourceVersion={version}")).data == created.data


async def test_a_version_that_is_no_number_is_refused(api: API) -> None:
    await api.post(CONFIG_MAPS, config_map("a"))
    assert (await api.get(f"{CONFIG_MAPS}/a?resourceVersion=abc")).error == (500, "", INVALID)
    assert (await api.get(f"{CONFIG_MAPS}?watch=1&resourceVersion=abc")).error == (500, "", INVALID)
    refused = await api.get(f"{CONFIG_MAPS}?resourceVersion=abc")
    assert refused.error == (400, "BadRequest", f"invalid resource version: {INVALID}")


@pytest.mark.parametrize("url", [CONFIG_MAPS, f"{CONFIG_MAPS}/a"])
async def test_a_version_of_the_future_is_waited_for_and_then_told(url: str) -> None:
    api = await API.start(GROUPS, freshness_timeout=timedelta(milliseconds=1))
    refused = await api.get(f"{url}?resourceVersion=999999")
    assert refused.error == (
        504,
        "Timeout",
        f"Timeout: Too large resource version: 999999, current: {api.revision}",
    )
    assert refused.body["details"] == {
        "causes": [{"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}],
        "retryAfterSeconds": 1,
    }
    assert refused.headers["Retry-After"] == "1"
    await api.close()


async def test_an_exact_version_shows_that_very_state(api: API) -> None:
    created = await api.post(CONFIG_MAPS, config_map("a", data={"k": "1"}))
    await api.merge(f"{CONFIG_MAPS}/a", {"data": {"k": "2"}})
    await api.post(CONFIG_MAPS, config_map("b"))
    past = await api.get(f"{CONFIG_MAPS}?resourceVersion={created.version}&resourceVersionMatch=Exact")
    assert past.version == created.version
    assert [item["data"] for item in past.body["items"]] == [{"k": "1"}]
    newer = await api.get(f"{CONFIG_MAPS}?resourceVersion={created.version}&resourceVersionMatch=NotOlderThan")
    assert newer.names == ["a", "b"]


async def test_an_exact_version_that_was_compacted_is_gone(api: API) -> None:
    created = await api.post(CONFIG_MAPS, config_map("a"))
    for _ in range(3):
        await api.merge(f"{CONFIG_MAPS}/a", {"data": {"k": str(api.revision)}})
    await api.backend.compact(api.revision)
    refused = await api.get(f"{CONFIG_MAPS}?resourceVersion={created.version}&resourceVersionMatch=Exact")
    assert refused.error == (410, "Expired", "The resourceVersion for the provided list is too old.")


FORBIDDEN = "resourceVersionMatch: Forbidden: resourceVersionMatch"


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ("resourceVersionMatch=Exact", f"{FORBIDDEN} is forbidden unless resourceVersion is provided"),
        (
            "resourceVersionMatch=Exact&resourceVersion=0",
            f'{FORBIDDEN} "exact" is forbidden for resourceVersion "0"',
        ),
        *(
            (
                f"resourceVersionMatch={match}&resourceVersion=1",
                f'resourceVersionMatch: Unsupported value: "{match}": supported values: "Exact", "NotOlderThan", ""',
            )
            for match in ("Nope", "exact", "NotOlder")
        ),
        (
            "resourceVersionMatch=Exact&resourceVersion=1&continue=x",
            f"{FORBIDDEN} is forbidden when continue is provided",
        ),
        ("sendInitialEvents=true", "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list"),
    ],
)
async def test_options_that_do_not_go_together_are_invalid(api: API, query: str, problem: str) -> None:
    refused = await api.get(f"{CONFIG_MAPS}?{query}")
    assert refused.error == (422, "Invalid", f'ListOptions.meta.k8s.io "" is invalid: {problem}')
    assert refused.body["details"]["group"] == "meta.k8s.io"
    assert refused.body["details"]["kind"] == "ListOptions"


@pytest.mark.parametrize("parameter", ["limit", "timeoutSeconds"])
@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("abc", "invalid syntax"),
        ("", "invalid syntax"),
        ("1.5", "invalid syntax"),
        ("9" * 40, "value out of range"),
        ("9" * 5000, "value out of range"),
    ],
)
async def test_a_number_must_be_one(api: API, parameter: str, text: str, problem: str) -> None:
    refused = await api.get(f"{CONFIG_MAPS}?{parameter}={text}")
    assert refused.error == (400, "BadRequest", f'strconv.ParseInt: parsing "{text}": {problem}')


async def test_less_than_no_limit_is_none(api: API) -> None:
    for name in "abc":
        await api.post(CONFIG_MAPS, config_map(name))
    assert (await api.get(f"{CONFIG_MAPS}?limit=-1")).names == ["a", "b", "c"]


async def test_the_first_of_a_repeated_parameter_counts(api: API) -> None:
    for name in "abc":
        await api.post(CONFIG_MAPS, config_map(name))
    assert (await api.get(f"{CONFIG_MAPS}?limit=2&limit=1")).names == ["a", "b"]


async def test_export_is_long_gone(api: API) -> None:
    refused = await api.get(f"{CONFIG_MAPS}/a?export=true")
    assert refused.message == "the export parameter, deprecated since v1.14, is no longer supported"
    assert (await api.get(f"{CONFIG_MAPS}/a?export=false")).status == 404


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("..", "\"..\": may not be '..'"),
        ("%2e%2e", "\"..\": may not be '..'"),
        (".", "\".\": may not be '.'"),
        ("a%25b", "\"a%b\": may not contain '%'"),
    ],
)
@pytest.mark.parametrize("method", ["GET", "DELETE"])
async def test_a_name_that_could_leave_its_place_is_refused(api: API, method: str, name: str, problem: str) -> None:
    refused = await api.send(method, f"{CONFIG_MAPS}/{name}")
    assert refused.error == (400, "BadRequest", f"Name parameter invalid: {problem}")


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
async def test_a_name_with_a_slash_never_reaches_another_object(api: API, method: str) -> None:
    await api.post("/api/v1/namespaces/a/configmaps", config_map("b"))
    before = api.revision
    reply = await api.send(method, "/api/v1/namespaces/x/configmaps/..%2Fa%2Fb", config_map("b"))
    assert reply.status in (400, 404)
    assert api.revision == before


@pytest.mark.parametrize("namespace", ["..", "."])
async def test_a_namespace_never_leaves_its_place(api: API, namespace: str) -> None:
    await api.post(CONFIG_MAPS, config_map("a"))
    for url in (f"/api/v1/namespaces/{namespace}/configmaps", f"/api/v1/namespaces/{namespace}/configmaps/a"):
        reply = await api.get(url)
        assert reply.status in (400, 404)
        assert b'"a"' not in reply.data or reply.status == 404


def spans(body: Any) -> set[str]:
    return {item["metadata"]["namespace"] for item in body["items"]}


async def test_a_selected_namespace_narrows_a_list_of_all(api: API) -> None:
    for namespace in ("a", "b"):
        await api.post(f"/api/v1/namespaces/{namespace}/configmaps", config_map("x"))
    assert spans((await api.get("/api/v1/configmaps?fieldSelector=metadata.namespace%3Da")).body) == {"a"}
    assert spans((await api.get("/api/v1/configmaps?fieldSelector=metadata.namespace!%3Da")).body) == {"b"}
    listed = await api.get("/api/v1/configmaps?fieldSelector=metadata.namespace%3Da,metadata.name%3Dx")
    assert spans(listed.body) == {"a"}
    assert (await api.get("/api/v1/namespaces/b/configmaps?fieldSelector=metadata.namespace%3Da")).names == []
