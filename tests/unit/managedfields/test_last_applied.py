"""From client-side to server-side apply."""

from __future__ import annotations

import json
from typing import Any

import pytest

from localplane.apimachinery.managedfields import ApplyConflict
from localplane.apimachinery.managedfields.last_applied import ANNOTATION
from tests.unit.managedfields.kinds import FIRST, SECOND, config_map, config_maps, owned, stored


def client_side(data: dict[str, str], last: dict[str, Any] | str) -> dict[str, Any]:
    text = last if isinstance(last, str) else json.dumps(last)
    obj = stored(config_map(data, annotations={ANNOTATION: text}))
    return config_maps.update(None, obj, manager="kubectl-client-side-apply", now=FIRST)


def apply(live: dict[str, Any], data: dict[str, str], manager: str = "kubectl") -> dict[str, Any]:
    return config_maps.apply(live, config_map(data), manager=manager, force=False, now=SECOND).object


def test_kubectl_takes_over_what_it_applied_from_the_client() -> None:
    live = client_side({"k": "one"}, config_map({"k": "one"}))
    new = apply(live, {"k": "two"})
    assert new["data"] == {"k": "two"}
    assert owned(new)["kubectl"] == {"f:data": {"f:k": {}}}


def test_others_do_not() -> None:
    with pytest.raises(ApplyConflict):
        apply(client_side({"k": "one"}, config_map({"k": "one"})), {"k": "two"}, "helm")


def test_what_somebody_changed_since_still_conflicts() -> None:
    live = client_side({"k": "changed", "l": "1"}, config_map({"k": "one", "l": "1"}))
    with pytest.raises(ApplyConflict) as raised:
        apply(live, {"k": "two", "l": "2"})
    assert [cause.field for cause in raised.value.causes] == [".data.k"]


@pytest.mark.parametrize("last", ["", "{", "[]", '{"apiVersion":"v2"}', '{"apiVersion":"v1","nope":1}'])
def test_an_annotation_that_can_not_be_read_allows_nothing(last: str) -> None:
    with pytest.raises(ApplyConflict):
        apply(client_side({"k": "one"}, last), {"k": "two"})


def test_the_annotation_follows_what_kubectl_applies() -> None:
    new = apply(client_side({"k": "one"}, config_map({"k": "one"})), {"k": "two"})
    expected = '{"apiVersion":"v1","data":{"k":"two"},"kind":"ConfigMap","metadata":{"name":"a"}}\n'
    assert new["metadata"]["annotations"][ANNOTATION] == expected


def test_the_annotation_goes_when_it_would_be_too_large() -> None:
    new = apply(client_side({"k": "one"}, config_map({"k": "one"})), {"k": "x" * 300_000})
    assert ANNOTATION not in new["metadata"]["annotations"]
