"""One request: what is retried, what is raised, what is passed on."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from localplane.apimachinery import errors
from localplane.client.errors import ConnectionLost, InvalidAnswer, InvalidName, RequestTimedOut
from localplane.client.rest.names import GroupVersionResource
from localplane.client.rest.options import ListOptions
from localplane.client.rest.resources import PatchType
from localplane.client.transport.headers import ServerWarning, parse_warnings
from localplane.client.transport.interface import BufferedResponse, Pairs
from tests.unit.client.in_process import ScriptedTransport, answer, client_over, in_turn

PODS = GroupVersionResource("", "v1", "pods")
DEPLOYMENTS = GroupVersionResource("apps", "v1", "deployments")


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
@pytest.mark.parametrize("status", [429, 500, 503])
async def test_a_server_that_asks_to_come_back_is_asked_again_after_that_long(method: str, status: int) -> None:
    pauses: list[float] = []
    transport = in_turn(answer(status, Retry_After="3"), answer(status, Retry_After="1"), answer(200, {}))
    await client_over(transport, pauses).request(method, "/x", body=b"{}")
    assert pauses == [3, 1]
    assert [asked.body for asked in transport.asked] == [b"{}"] * 3


@pytest.mark.parametrize(
    "refusal", [answer(429), answer(503), answer(404, Retry_After="1"), answer(429, Retry_After="soon")]
)
async def test_without_a_time_to_wait_nothing_is_tried_again(refusal: BufferedResponse) -> None:
    transport = in_turn(refusal)
    with pytest.raises(errors.APIError):
        await client_over(transport).request("GET", "/x")
    assert len(transport.asked) == 1


async def test_patience_ends_after_ten_attempts_more() -> None:
    transport = ScriptedTransport(lambda _: answer(429, Retry_After="1"))
    with pytest.raises(errors.TooManyRequests) as caught:
        await client_over(transport).request("GET", "/x")
    assert caught.value.retry_after_seconds == 1
    assert len(transport.asked) == 11


async def test_a_lost_get_is_tried_again_and_a_lost_write_is_not() -> None:
    transport = in_turn(ConnectionLost("cut"), answer(200, {"a": 1}))
    assert (await client_over(transport).request("GET", "/x")).json() == {"a": 1}
    transport = in_turn(ConnectionLost("cut"), answer(200, {}))
    with pytest.raises(ConnectionLost):
        await client_over(transport).request("POST", "/x", body=b"")
    assert len(transport.asked) == 1


async def test_parameters_are_sent_in_the_order_of_their_names() -> None:
    transport = in_turn(answer(200, {}))
    await client_over(transport).request("GET", "/x", query=[("limit", "1"), ("continue", "2"), ("watch", "1")])
    assert list(transport.asked[0].query) == ["continue", "limit", "watch"]


async def test_a_list_has_items_though_its_server_writes_null() -> None:
    transport = in_turn(answer(200, {"kind": "PartialObjectMetadataList", "items": None}))
    assert (await client_over(transport).resource(PODS, "default").list())["items"] == []


async def test_a_request_that_takes_too_long_is_given_up() -> None:
    class Silent(ScriptedTransport):
        async def request(
            self, method: str, path: str, *, query: Pairs = (), headers: Pairs = (), body: bytes | None = None
        ) -> BufferedResponse:
            await asyncio.Event().wait()
            raise AssertionError

    silent = Silent(lambda _: answer(200))
    with pytest.raises(RequestTimedOut):
        await client_over(silent, timeout=timedelta(milliseconds=5)).request("GET", "/x")


async def test_an_answer_that_is_no_json_is_an_error_of_ours() -> None:
    with pytest.raises(InvalidAnswer):
        await client_over(in_turn(answer(200, b"<html>"))).resource(PODS, "default").get("a")


async def test_warnings_are_heard_also_with_refusals() -> None:
    heard: list[ServerWarning] = []
    transport = in_turn(answer(200, {}, Warning='299 - "a, \\"b\\"", 299 - "c"'), answer(404, {}, Warning='299 - "d"'))
    client = client_over(transport, warn=heard.append)
    await client.request("GET", "/x")
    with pytest.raises(errors.NotFound):
        await client.request("GET", "/x")
    assert [warning.text for warning in heard] == ['a, "b"', "c", "d"]


@pytest.mark.parametrize(
    ("headers", "texts"),
    [
        (['299 - "one"', '299 agent "two" "Wed, 21 Oct 2015 07:28:00 GMT"'], ["one", "two"]),
        (['299 - "one" "a date", 199 - "two"'], ["one", "two"]),
        (['99 - "bad code"'], []),
        (["299 - unquoted"], []),
        (['299 - "good", nonsense, 299 - "lost"'], ["good"]),
    ],
)
def test_warning_headers_are_read_as_far_as_they_make_sense(headers: list[str], texts: list[str]) -> None:
    assert [warning.text for warning in parse_warnings(headers)] == texts


async def test_the_verbs_are_what_kubernetes_expects() -> None:
    transport = ScriptedTransport(lambda _: answer(200, {}))
    pods = client_over(transport).resource(PODS, "default")
    await pods.get("a", resource_version="0")
    await pods.list(ListOptions(label_selector="x=y", limit=5))
    await pods.create({"metadata": {"name": "a"}}, dry_run=True, field_manager="me", field_validation="Strict")
    await pods.create({}, name="a", subresource="eviction")
    await pods.update({"metadata": {"name": "a"}}, subresource="status")
    await pods.patch("a", {"x": 1}, PatchType.MERGE)
    await pods.patch("a", b"x: 1", PatchType.APPLY, field_manager="me", force=True)
    await pods.delete("a", propagation_policy="Orphan", grace_period_seconds=0, uid="u")
    await pods.delete_collection(ListOptions(field_selector="a=b"))
    await client_over(transport).resource(DEPLOYMENTS).list()
    path = "/api/v1/namespaces/default/pods"
    assert [(asked.method, asked.path, asked.query) for asked in transport.asked] == [
        ("GET", f"{path}/a", {"resourceVersion": "0"}),
        ("GET", path, {"labelSelector": "x=y", "limit": "5"}),
        ("POST", path, {"dryRun": "All", "fieldManager": "me", "fieldValidation": "Strict"}),
        ("POST", f"{path}/a/eviction", {}),
        ("PUT", f"{path}/a/status", {}),
        ("PATCH", f"{path}/a", {}),
        ("PATCH", f"{path}/a", {"fieldManager": "me", "force": "true"}),
        ("DELETE", f"{path}/a", {}),
        ("DELETE", path, {"fieldSelector": "a=b"}),
        ("GET", "/apis/apps/v1/deployments", {}),
    ]
    assert transport.asked[5].headers["Content-Type"] == "application/merge-patch+json"
    assert (transport.asked[6].headers["Content-Type"], transport.asked[6].body) == (
        "application/apply-patch+yaml",
        b"x: 1",
    )
    assert transport.asked[7].body == (
        b'{"gracePeriodSeconds":0,"propagationPolicy":"Orphan","preconditions":{"uid":"u"}}'
    )


async def test_items_of_a_list_are_told_their_kind() -> None:
    bare = {"metadata": {"name": "a"}}
    listed = {"kind": "PodList", "apiVersion": "v1", "items": [bare]}
    transport = in_turn(answer(200, listed), answer(200, {**listed, "kind": "List"}), answer(200, {"kind": "Table"}))
    pods = client_over(transport).resource(PODS)
    assert (await pods.list())["items"] == [{"apiVersion": "v1", "kind": "Pod", **bare}]
    assert (await pods.list())["items"] == [bare]
    assert "items" not in await pods.list()


async def test_a_watch_asks_for_all_its_options_and_gives_events_until_the_server_ends_it() -> None:
    events = b'{"type":"ADDED","object":{"metadata":{"resourceVersion":"5"}}}\n\n{"type":"BOOKMARK","object":{}}'
    transport = in_turn(answer(200, events))
    options = ListOptions(
        resource_version="4",
        resource_version_match="NotOlderThan",
        timeout=timedelta(minutes=5),
        allow_watch_bookmarks=True,
        send_initial_events=True,
    )
    async with client_over(transport).resource(PODS).watch(options) as watch:
        assert [(event.type, event.resource_version) async for event in watch] == [("ADDED", "5"), ("BOOKMARK", "")]
    assert transport.asked[0].query == {
        "resourceVersion": "4",
        "resourceVersionMatch": "NotOlderThan",
        "timeoutSeconds": "300",
        "allowWatchBookmarks": "true",
        "sendInitialEvents": "true",
        "watch": "true",
    }


@pytest.mark.parametrize("name", [".", "..", "a/b", "a%b"])
def test_a_name_that_would_change_the_path_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="invalid resource name"):
        PODS.path(namespace="default", name=name)


def test_names_are_encoded() -> None:
    assert PODS.path(name="system:node?#") == "/api/v1/pods/system%3Anode%3F%23"


async def test_closing_the_client_closes_its_transport() -> None:
    transport = in_turn()
    async with client_over(transport):
        pass
    assert transport.closed


async def test_an_object_without_a_name_is_never_asked_for() -> None:
    transport = in_turn()
    pods = client_over(transport).resource(PODS, "default")
    for asking in (pods.get(""), pods.delete(""), pods.patch("", {}, PatchType.MERGE), pods.update({"metadata": {}})):
        with pytest.raises(InvalidName, match="resource name may not be empty"):
            await asking
    assert transport.asked == []


async def test_bytes_are_sent_as_they_are() -> None:
    transport = in_turn(answer(200, {}), answer(200, {}))
    pods = client_over(transport).resource(PODS, "default")
    await pods.create(b'{"a":"\\u003c"}\n')
    await pods.update({"metadata": {"name": "a"}}, written=b"{}\n")
    assert [asked.body for asked in transport.asked] == [b'{"a":"\\u003c"}\n', b"{}\n"]
