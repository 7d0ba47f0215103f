"""The official Python client: typed, dynamic and watching."""

from __future__ import annotations

import json
from typing import Any

import pytest
from kubernetes import client, dynamic, watch

CONTAINER = client.V1Container(name="web", image="nginx", ports=[client.V1ContainerPort(container_port=80)])


def test_an_object_is_created_listed_watched_patched_and_deleted(core: Any, namespace: str) -> None:
    metadata = client.V1ObjectMeta(name="a", labels={"on": "yes"})
    made = core.create_namespaced_config_map(namespace, client.V1ConfigMap(metadata=metadata, data={"x": "1"}))
    assert (made.metadata.namespace, made.data) == (namespace, {"x": "1"})
    listed = core.list_namespaced_config_map(namespace, label_selector="on=yes")
    assert [each.metadata.name for each in listed.items] == ["a"]
    changes = {
        "ADDED": lambda: core.patch_namespaced_config_map("a", namespace, {"data": {"x": "2"}}),
        "MODIFIED": lambda: core.delete_namespaced_config_map("a", namespace),
    }
    seen = []
    untyped: Any = watch
    watcher = untyped.Watch()
    selected = {"label_selector": "on=yes", "timeout_seconds": 30}
    for event in watcher.stream(core.list_namespaced_config_map, namespace, **selected):
        seen.append((event["type"], event["object"].data))
        if event["type"] == "DELETED":
            watcher.stop()
        else:
            changes[event["type"]]()
    assert seen == [("ADDED", {"x": "1"}), ("MODIFIED", {"x": "2"}), ("DELETED", {"x": "2"})]
    with pytest.raises(client.ApiException) as gone:
        core.read_namespaced_config_map("a", namespace)
    assert (gone.value.status, json.loads(gone.value.body or "")["message"]) == (404, 'configmaps "a" not found')


def test_a_deployment_is_made_scaled_and_replaced(apps: Any, namespace: str) -> None:
    template = client.V1PodTemplateSpec(
        metadata=client.V1ObjectMeta(labels={"app": "web"}), spec=client.V1PodSpec(containers=[CONTAINER])
    )
    spec = client.V1DeploymentSpec(selector=client.V1LabelSelector(match_labels={"app": "web"}), template=template)
    body = client.V1Deployment(metadata=client.V1ObjectMeta(name="web"), spec=spec)
    made = apps.create_namespaced_deployment(namespace, body)
    assert (made.spec.replicas, made.spec.strategy.type, made.metadata.generation) == (1, "RollingUpdate", 1)
    assert apps.patch_namespaced_deployment_scale("web", namespace, {"spec": {"replicas": 3}}).spec.replicas == 3
    found = apps.read_namespaced_deployment("web", namespace)
    found.spec.template.spec.containers[0].image = "nginx:1.28"
    replaced = apps.replace_namespaced_deployment("web", namespace, found)
    assert (replaced.spec.replicas, replaced.metadata.generation) == (3, 3)
    with pytest.raises(client.ApiException) as conflict:
        apps.replace_namespaced_deployment("web", namespace, found)
    assert (conflict.value.status, conflict.value.reason) == (409, "Conflict")


def test_the_dynamic_client_finds_every_kind_by_itself(api: client.ApiClient, namespace: str) -> None:
    untyped: Any = dynamic
    found = untyped.DynamicClient(api)
    services = found.resources.get(api_version="v1", kind="Service")
    made = services.create(namespace=namespace, body={"metadata": {"name": "a"}, "spec": {"ports": [{"port": 80}]}})
    assert made.spec.clusterIP.startswith("10.0.0.")
    applied = services.server_side_apply(
        namespace=namespace,
        name="a",
        field_manager="tests",
        body={
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {"name": "a", "labels": {"x": "y"}},
        },
    )
    assert applied.metadata.labels.to_dict() == {"x": "y"}
    assert [each.metadata.name for each in services.get(namespace=namespace).items] == ["a"]


def test_lists_come_in_pages(core: Any, namespace: str) -> None:
    for number in range(5):
        core.create_namespaced_secret(namespace, {"metadata": {"name": f"s-{number}"}})
    first = core.list_namespaced_secret(namespace, limit=2)
    assert (len(first.items), first.metadata.remaining_item_count) == (2, 3)
    second = core.list_namespaced_secret(namespace, limit=2, _continue=first.metadata._continue)
    assert [each.metadata.name for each in second.items] == ["s-2", "s-3"]


def test_the_server_says_that_it_is_a_current_kubernetes(api: client.ApiClient) -> None:
    version = client.VersionApi(api).get_code()
    assert (version.major, version.minor) == ("1", "37")
