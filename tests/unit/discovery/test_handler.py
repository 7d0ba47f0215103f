"""Which paths, methods and forms are answered, and how the others are refused."""

from __future__ import annotations

from typing import Any

import pytest

from localplane.apimachinery.errors import APIError, MethodNotAllowed, NotAcceptable, NotFound
from localplane.apimachinery.serializers.protobuf import discovery_document, opened, read_message
from localplane.apiserver.endpoints.discovery import DiscoveryHandler, InstalledGroup, InstalledVersion
from localplane.apiserver.request import Response
from tests.unit.discovery.toys import AGGREGATED, BUILT_IN, CORE, TOYS, body_of, request, widgets

ACCEPTED = (
    "only the following media types are accepted: application/json, application/yaml, "
    "application/vnd.kubernetes.protobuf"
)


PROTOBUF = "application/vnd.kubernetes.protobuf"


def message_in(answer: Response) -> dict[str, Any]:
    assert isinstance(answer.body, bytes)
    envelope = opened(answer.body)
    told = {"kind": envelope.kind} | ({"apiVersion": envelope.api_version} if envelope.api_version else {})
    return told | read_message(discovery_document(envelope.kind), envelope.message)


@pytest.fixture
def discovery() -> DiscoveryHandler:
    return DiscoveryHandler(lambda: (CORE, TOYS, BUILT_IN))


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/api/v1/namespaces",
        "/apis/nope.example.com",
        "/apis/nope.example.com/v1",
        "/apis/play.k8s.io/v9",
        "/apis/play.k8s.io/v1/widgets",
        "/apis//v1",
        "/version",
    ],
)
async def test_other_paths_are_left_to_others(discovery: DiscoveryHandler, path: str) -> None:
    assert await discovery.handle(request(path)) is None


async def test_another_version_of_the_core_group_is_refused_by_its_router(discovery: DiscoveryHandler) -> None:
    with pytest.raises(NotFound, match="the server could not find the requested resource"):
        await discovery.handle(request("/api/v2"))


async def test_without_a_core_group_there_is_no_api_path() -> None:
    discovery = DiscoveryHandler(lambda: [TOYS])
    assert await discovery.handle(request("/api")) is None
    assert await discovery.handle(request("/api/v1")) is None


@pytest.mark.parametrize("path", ["/api", "/apis", "/apis/play.k8s.io", "/api/v1", "/apis/play.k8s.io/v1"])
async def test_a_slash_at_the_end_changes_nothing(discovery: DiscoveryHandler, path: str) -> None:
    assert body_of(await discovery.handle(request(f"{path}/"))) == body_of(await discovery.handle(request(path)))


@pytest.mark.parametrize("path", ["/api", "/api/v1", "/apis/play.k8s.io/v1"])
async def test_behind_the_router_only_get_is_allowed(discovery: DiscoveryHandler, path: str) -> None:
    with pytest.raises(MethodNotAllowed) as refused:
        await discovery.handle(request(path, method="POST"))
    assert refused.value.status()["details"] == {}
    assert refused.value.message == "the server does not allow this method on the requested resource"


@pytest.mark.parametrize("path", ["/apis", "/apis/play.k8s.io", "/apis/toys.example.com/v1"])
async def test_elsewhere_any_method_is_a_get(discovery: DiscoveryHandler, path: str) -> None:
    answer = await discovery.handle(request(path, method="POST"))
    assert isinstance(answer, Response)
    assert answer.status == 200


@pytest.mark.parametrize("path", ["/api", "/apis", "/apis/play.k8s.io", "/api/v1"])
async def test_yaml_is_written_for_whoever_likes_it(discovery: DiscoveryHandler, path: str) -> None:
    answer = await discovery.handle(request(path, "application/yaml"))
    assert isinstance(answer, Response)
    assert isinstance(answer.body, bytes)
    assert answer.content_type == "application/yaml"
    assert b"\nkind: " in b"\n" + answer.body


@pytest.mark.parametrize("path", ["/apis/play.k8s.io", "/api/v1"])
async def test_the_one_document_is_only_at_the_roots(discovery: DiscoveryHandler, path: str) -> None:
    with pytest.raises(NotAcceptable) as refused:
        await discovery.handle(request(path, AGGREGATED))
    assert refused.value.message == ACCEPTED
    assert "details" not in refused.value.status()


async def test_an_unknown_version_of_the_one_document_is_refused(discovery: DiscoveryHandler) -> None:
    with pytest.raises(NotAcceptable) as refused:
        await discovery.handle(request("/api", AGGREGATED.replace("v=v2", "v=v9")))
    assert refused.value.message == ACCEPTED


async def test_the_router_compares_names_and_refuses_in_its_own_words(discovery: DiscoveryHandler) -> None:
    with pytest.raises(APIError) as refused:
        await discovery.handle(request("/api/v1", "application/*"))
    assert refused.value.message.startswith("406: Not Acceptable")
    custom = await discovery.handle(request("/apis/toys.example.com/v1", "application/*"))
    assert body_of(custom)["kind"] == "APIResourceList"


@pytest.mark.parametrize("path", ["/api", "/api/v1", "/apis", "/apis/play.k8s.io", "/apis/toys.example.com/v1"])
async def test_a_client_that_likes_protobuf_best_gets_the_same_in_protobuf(
    discovery: DiscoveryHandler, path: str
) -> None:
    answer = await discovery.handle(request(path, f"{PROTOBUF}, */*"))
    assert isinstance(answer, Response)
    assert answer.content_type == PROTOBUF
    assert message_in(answer) == body_of(await discovery.handle(request(path)))


async def test_the_document_with_everything_is_protobuf_for_those_who_ask(discovery: DiscoveryHandler) -> None:
    said = "g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
    answer = await discovery.handle(request("/apis", f"{PROTOBUF};{said}"))
    assert isinstance(answer, Response)
    assert answer.content_type == f"{PROTOBUF};{said}"
    assert message_in(answer) == body_of(await discovery.handle(request("/apis", f"application/json;{said}")))


async def test_people_get_lines(discovery: DiscoveryHandler) -> None:
    for_people = await discovery.handle(request("/api", user_agent="curl/8"))
    for_programs = await discovery.handle(request("/api"))
    assert isinstance(for_people, Response)
    assert isinstance(for_programs, Response)
    assert isinstance(for_people.body, bytes)
    assert isinstance(for_programs.body, bytes)
    assert b"\n  " in for_people.body
    assert for_programs.body.index(b"\n") == len(for_programs.body) - 1
    assert body_of(for_people) == body_of(for_programs)


async def test_bytes_are_made_once_until_something_changes() -> None:
    calls = []

    def groups() -> list[InstalledGroup]:
        calls.append(1)
        return [TOYS]

    discovery = DiscoveryHandler(groups)
    first = await discovery.handle(request("/apis"))
    second = await discovery.handle(request("/apis"))
    await discovery.handle(request("/apis/toys.example.com/v1"))
    assert isinstance(first, Response)
    assert isinstance(second, Response)
    assert first.body is second.body
    assert len(calls) == 1
    discovery.changed()
    discovery.changed()
    assert len(calls) == 1, "a change costs nothing until someone asks"
    await discovery.handle(request("/apis"))
    assert len(calls) == 2


async def test_groups_come_and_go() -> None:
    groups: list[InstalledGroup] = []
    discovery = DiscoveryHandler(lambda: groups)
    assert await discovery.handle(request("/apis/new.example.com/v1")) is None
    groups.append(
        InstalledGroup(name="new.example.com", versions=[InstalledVersion(version="v1", resources=[widgets()])])
    )
    discovery.changed()
    assert body_of(await discovery.handle(request("/apis/new.example.com/v1")))["groupVersion"] == "new.example.com/v1"
    groups.clear()
    discovery.changed()
    assert await discovery.handle(request("/apis/new.example.com")) is None


async def test_schemas_are_no_business_of_discovery() -> None:
    def never() -> None:
        raise AssertionError("discovery asked for a schema")

    version = InstalledVersion(version="v1", resources=[widgets(schema=never)])
    discovery = DiscoveryHandler(lambda: [InstalledGroup(name="a.example.com", versions=[version])])
    for path in ("/apis", "/apis/a.example.com", "/apis/a.example.com/v1"):
        assert await discovery.handle(request(path)) is not None
    assert await discovery.handle(request("/apis", AGGREGATED)) is not None
