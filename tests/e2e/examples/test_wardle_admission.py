"""BanFlunder: no flunder may have a name that a fischer disallows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import count

import httpx
import pytest

from examples.wardle.wardle import WARDLE, BanFlunder
from localplane.client import GroupVersionResource, SharedInformerFactory
from localplane.library import Forbidden, PlaneOptions, Provided, ServerOptions, StorageKind, StorageOptions, open_plane
from tests.e2e.examples.conftest import Flunders, flunder

FISCHERS = "/apis/wardle.example.com/v1alpha1/fischers"
_NUMBERS = count(1)


@contextmanager
def banned(http: httpx.Client, *names: str) -> Iterator[None]:
    """A fischer that disallows names, for as long as the block lasts."""
    fischer = {
        "apiVersion": "wardle.example.com/v1alpha1",
        "kind": "Fischer",
        "metadata": {"name": f"fischer-{next(_NUMBERS)}"},
        "disallowedFlunders": names,
    }
    name = http.post(FISCHERS, json=fischer).raise_for_status().json()["metadata"]["name"]
    try:
        yield
    finally:
        http.delete(f"{FISCHERS}/{name}").raise_for_status()


def attempt(flunders: Flunders, name: str, *, until: int) -> httpx.Response:
    """The plugin's informer hears of a fischer a moment after it was created or deleted; a dry run changes nothing."""
    for _ in range(1_000):
        body = flunder("v1beta1", name, {})
        answer = flunders.http.post(f"{flunders.path('v1beta1')}?dryRun=All", json=body)
        if answer.status_code == until:
            break
    return answer


def test_a_banned_name_is_refused(flunders: Flunders, http: httpx.Client) -> None:
    with banned(http, "carp", "trout"):
        attempt(flunders, "trout", until=403)
        answer = flunders.post("v1alpha1", "trout", {})
        assert answer.status_code == 403
        assert answer.json() == {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": (
                'flunders.wardle.example.com "trout" is forbidden: '
                "this name may not be used, please change the resource name"
            ),
            "reason": "Forbidden",
            "details": {"name": "trout", "group": "wardle.example.com", "kind": "flunders"},
            "code": 403,
        }
        assert flunders.post("v1alpha1", "perch", {}).status_code == 201


def test_a_name_is_free_again_when_its_fischer_is_gone(flunders: Flunders, http: httpx.Client) -> None:
    with banned(http, "pike"):
        assert attempt(flunders, "pike", until=403).status_code == 403
    assert attempt(flunders, "pike", until=201).status_code == 201


def test_a_flunder_that_is_there_may_be_updated(flunders: Flunders, http: httpx.Client) -> None:
    assert flunders.post("v1beta1", "eel", {}).status_code == 201
    with banned(http, "eel"):
        assert attempt(flunders, "eel", until=403).status_code == 403
        spec = {"flunderReference": "a", "referenceType": "Flunder"}
        assert flunders.put("v1beta1", "eel", flunders.get("v1beta1", "eel") | {"spec": spec}).status_code == 200


class NeverSynced(BanFlunder):
    """Its informer is one that nobody runs."""

    def initialize(self, provided: Provided) -> None:
        super().initialize(replace(provided, informers=SharedInformerFactory(provided.client)))


async def test_nothing_is_created_before_the_bans_are_known() -> None:
    options = PlaneOptions(
        admission=[NeverSynced()],
        server=ServerOptions(port=0),
        storage=StorageOptions(kind=StorageKind.MEMORY),
    )
    async with open_plane([WARDLE], options) as plane:
        resource = plane.client.resource(GroupVersionResource("wardle.example.com", "v1beta1", "flunders"), "default")
        with pytest.raises(Forbidden) as caught:
            await resource.create(flunder("v1beta1", "x", {}))
    assert str(caught.value) == 'flunders.wardle.example.com "x" is forbidden: not yet ready to handle request'
