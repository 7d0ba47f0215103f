"""lightkube, the client whose models are made from the server's own OpenAPI."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from lightkube import ApiError, Client, KubeConfig
from lightkube.models.apps_v1 import DeploymentSpec
from lightkube.models.autoscaling_v1 import ScaleSpec
from lightkube.models.core_v1 import Container, PodSpec, PodTemplateSpec
from lightkube.models.meta_v1 import LabelSelector, ObjectMeta
from lightkube.resources.apps_v1 import Deployment
from lightkube.resources.core_v1 import ConfigMap


@pytest.fixture
def light(kubeconfig: Path, namespace: str) -> Iterator[Client]:
    config = KubeConfig.from_file(kubeconfig)
    made = Client(config=config, namespace=namespace, field_manager="tests")
    yield made
    made._client._client.close()


def test_an_object_is_created_listed_watched_patched_and_deleted(light: Client) -> None:
    made = light.create(ConfigMap(metadata=ObjectMeta(name="a", labels={"on": "yes"}), data={"x": "1"}))
    assert made.data == {"x": "1"}
    assert [each.metadata.name for each in light.list(ConfigMap, labels={"on": "yes"}) if each.metadata] == ["a"]
    seen = []
    for event, found in light.watch(ConfigMap, labels={"on": "yes"}, server_timeout=30):
        seen.append((event, found.data))
        if event == "ADDED":
            light.patch(ConfigMap, "a", {"data": {"x": "2"}})
        elif event == "MODIFIED":
            light.delete(ConfigMap, "a")
        else:
            break
    assert seen == [("ADDED", {"x": "1"}), ("MODIFIED", {"x": "2"}), ("DELETED", {"x": "2"})]
    with pytest.raises(ApiError) as gone:
        light.get(ConfigMap, "a")
    assert (gone.value.status.code, gone.value.status.reason) == (404, "NotFound")


def test_a_deployment_is_applied_and_scaled(light: Client) -> None:
    template = PodTemplateSpec(
        metadata=ObjectMeta(labels={"app": "web"}), spec=PodSpec(containers=[Container(name="web", image="nginx")])
    )
    spec = DeploymentSpec(selector=LabelSelector(matchLabels={"app": "web"}), template=template)
    applied = light.apply(Deployment(metadata=ObjectMeta(name="web"), spec=spec))
    assert applied.spec is not None
    assert applied.spec.replicas == 1
    light.replace(Deployment.Scale(metadata=ObjectMeta(name="web"), spec=ScaleSpec(replicas=3)), "web")
    scaled = light.get(Deployment.Scale, "web").spec
    assert scaled is not None
    assert scaled.replicas == 3
