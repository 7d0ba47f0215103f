"""When two pod templates are the same."""

from __future__ import annotations

from typing import Any

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.controllers.workloads.deployments.templates import same_template


def template(labels: JSONObject | None = None, **spec: Any) -> JSONObject:
    return {"metadata": {"labels": {"app": "web"} | (labels or {})}, "spec": spec}


def container(**fields: Any) -> JSONObject:
    return {"containers": [{"name": "c"} | fields]}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (template(), template({"pod-template-hash": "abc"})),
        (template({"pod-template-hash": "x"}), template({"pod-template-hash": "y"})),
        (template(nodeSelector={}), template()),
        (template(tolerations=[]), template(tolerations=None)),
        (
            template(**container(resources={"limits": {"cpu": "1"}})),
            template(**container(resources={"limits": {"cpu": "1000m"}})),
        ),
        (
            template(volumes=[{"name": "v", "emptyDir": {"sizeLimit": "1Gi"}}]),
            template(volumes=[{"name": "v", "emptyDir": {"sizeLimit": "1024Mi"}}]),
        ),
        ({"metadata": {"labels": {"pod-template-hash": "x"}}, "spec": {}}, {"spec": {}, "metadata": {}}),
    ],
)
def test_templates_that_ask_for_the_same_are_the_same(one: JSONObject, other: JSONObject) -> None:
    assert same_template(one, other)
    assert same_template(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (template(), template({"tier": "front"})),
        (template(**container(image="a")), template(**container(image="b"))),
        (template(**container(env=[{"name": "A"}])), template(**container())),
        (template(securityContext={}), template()),
        (
            template(**container(resources={"limits": {"cpu": "1"}})),
            template(**container(resources={"limits": {"memory": "1"}})),
        ),
        (template(**container(command=["1"])), template(**container(command=["1000m"]))),
    ],
)
def test_templates_that_ask_for_something_else_differ(one: JSONObject, other: JSONObject) -> None:
    assert not same_template(one, other)
    assert not same_template(other, one)


def test_comparing_changes_nothing() -> None:
    hashed = template({"pod-template-hash": "x"})
    same_template(hashed, template())
    assert hashed == template({"pod-template-hash": "x"})
