"""What selectors ask for is read from an object once, and kept with it."""

from __future__ import annotations

import gc

from localplane.apimachinery.objects import JSONObject
from localplane.apiserver.registry.selectable import selectable_fields
from localplane.apiserver.storage.objects import MemoKey, StoredObject


def pod(node: str) -> StoredObject:
    obj = {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "a"}, "spec": {"nodeName": node}}
    return StoredObject.from_object("/registry/pods/default/a", obj, 3)


def test_an_object_is_parsed_once_for_all_of_its_fields() -> None:
    parsed: list[JSONObject] = []
    fields = selectable_fields(
        {"spec.nodeName": lambda obj: str(obj["spec"]["nodeName"]), "kind": lambda obj: str(obj["kind"])},
        prepare=parsed.append,
    )
    stored = pod("n1")
    assert [fields["spec.nodeName"](stored) for _ in range(3)] == ["n1"] * 3
    assert fields["kind"](stored) == "Pod"
    assert len(parsed) == 1
    assert fields["spec.nodeName"](pod("n2")) == "n2"


def test_a_new_declaration_reads_its_fields_anew_and_leaves_nothing_of_the_old_ones() -> None:
    stored = pod("n1")
    old = selectable_fields({"where": lambda obj: str(obj["spec"]["nodeName"])})
    new = selectable_fields({"where": lambda obj: str(obj["metadata"]["name"])})
    assert (old["where"](stored), new["where"](stored)) == ("n1", "a")
    assert stored.memo is not None
    assert len(stored.memo) == 1


def test_what_is_kept_is_no_work_for_the_garbage_collector() -> None:
    stored = pod("n1")
    stored.keep(MemoKey("json v1", "mark"), b"{}")
    selectable_fields({"spec.nodeName": lambda obj: str(obj["spec"]["nodeName"])})["spec.nodeName"](stored)
    assert stored.memo is not None
    assert all(not gc.is_tracked(each) for pair in stored.memo.items() for each in pair)


def test_metadata_is_cut_out_of_the_bytes() -> None:
    stored = pod("n1")
    assert stored.metadata == b'{"name":"a","resourceVersion":"3"}'
    assert stored.at_revision(4).metadata == b'{"name":"a","resourceVersion":"4"}'
