"""Protobuf: the same objects, in another form."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated, Any

import pytest

from localplane.apimachinery.errors import InternalError
from localplane.apimachinery.objects import JSONObject
from localplane.apimachinery.schema import Field, Int32, Node, Schema, Time
from localplane.apimachinery.serializers.protobuf import (
    encoded,
    fields,
    head,
    list_meta,
    object_node,
    opened,
    partial_object_metadata,
    read_message,
    status,
    unframed,
)
from localplane.apiserver.endpoints.options.delete_options import _schema as delete_options_schema
from localplane.apiserver.request import StreamResponse
from localplane.apiserver.resource import APIGroup, Resource, Version
from tests.integration.api.talk import API, MERGE, Reply
from tests.integration.api.toys import CRON_TABS, GROUPS, ConfigMapStrategy, cron_tab

PROTOBUF = "application/vnd.kubernetes.protobuf"
METADATA = f"{PROTOBUF};as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
METADATA_LIST = f"{PROTOBUF};as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
TABLE = f"{PROTOBUF};as=Table;g=meta.k8s.io;v=v1"
KITES = "/apis/toys.example.com/v1/namespaces/default/kites"
OLD_KITES = "/apis/toys.example.com/v1beta1/namespaces/default/kites"
PLAIN = "/apis/toys.example.com/v1/namespaces/default/balls"


class KiteSpec:
    colour: Annotated[str, Field(protobuf={"n": 1})] = ""
    length: Annotated[Int32, Field(protobuf={"n": 2})] = 0
    tail: Annotated[bool | None, Field(protobuf={"n": 3})] = None


class Kite:
    spec: Annotated[KiteSpec, Field(protobuf={"n": 2})]
    flown: Annotated[Time | None, Field(protobuf={"n": 3})] = None


class OldKiteSpec:
    color: Annotated[str, Field(protobuf={"n": 9})] = ""


class OldKite:
    spec: Annotated[OldKiteSpec, Field(protobuf={"n": 2})]


class Ball:
    size: int = 0


def to_hub(obj: JSONObject) -> JSONObject:
    return obj | {"spec": {"colour": obj["spec"].get("color", "")}}


def from_hub(obj: JSONObject) -> JSONObject:
    if obj["spec"].get("colour") == "infrared":
        raise InternalError.of("there was no such colour then")
    return obj | {"spec": {"color": obj["spec"].get("colour", "")}}


NEW, OLD = object_node(Schema.of(Kite).node), object_node(Schema.of(OldKite).node)
TOYS = APIGroup(
    "toys.example.com",
    [
        Resource(
            "kites",
            "Kite",
            [Version("v1", Kite), Version("v1beta1", OldKite, to_hub=to_hub, from_hub=from_hub)],
            strategy=ConfigMapStrategy(),
        ),
        Resource("balls", "Ball", [Version("v1", Ball)], strategy=ConfigMapStrategy()),
    ],
)


@pytest.fixture
async def api() -> AsyncIterator[API]:
    api = await API.start((*GROUPS, TOYS))
    yield api
    await api.close()


def kite(name: str = "a", /, **more: Any) -> JSONObject:
    return {"apiVersion": "toys.example.com/v1", "kind": "Kite", "metadata": {"name": name}, "spec": {}} | more


def object_in(data: bytes, node: Node) -> JSONObject:
    envelope = opened(data)
    return {"kind": envelope.kind, "apiVersion": envelope.api_version} | read_message(node, envelope.message)


def failure(reply: Reply) -> JSONObject:
    assert reply.content_type == PROTOBUF
    told = object_in(reply.data, status())
    assert (told["kind"], told["apiVersion"], told["code"]) == ("Status", "v1", reply.status)
    return told


def list_in(data: bytes, node: Node) -> tuple[JSONObject, list[JSONObject]]:
    envelope = opened(data)
    parts = [(number, payload) for number, payload in fields(envelope.message) if isinstance(payload, bytes)]
    items = [read_message(node, payload) for number, payload in parts if number == 2]
    metadata = next(payload for number, payload in parts if number == 1)
    told = {"kind": envelope.kind, "apiVersion": envelope.api_version}
    return told | {"metadata": read_message(list_meta(), metadata)}, items


def events_in(data: bytes, node: Node) -> list[tuple[str, JSONObject]]:
    found = []
    while data:
        event, data = unframed(data)
        told = dict(fields(event))
        assert isinstance(told[1], bytes)
        assert isinstance(told[2], bytes)
        body = dict(fields(told[2]))[1]
        assert isinstance(body, bytes)
        kind = told[1].decode()
        found.append((kind, object_in(body, status() if kind == "ERROR" else node)))
    return found


async def watched(api: API, url: str, node: Node, *, accept: str, count: int) -> list[tuple[str, JSONObject]]:
    """The first events of a watch."""
    _, answer = await api.ask("GET", url, accept=accept)
    assert isinstance(answer, StreamResponse)
    assert answer.content_type == f"{PROTOBUF};stream=watch"
    data = b""
    while len(events := events_in(data, node)) < count:
        data += await anext(answer.pieces)
    await answer.close()
    return events


async def test_what_is_sent_as_protobuf_is_stored_like_anything_else(api: API) -> None:
    spec = {"colour": "red", "tail": False}
    by_json = await api.post(f"{KITES}?dryRun=All", kite(spec=spec, flown="2024-01-02T03:04:05Z"))
    body = encoded(NEW, kite(spec=spec, flown="2024-01-02T03:04:05Z"))
    created = await api.post(KITES, raw=body, content_type=PROTOBUF)
    assert (created.status, created.content_type) == (201, "application/json")
    assert created.body["spec"] == by_json.body["spec"] == spec
    assert created.body["flown"] == by_json.body["flown"]
    replaced = await api.put(f"{KITES}/a", raw=encoded(NEW, kite(spec={"length": 3})), content_type=PROTOBUF)
    assert replaced.body["spec"] == {"length": 3}


async def test_an_answer_is_the_same_object(api: API) -> None:
    made = await api.post(KITES, kite(spec={"colour": "red"}))
    for reply in (
        await api.get(f"{KITES}/a", accept=PROTOBUF),
        await api.get(f"{KITES}/a", accept=f"{PROTOBUF},application/json"),
        await api.send("PATCH", f"{KITES}/a", {}, content_type=MERGE, accept=PROTOBUF),
        await api.post(f"{KITES}?dryRun=All", kite("b", spec={"colour": "red"}), accept=PROTOBUF),
    ):
        assert reply.content_type == PROTOBUF
        got = object_in(reply.data, NEW)
        assert (got["kind"], got["spec"]) == ("Kite", {"colour": "red"})
    assert object_in((await api.get(f"{KITES}/a", accept=PROTOBUF)).data, NEW) == made.body


async def test_another_version_has_another_message(api: API) -> None:
    await api.post(KITES, kite(spec={"colour": "red"}))
    reply = await api.get(f"{OLD_KITES}/a", accept=PROTOBUF)
    got = object_in(reply.data, OLD)
    assert (got["apiVersion"], got["spec"]) == ("toys.example.com/v1beta1", {"color": "red"})
    _, items = list_in((await api.get(OLD_KITES, accept=PROTOBUF)).data, OLD)
    assert items[0]["spec"] == {"color": "red"}
    assert object_in((await api.get(f"{KITES}/a", accept=PROTOBUF)).data, NEW)["spec"] == {"colour": "red"}


async def test_a_list_is_made_of_its_objects_messages(api: API) -> None:
    empty, none = list_in((await api.get(KITES, accept=PROTOBUF)).data, NEW)
    assert (empty["kind"], none) == ("KiteList", [])
    for name in ("a", "b"):
        await api.post(KITES, kite(name, spec={"colour": name}))
    for _ in range(2):  # the second is answered from what was kept
        told, items = list_in((await api.get(KITES, accept=PROTOBUF)).data, NEW)
        assert told == {
            "kind": "KiteList",
            "apiVersion": "toys.example.com/v1",
            "metadata": {"resourceVersion": str(api.revision)},
        }
        assert [item["spec"]["colour"] for item in items] == ["a", "b"]
    await api.put(f"{KITES}/b", kite("b", spec={"colour": "blue"}))
    _, items = list_in((await api.get(KITES, accept=PROTOBUF)).data, NEW)
    assert [item["spec"]["colour"] for item in items] == ["a", "blue"]
    told, items = list_in((await api.get(f"{KITES}?limit=1", accept=PROTOBUF)).data, NEW)
    assert (len(items), told["metadata"]["remainingItemCount"], bool(told["metadata"]["continue"])) == (1, 1, True)


async def test_metadata_alone_is_protobuf_for_custom_resources_too(api: API) -> None:
    for url, obj in ((KITES, kite()), (CRON_TABS, cron_tab())):
        made = await api.post(url, obj)
        one = await api.get(f"{url}/a", accept=METADATA)
        assert one.content_type == PROTOBUF
        assert object_in(one.data, partial_object_metadata()) == {
            "kind": "PartialObjectMetadata",
            "apiVersion": "meta.k8s.io/v1",
            "metadata": made.body["metadata"],
        }
        told, items = list_in((await api.get(url, accept=METADATA_LIST)).data, partial_object_metadata())
        assert (told["kind"], told["apiVersion"]) == ("PartialObjectMetadataList", "meta.k8s.io/v1")
        assert items == [{"metadata": made.body["metadata"]}]
        node, old = partial_object_metadata(), f"{url}?watch=1&resourceVersion=0"
        assert await watched(api, old, node, accept=METADATA, count=1) == [("ADDED", object_in(one.data, node))]


async def test_the_first_release_of_a_metadata_list_had_its_items_first(api: API) -> None:
    made = await api.post(KITES, kite())
    reply = await api.get(KITES, accept=METADATA_LIST.replace("v=v1", "v=v1beta1"))
    parts = list(fields(opened(reply.data).message))
    assert [number for number, _ in parts] == [1, 2]
    assert isinstance(parts[0][1], bytes)
    assert read_message(partial_object_metadata(), parts[0][1]) == {"metadata": made.body["metadata"]}


async def test_a_watch_is_a_stream_of_frames(api: API) -> None:
    made = await api.post(KITES, kite(spec={"colour": "red"}))
    initial = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
    for accept in (PROTOBUF, f"{PROTOBUF};stream=watch", f"{PROTOBUF};stream=watch,application/json"):
        added, (kind, mark) = await watched(api, f"{KITES}?watch=1&{initial}", NEW, accept=accept, count=2)
        assert added == ("ADDED", made.body)
        assert (kind, mark["kind"]) == ("BOOKMARK", "Kite")
        assert mark["metadata"]["annotations"] == {"k8s.io/initial-events-end": "true"}


async def test_a_bookmark_needs_no_conversion(api: API) -> None:
    initial = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
    for accept, kind in ((PROTOBUF, "Kite"), (METADATA, "PartialObjectMetadata")):
        ((_, mark),) = await watched(api, f"{OLD_KITES}?watch=1&{initial}", OLD, accept=accept, count=1)
        assert (mark["kind"], mark["metadata"]["resourceVersion"]) == (kind, str(api.revision))


async def test_an_error_within_a_watch_is_a_frame_too(api: API) -> None:
    await api.post(KITES, kite(spec={"colour": "infrared"}))
    ((kind, told),) = await watched(api, f"{OLD_KITES}?watch=1&resourceVersion=0", OLD, accept=PROTOBUF, count=1)
    assert (kind, told["kind"], told["code"]) == ("ERROR", "Status", 500)
    assert "there was no such colour then" in told["message"]


async def test_a_table_is_never_protobuf(api: API) -> None:
    assert (await api.get(KITES, accept=TABLE)).status == 406
    assert (await api.get(KITES, accept=f"{TABLE},application/json")).content_type == "application/json"


@pytest.mark.parametrize(("url", "obj"), [(CRON_TABS, cron_tab()), (PLAIN, {"metadata": {"name": "a"}})])
async def test_what_has_no_message_is_sent_in_the_next_best_form(api: API, url: str, obj: JSONObject) -> None:
    await api.post(url, obj)
    for path in (url, f"{url}/a", f"{url}?watch=1&resourceVersion=0"):
        _, answer = await api.ask("GET", path, accept=f"{PROTOBUF},application/json")
        assert answer.content_type == "application/json"
        if isinstance(answer, StreamResponse):
            await answer.close()
        assert (await api.get(path, accept=PROTOBUF)).status == 406


@pytest.mark.parametrize(
    ("url", "kind", "what"),
    [(CRON_TABS, "CronTab", "*unstructured.Unstructured"), (PLAIN, "Ball", "*toys.Ball")],
)
async def test_what_has_no_message_is_not_read_from_one(api: API, url: str, kind: str, what: str) -> None:
    group = "stable.example.com/v1" if kind == "CronTab" else "toys.example.com/v1"
    refused = await api.post(url, raw=encoded(NEW, kite(kind=kind, apiVersion=group)), content_type=PROTOBUF)
    assert refused.error == (
        400,
        "BadRequest",
        (
            f'{kind} in version "v1" cannot be handled as a {kind}: object {what} does not implement the protobuf '
            "marshalling interface and cannot be encoded to a protobuf message"
        ),
    )


async def test_an_error_is_a_status_in_an_envelope(api: API) -> None:
    told = failure(await api.get(f"{KITES}/none", accept=PROTOBUF))
    assert (told["reason"], told["details"]["name"], told["details"]["kind"]) == ("NotFound", "none", "kites")
    assert failure(await api.get(f"{CRON_TABS}/none", accept=f"{PROTOBUF},application/json"))["reason"] == "NotFound"


async def test_delete_options_may_be_protobuf_and_so_is_the_answer(api: API) -> None:
    options = delete_options_schema().node
    for url, obj in ((KITES, kite()), (CRON_TABS, cron_tab())):
        made = await api.post(url, obj)
        told = {"kind": "DeleteOptions", "apiVersion": "v1"}
        wrong = encoded(options, told | {"preconditions": {"uid": "x"}})
        assert (await api.delete(f"{url}/a", raw=wrong, content_type=PROTOBUF)).status == 409
        right = encoded(options, told | {"preconditions": {"uid": made.body["metadata"]["uid"]}})
        gone = await api.delete(f"{url}/a", raw=right, content_type=PROTOBUF, accept=f"{PROTOBUF},application/json")
        if url == KITES:
            assert object_in(gone.data, status())["status"] == "Success"
        assert (await api.get(f"{url}/a")).status == 404
    other = await api.delete(f"{KITES}/a", raw=encoded(NEW, kite()), content_type=PROTOBUF)
    assert other.error[0] == 400
    assert other.message.startswith('no kind "Kite" is registered for version "toys.example.com/v1" in scheme')


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "the object provided is unrecognized (must be of type Kite): empty data (<empty>)"),
        (
            b'{"a":1}',
            (
                "the object provided is unrecognized (must be of type Kite): provided data does not appear to be a "
                'protobuf message, expected prefix [107 56 115 0] ({"a":1})'
            ),
        ),
        (b"k8s\x00", "the object provided is unrecognized (must be of type Kite): empty body (6b387300)"),
        (
            head("toys.example.com/v1", "Kite") + b"\x02\x0a\x05",
            'Kite in version "v1" cannot be handled as a Kite: unexpected EOF',
        ),
        (
            head("toys.example.com/v1beta1", "Kite") + b"\x00",
            (
                "the API version in the data (toys.example.com/v1beta1) does not match the expected API version "
                "(toys.example.com/v1)"
            ),
        ),
        (
            head("toys.example.com/v1", "Ball") + b"\x00",
            'Ball in version "v1" cannot be handled as a Kite: converting (v1.Ball) to (toys.Kite): unknown conversion',
        ),
    ],
)
async def test_a_body_that_is_no_such_message_is_refused(api: API, body: bytes, message: str) -> None:
    refused = await api.post(KITES, raw=body, content_type=PROTOBUF)
    assert refused.error == (400, "BadRequest", message)


async def test_who_does_not_say_what_it_is_means_what_the_url_says(api: API) -> None:
    body = head("", "") + b"\x07" + bytes.fromhex("0a030a0161" + "1200")
    created = await api.post(KITES, raw=body, content_type=PROTOBUF)
    assert (created.status, created.body["kind"], created.body["metadata"]["name"]) == (201, "Kite", "a")


async def test_unknown_fields_are_stepped_over_however_strict_one_is(api: API) -> None:
    body = head("", "") + b"\x09" + bytes.fromhex("0a030a0161" + "1200" + "5001")
    assert (await api.post(f"{KITES}?fieldValidation=Strict", raw=body, content_type=PROTOBUF)).status == 201


async def test_a_patch_is_never_protobuf(api: API) -> None:
    await api.post(KITES, kite())
    assert (await api.send("PATCH", f"{KITES}/a", raw=encoded(NEW, kite()), content_type=PROTOBUF)).status == 415
