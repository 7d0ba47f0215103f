"""Finding objects in a copy."""

from __future__ import annotations

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.client.errors import InvalidAnswer
from localplane.client.informers.indexer import Indexer, object_key, split_key


def _object(name: str, namespace: str = "", **labels: str) -> JSONObject:
    metadata: JSONObject = {"name": name, "labels": labels}
    return {"metadata": {**metadata, "namespace": namespace} if namespace else metadata}


def _by_label_values(obj: JSONObject) -> list[str]:
    return list(obj["metadata"]["labels"].values())


def test_keys_are_namespace_and_name() -> None:
    assert object_key(_object("a", "b")) == "b/a"
    assert object_key(_object("a")) == "a"
    assert split_key("b/a") == ("b", "a")
    assert split_key("a") == ("", "a")
    with pytest.raises(ValueError, match="unexpected key format"):
        split_key("a/b/c")


@pytest.mark.parametrize("obj", [{}, {"metadata": None}, {"metadata": {}}, {"metadata": {"name": 5}}])
def test_what_has_no_name_is_no_object(obj: JSONObject) -> None:
    with pytest.raises(InvalidAnswer):
        object_key(obj)


def test_an_index_follows_its_objects() -> None:
    indexer = Indexer({"label": _by_label_values})
    indexer.put("a", _object("a", x="1", y="2"))
    indexer.put("b", _object("b", x="2"))
    assert list(indexer.index_keys("label", "2")) == ["a", "b"]
    indexer.put("a", _object("a", x="3"))
    assert list(indexer.index_keys("label", "2")) == ["b"]
    assert set(indexer.index_values("label")) == {"2", "3"}
    indexer.delete("b")
    indexer.delete("b")
    assert list(indexer.index("label", "2")) == []
    assert set(indexer.index_values("label")) == {"3"}
    assert len(indexer) == 1


def test_an_index_that_is_added_later_knows_what_is_there() -> None:
    indexer = Indexer()
    obj = _object("a", "one", x="1")
    indexer.put("one/a", obj)
    indexer.add_indexers({"label": _by_label_values})
    assert list(indexer.index("label", "1")) == [obj]
    assert list(indexer.index("namespace", "one")) == [obj]
    with pytest.raises(ValueError, match="indexer conflict: label"):
        indexer.add_indexers({"label": _by_label_values})
    with pytest.raises(KeyError):
        indexer.index("nope", "1")
