"""The annotation that remembers what was applied, to the byte."""

from __future__ import annotations

from kctl.changes.apply import last_applied


def test_it_is_written_as_kubectl_writes_it() -> None:
    obj = {"kind": "ConfigMap", "data": {"b": "<&>\u2028é", "a": 1.0}, "apiVersion": "v1", "metadata": {"name": "x"}}
    assert last_applied.encoded(obj) == (
        '{"apiVersion":"v1","data":{"a":1,"b":"\\u003c\\u0026\\u003e\\u2028é"},"kind":"ConfigMap","metadata":{"name":"x"}}\n'
    )


def test_an_object_remembers_itself_without_what_it_remembered() -> None:
    before = {"metadata": {"name": "x", "annotations": {last_applied.ANNOTATION: "old", "mine": "1"}}}
    after = last_applied.annotated(before)
    assert last_applied.original(after) == '{"metadata":{"annotations":{"mine":"1"},"name":"x"}}\n'
    assert last_applied.original(before) == "old"


def test_the_empty_map_of_annotations_is_written_too() -> None:
    assert last_applied.original(last_applied.annotated({"metadata": {}})) == '{"metadata":{"annotations":{}}}\n'


def test_it_is_updated_where_it_is_and_made_where_it_is_wanted() -> None:
    plain = {"metadata": {"name": "x"}}
    assert last_applied.create_or_update(plain, create=False) is plain
    assert last_applied.original(last_applied.create_or_update(plain, create=True)) is not None
    annotated = last_applied.annotated(plain)
    changed = {**annotated, "data": {"a": "b"}}
    assert '"data":{"a":"b"}' in (last_applied.original(last_applied.create_or_update(changed, create=False)) or "")
