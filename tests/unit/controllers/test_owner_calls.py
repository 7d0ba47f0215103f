"""Who is called when an object comes, changes or goes."""

from __future__ import annotations

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.client import Indexer, Lister
from localplane.controllers.ownership import controller_reference
from localplane.controllers.workloads.owner_calls import OwnerCalls


def owner(name: str, **labels: str) -> JSONObject:
    metadata = {"namespace": "ns", "name": name, "uid": f"uid-{name}"}
    spec = {"selector": {"matchLabels": labels}}
    return {"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": metadata, "spec": spec}


WEB, BACK, GREEDY = owner("web", app="web"), owner("back", app="back"), owner("greedy")


def pod(of: JSONObject | None = None, **labels: str) -> JSONObject:
    metadata: JSONObject = {"namespace": "ns", "name": "pod", "labels": labels}
    if of is not None:
        metadata["ownerReferences"] = [controller_reference(of)]
    return {"metadata": metadata}


@pytest.fixture
def called() -> list[str]:
    return []


@pytest.fixture
def calls(called: list[str]) -> OwnerCalls:
    indexer = Indexer()
    for each in (WEB, BACK, GREEDY):
        indexer.put(f"ns/{each['metadata']['name']}", each)
    return OwnerCalls("DaemonSet", Lister(indexer), lambda each: called.append(each["metadata"]["name"]))


def test_a_new_object_calls_its_owner_or_all_who_select_it(calls: OwnerCalls, called: list[str]) -> None:
    calls.call(pod(BACK, app="web"))
    calls.call(pod(app="web"))
    calls.call(pod())
    calls.call(pod(owner("stranger"), app="web"))
    assert called == ["back", "web"]


def test_an_object_that_is_gone_calls_only_its_owner(calls: OwnerCalls, called: list[str]) -> None:
    calls.call_owner(pod(WEB))
    calls.call_owner(pod(app="web"))
    assert called == ["web"]


def test_a_change_calls_the_owner_and_the_one_before(calls: OwnerCalls, called: list[str]) -> None:
    calls.call_for_change(pod(WEB), pod(WEB))
    assert called == ["web"]
    called.clear()
    calls.call_for_change(pod(WEB), pod(BACK))
    assert called == ["web", "back"]


def test_an_orphan_calls_only_if_it_could_have_become_somebodys(calls: OwnerCalls, called: list[str]) -> None:
    calls.call_for_change(pod(app="web"), pod(app="web"))
    assert called == []
    calls.call_for_change(pod(app="none"), pod(app="web"))
    assert called == ["web"]
    called.clear()
    calls.call_for_change(pod(BACK, app="web"), pod(app="web"))
    assert called == ["back", "web"]


def test_another_of_the_same_name_is_not_called(calls: OwnerCalls, called: list[str]) -> None:
    earlier = owner("web")
    earlier["metadata"]["uid"] = "earlier"
    calls.call_owner(pod(earlier))
    assert called == []
