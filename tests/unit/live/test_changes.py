"""What a reflector brings, told apart from what it brings again."""

from __future__ import annotations

from typing import Any

from kctl.views.watch.changes import Change, Known
from kctl.views.watch.sources import Source
from localplane.apimachinery.groups import GroupVersionKind
from localplane.client.rest.mapper import RESTMapping
from localplane.client.rest.names import GroupVersionResource

PODS = Source(
    RESTMapping(GroupVersionResource("", "v1", "pods"), GroupVersionKind("", "v1", "Pod"), namespaced=True),
    "default",
    "",
    "",
    "",
)


class Story:
    def __init__(self) -> None:
        self.told: list[tuple[str, str, str]] = []
        self.initial: list[bool] = []

    def show(self, source: Source, changes: list[Change], *, initial: bool) -> None:
        self.initial.append(initial)
        for change in changes:
            metadata = change.object["metadata"]
            self.told.append((change.type, metadata["name"], metadata["resourceVersion"]))

    def connected(self, source: Source, problem: str) -> None:
        raise AssertionError(problem)


def pod(name: str, version: int, uid: str = "") -> dict[str, Any]:
    return {"metadata": {"name": name, "namespace": "default", "uid": uid or name, "resourceVersion": str(version)}}


def test_a_list_after_a_gap_tells_only_what_is_different() -> None:
    story = Story()
    known = Known(PODS, story)
    known.replace([pod("same", 1), pod("changed", 2), pod("gone", 3), pod("reborn", 4, uid="first")])
    story.told.clear()
    known.replace([pod("same", 1), pod("changed", 12), pod("reborn", 14, uid="second"), pod("new", 15)])
    assert story.told == [
        ("DELETED", "gone", "3"),
        ("MODIFIED", "changed", "12"),
        ("DELETED", "reborn", "4"),
        ("ADDED", "reborn", "14"),
        ("ADDED", "new", "15"),
    ]
    assert story.initial == [True, False]


def test_an_event_that_comes_twice_is_told_once() -> None:
    story = Story()
    known = Known(PODS, story)
    known.replace([])
    known.add(pod("a", 1))
    known.add(pod("a", 1))
    known.update(pod("a", 2))
    known.update(pod("a", 2))
    known.delete(pod("a", 3))
    known.delete(pod("a", 3))
    assert story.told == [("ADDED", "a", "1"), ("MODIFIED", "a", "2"), ("DELETED", "a", "3")]


def test_an_empty_collection_is_still_announced() -> None:
    story = Story()
    Known(PODS, story).replace([])
    assert story.initial == [True]
