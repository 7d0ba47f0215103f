"""Who answers for which path, and when discovery is told that something else is served."""

from __future__ import annotations

from typing import Any

import pytest

from localplane.apiserver.request import Answer, Query, Request, Response
from localplane.servers.aggregator.aggregator import Aggregator
from localplane.servers.aggregator.availability import AvailabilityFinding, with_condition
from localplane.servers.aggregator.proxy import Proxy
from localplane.servers.aggregator.remote import Remote
from localplane.servers.aggregator.remote_discovery import RemoteDiscovery

LOCAL = {"metadata": {"name": "v1.a.b"}, "spec": {"group": "a.b", "version": "v1"}}
PASSED = AvailabilityFinding("Passed", "all checks passed", RemoteDiscovery(b"", ()))
FAILED = AvailabilityFinding("ServiceNotFound", "gone")


class Noting(Proxy):
    """Says whom it would have asked."""

    def __init__(self) -> None:
        """It asks nobody."""

    async def pass_on(self, request: Request, remote: Remote) -> Answer:
        return Response(200, remote.name.encode())


def remote(*, status: str = "True") -> dict[str, Any]:
    return {
        "metadata": {"name": "v1.a.b"},
        "spec": {
            "group": "a.b",
            "version": "v1",
            "groupPriorityMinimum": 100,
            "versionPriority": 10,
            "service": {"namespace": "default", "name": "behind", "port": 443},
        },
        "status": {"conditions": [{"type": "Available", "status": status, "lastTransitionTime": "then"}]},
    }


def aggregator() -> Aggregator:
    return Aggregator(Noting())


async def nothing(_: int) -> bytes:
    return b""


@pytest.mark.parametrize(
    ("path", "passed_on"),
    [
        ("/apis/a.b/v1", True),
        ("/apis/a.b/v1/", True),
        ("/apis/a.b/v1/namespaces/default/tickets/x", True),
        ("/openapi/v3/apis/a.b/v1", True),
        ("/apis", False),
        ("/apis/a.b", False),
        ("/apis/a.b/v2", False),
        ("/apis/a.b/v11/tickets", False),
        ("/api/v1", False),
        ("/openapi/v3", False),
    ],
)
async def test_only_its_own_version_is_anothers(path: str, passed_on: bool) -> None:  # noqa: FBT001 - of a table
    made = aggregator()
    made.heard(remote())
    answer = await made.handle(Request("GET", path, Query({}), {}, nothing))
    assert (answer is not None) is passed_on


async def test_what_becomes_local_is_answered_here() -> None:
    made = aggregator()
    made.heard(remote())
    made.heard(LOCAL)
    assert await made.handle(Request("GET", "/apis/a.b/v1", Query({}), {}, nothing)) is None


def test_discovery_hears_of_changes_and_of_nothing_else() -> None:
    made, heard = aggregator(), []
    made.on_change(lambda: heard.append(len(made.describe())))
    made.heard(LOCAL)
    made.heard(remote())
    made.heard(remote())
    made.heard(remote(status="False"))
    made.discovered("v1.a.b", RemoteDiscovery(b"x", ()))
    made.discovered("v1.a.b", RemoteDiscovery(b"x", ()))
    made.gone(remote())
    assert heard == [1, 1, 1, 0]


def test_a_version_is_current_once_it_was_asked_and_for_as_long_as_it_is_available() -> None:
    made = aggregator()

    def stale() -> bool:
        return made.describe()[0].versions[0].stale

    made.heard(remote())
    assert stale()
    made.discovered("v1.a.b", RemoteDiscovery(b"", (), openapi="/there"))
    assert not stale()
    assert made.openapi() == {"apis/a.b/v1": "/there"}
    made.heard(remote(status="False"))
    assert stale()
    assert made.openapi() == {}


def test_a_condition_keeps_its_time_for_as_long_as_its_status_stays() -> None:
    changed = with_condition(remote(), PASSED)
    assert changed is not None
    (condition,) = changed["status"]["conditions"]
    assert (condition["status"], condition["reason"], condition["lastTransitionTime"]) == ("True", "Passed", "then")
    assert with_condition(changed, PASSED) is None
    failed = with_condition(changed, FAILED)
    assert failed is not None
    assert failed["status"]["conditions"][0]["lastTransitionTime"] != "then"
