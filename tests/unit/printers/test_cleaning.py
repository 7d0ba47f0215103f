"""What is left of an object when the server's part is taken away."""

from __future__ import annotations

from typing import Any

from kctl.printers.clean import cleaned, decoded


def test_what_the_server_adds_is_gone_and_the_rest_stays() -> None:
    obj = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {
            "name": "web",
            "namespace": "default",
            "uid": "u",
            "resourceVersion": "7",
            "generation": 2,
            "creationTimestamp": "2026-01-01T00:00:00Z",
            "managedFields": [{}],
            "labels": {"a": "b"},
            "annotations": {"mine": "yes", "kubectl.kubernetes.io/last-applied-configuration": "{}"},
            "finalizers": ["x"],
        },
        "spec": {"template": {"metadata": {"creationTimestamp": None, "labels": {"a": "b"}}, "spec": {}}},
        "status": {"replicas": 1},
    }
    expected = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {
            "name": "web",
            "namespace": "default",
            "labels": {"a": "b"},
            "annotations": {"mine": "yes"},
            "finalizers": ["x"],
        },
        "spec": {"template": {"metadata": {"labels": {"a": "b"}}, "spec": {}}},
    }
    assert cleaned(obj) == expected
    assert cleaned({"kind": "List", "items": [obj]}) == {"kind": "List", "items": [expected]}
    assert obj["metadata"]["uid"] == "u"  # type: ignore[index]  # the original is as it was


def test_annotations_of_bookkeeping_alone_leave_none() -> None:
    obj: dict[str, Any] = {"metadata": {"annotations": {"deployment.kubernetes.io/revision": "1"}}}
    assert cleaned(obj) == {"metadata": {}}


def test_secrets_are_text_where_they_are_text() -> None:
    secret = {"kind": "Secret", "data": {"text": "aMOp", "bytes": "/w==", "broken": "?"}, "type": "Opaque"}
    assert decoded(secret) == {
        "kind": "Secret",
        "data": {"bytes": "/w==", "broken": "?"},
        "stringData": {"text": "hé"},
        "type": "Opaque",
    }
    assert decoded({"kind": "ConfigMap", "data": {"a": "aGk="}}) == {"kind": "ConfigMap", "data": {"a": "aGk="}}
