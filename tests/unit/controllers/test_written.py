"""A controller waits until its informers show what it wrote."""

from __future__ import annotations

from typing import cast

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.client import Indexer, SharedInformer
from localplane.controllers.unseen_writes import UnseenWrites
from localplane.controllers.worker import TryAfter


class Copy:
    """What of an informer counts here."""

    def __init__(self) -> None:
        self.indexer = Indexer()
        self.last_sync_resource_version = "5"

    def show(self, obj: JSONObject) -> None:
        self.indexer.put("ns/pod", obj)
        self.last_sync_resource_version = obj["metadata"]["resourceVersion"]


def pod(version: str) -> JSONObject:
    return {"metadata": {"namespace": "ns", "name": "pod", "resourceVersion": version}}


def is_seen(written: UnseenWrites) -> bool:
    try:
        written.check_seen("ns/owner")
    except TryAfter:
        return False
    return True


def test_what_was_written_is_waited_for() -> None:
    copy, written = Copy(), UnseenWrites()
    assert is_seen(written)
    written.wrote("ns/owner", cast("SharedInformer", copy), pod("7"))
    assert not is_seen(written)
    copy.show(pod("6"))
    assert not is_seen(written)
    written.check_seen("ns/other")
    copy.show(pod("7"))
    assert is_seen(written)


def test_what_is_gone_again_is_not_waited_for() -> None:
    copy, written = Copy(), UnseenWrites()
    written.wrote("ns/owner", cast("SharedInformer", copy), pod("7"))
    copy.last_sync_resource_version = "9"
    assert is_seen(written)


def test_nobody_waits_for_what_is_forgotten() -> None:
    copy, written = Copy(), UnseenWrites()
    written.wrote("ns/owner", cast("SharedInformer", copy), pod("7"))
    with pytest.raises(TryAfter):
        written.check_seen("ns/owner")
    written.forget("ns/owner")
    assert is_seen(written)
