"""What people call resources."""

from __future__ import annotations

import pytest

from localplane.apimachinery.groups import GroupKind
from localplane.client.errors import AmbiguousMatch, NoMatch
from localplane.client.rest.discovery import APIGroup, APIVersion, Discovered, Discovery, aggregated_groups
from localplane.client.rest.mapper import DiscoveryMapper, RESTMapper
from localplane.client.rest.names import GroupVersionResource
from tests.unit.client.documents import AGGREGATED_CORE, AGGREGATED_NAMED, aggregating
from tests.unit.client.in_process import ScriptedTransport, client_over

DISCOVERED = aggregated_groups([*AGGREGATED_CORE["items"], *AGGREGATED_NAMED["items"]])
PODS = GroupVersionResource("", "v1", "pods")
DEPLOYMENTS = GroupVersionResource("apps", "v1", "deployments")
SERVICES = GroupVersionResource("", "v1", "services")
OTHER_SERVICES = GroupVersionResource("serving.example.com", "v1", "services")
HPA = GroupVersionResource("autoscaling", "v2", "horizontalpodautoscalers")
OLD_HPA = GroupVersionResource("autoscaling", "v1", "horizontalpodautoscalers")


@pytest.mark.parametrize(
    ("argument", "resource"),
    [
        ("pods", PODS),
        ("pod", PODS),
        ("po", PODS),
        ("Pod", PODS),
        ("PODS", PODS),
        ("deployments.apps", DEPLOYMENTS),
        ("deploy.apps", DEPLOYMENTS),
        ("Deployment.apps", DEPLOYMENTS),
        ("deployments.v1.apps", DEPLOYMENTS),
        ("Deployment.v1.apps", DEPLOYMENTS),
        ("deploy.app", DEPLOYMENTS),
        ("services", SERVICES),
        ("svc", SERVICES),
        ("ksvc", OTHER_SERVICES),
        ("services.serving.example.com", OTHER_SERVICES),
        ("svc.serving.example.com", OTHER_SERVICES),
        ("services.serving", OTHER_SERVICES),
        ("events", GroupVersionResource("", "v1", "events")),
        ("ev", GroupVersionResource("", "v1", "events")),
        ("events.events.k8s.io", GroupVersionResource("events.k8s.io", "v1", "events")),
        ("hpa", HPA),
        ("horizontalpodautoscalers.v1.autoscaling", OLD_HPA),
        ("horizontalpodautoscalers.v2.autoscaling", HPA),
    ],
)
def test_a_resource_is_found_by_any_of_its_names(argument: str, resource: GroupVersionResource) -> None:
    assert RESTMapper(DISCOVERED).mapping_for(argument).resource == resource


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("nope", 'the server doesn\'t have a resource type "nope"'),
        ("pods.nope", 'the server doesn\'t have a resource type "pods" in group "nope"'),
        ("pods.v1.apps", 'the server doesn\'t have a resource type "pods" in group "v1.apps"'),
        ("pods/log", 'the server doesn\'t have a resource type "pods/log"'),
    ],
)
def test_an_unknown_name_is_refused_in_kubectls_words(argument: str, message: str) -> None:
    with pytest.raises(NoMatch) as caught:
        RESTMapper(DISCOVERED).mapping_for(argument)
    assert str(caught.value) == message


def test_a_kind_is_found_in_the_preferred_version_or_the_one_that_is_asked_for() -> None:
    mapper, kind = RESTMapper(DISCOVERED), GroupKind("autoscaling", "HorizontalPodAutoscaler")
    assert mapper.mapping(kind).resource == HPA
    assert mapper.mapping(kind, "v1").resource == OLD_HPA
    assert mapper.mapping(kind, "v3", "v1").resource == OLD_HPA
    assert mapper.mapping(GroupKind("", "Namespace")).namespaced is False
    assert mapper.mapping(GroupKind("", "Pod")).namespaced is True
    assert str(mapper.mapping(kind).kind) == "autoscaling/v2, Kind=HorizontalPodAutoscaler"


@pytest.mark.parametrize(
    ("versions", "where"),
    [
        ((), 'group "apps"'),
        (("v1",), 'version "apps/v1"'),
        (("v2", "v1"), 'versions ["apps/v1" "apps/v2"]'),
    ],
)
def test_an_unknown_kind_says_where_it_was_looked_for(versions: tuple[str, ...], where: str) -> None:
    with pytest.raises(NoMatch) as caught:
        RESTMapper(DISCOVERED).mapping(GroupKind("apps", "Nope"), *versions)
    assert str(caught.value) == f'no matches for kind "Nope" in {where}'


def test_a_short_name_of_several_resources_is_a_warning() -> None:
    heard: list[str] = []
    RESTMapper(DISCOVERED, warn=heard.append).mapping_for("svc")
    assert heard == ['short name "svc" could also match lower priority resource services.serving.example.com']


def test_a_version_without_a_group_narrows_the_choice() -> None:
    found = RESTMapper(DISCOVERED).resource_for(GroupVersionResource("", "v1", "horizontalpodautoscalers"))
    assert found == OLD_HPA


def test_two_of_one_version_are_ambiguous() -> None:
    (deployments,) = (one for one in DISCOVERED.resources() if one.resource == DEPLOYMENTS)
    twin = deployments.__class__(GroupVersionResource("apps", "v1", "deployment"), deployments.kind, namespaced=True)
    version = APIVersion(DEPLOYMENTS.group_version, (deployments, twin))
    mapper = RESTMapper(Discovered((APIGroup("apps", "v1", (version,)),)))
    with pytest.raises(AmbiguousMatch, match="matches multiple resources"):
        mapper.resource_for(GroupVersionResource("", "", "deployment"))


async def test_an_unknown_name_is_looked_up_again_once() -> None:
    transport = ScriptedTransport(aggregating)
    mapper = DiscoveryMapper(Discovery(client_over(transport)))
    assert (await mapper.mapping_for("po")).resource == PODS
    assert (await mapper.mapping_for("deploy")).resource == DEPLOYMENTS
    assert len(transport.asked) == 2
    with pytest.raises(NoMatch):
        await mapper.mapping_for("nope")
    assert len(transport.asked) == 4


def test_lists_are_known_though_no_server_has_them() -> None:
    mapper = RESTMapper(DISCOVERED)
    assert mapper.mapping(GroupKind("", "PodList"), "v1").resource == GroupVersionResource("", "v1", "podlists")
    assert mapper.mapping_for("lists").resource == GroupVersionResource("", "v1", "lists")
    assert mapper.mapping(GroupKind("apps", "List"), "v1").namespaced is False
    with pytest.raises(NoMatch, match='no matches for kind "NopeList" in version "v1"'):
        mapper.mapping(GroupKind("", "NopeList"), "v1")
