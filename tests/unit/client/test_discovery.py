"""What a server has, asked in either way."""

from __future__ import annotations

import pytest

from localplane.apimachinery.groups import GroupVersion, GroupVersionKind
from localplane.client.errors import DiscoveryFailed
from localplane.client.rest.discovery import Discovered, Discovery
from localplane.client.rest.names import GroupVersionResource
from localplane.client.transport.interface import BufferedResponse
from tests.unit.client.documents import LEGACY_CORE, LEGACY_NAMED, LEGACY_RESOURCES, aggregating
from tests.unit.client.in_process import Asked, ScriptedTransport, answer, client_over


def _legacy(asked: Asked) -> BufferedResponse:
    documents = {"/api": LEGACY_CORE, "/apis": LEGACY_NAMED, **LEGACY_RESOURCES}
    return answer(200, documents[asked.path]) if asked.path in documents else answer(503)


def _names(discovered: Discovered) -> list[tuple[str, str, str]]:
    return [(one.resource.group, one.resource.version, one.resource.resource) for one in discovered.resources()]


async def test_aggregated_discovery_takes_two_requests() -> None:
    transport = ScriptedTransport(aggregating)
    discovered = await Discovery(client_over(transport)).discover()
    assert [asked.path for asked in transport.asked] == ["/api", "/apis"]
    assert [group.name for group in discovered.groups] == [
        "",
        "apps",
        "events.k8s.io",
        "autoscaling",
        "serving.example.com",
    ]
    assert ("", "v1", "pods/eviction") in _names(discovered)
    assert ("", "v1", "pods/log") not in _names(discovered), "it has no kind"


async def test_a_resource_is_described_the_same_either_way() -> None:
    for respond in (aggregating, _legacy):
        discovered = await Discovery(client_over(ScriptedTransport(respond))).discover()
        pods, eviction = (one for one in discovered.resources() if one.resource.resource.startswith("pods"))
        assert pods.resource == GroupVersionResource("", "v1", "pods")
        assert pods.kind == GroupVersionKind("", "v1", "Pod")
        assert (pods.namespaced, pods.singular, pods.short_names, pods.categories) == (True, "pod", ("po",), ("all",))
        assert "watch" in pods.verbs
        assert eviction.kind == GroupVersionKind("policy", "v1", "Eviction")
        assert eviction.is_subresource


async def test_a_stale_version_is_a_failure_and_not_a_resource() -> None:
    discovered = await Discovery(client_over(ScriptedTransport(aggregating))).discover()
    assert list(discovered.failures) == [GroupVersion("serving.example.com", "v1alpha1")]
    with pytest.raises(DiscoveryFailed, match=r"stale GroupVersion discovery: serving\.example\.com/v1alpha1"):
        discovered.raise_for_failures()


async def test_a_version_that_does_not_answer_does_not_hide_the_others() -> None:
    discovered = await Discovery(client_over(ScriptedTransport(_legacy))).discover()
    assert [group.name for group in discovered.groups] == ["", "apps", "autoscaling"]
    assert list(discovered.failures) == [GroupVersion("autoscaling", "v1")]
    assert ("autoscaling", "v2", "horizontalpodautoscalers") in _names(discovered)


async def test_roots_of_two_kinds_are_asked_one_by_one() -> None:
    def mixed(asked: Asked) -> BufferedResponse:
        return aggregating(asked) if asked.path == "/api" else _legacy(asked)

    discovered = await Discovery(client_over(ScriptedTransport(mixed))).discover()
    assert ("", "v1", "namespaces") in _names(discovered)
    assert ("apps", "v1", "deployments") in _names(discovered)


async def test_a_server_need_not_have_the_core_group() -> None:
    def without(asked: Asked) -> BufferedResponse:
        return answer(404) if asked.path == "/api" else aggregating(asked)

    discovered = await Discovery(client_over(ScriptedTransport(without))).discover()
    assert discovered.groups[0].name == "apps"


async def test_preferred_resources_come_once_in_the_preferred_version() -> None:
    discovered = await Discovery(client_over(ScriptedTransport(aggregating))).discover()
    preferred = [one.resource for one in discovered.preferred_resources() if one.resource.group == "autoscaling"]
    assert preferred == [GroupVersionResource("autoscaling", "v2", "horizontalpodautoscalers")]
