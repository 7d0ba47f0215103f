"""What a pod spec is filled up with, and where a pod gets more than a template."""

from __future__ import annotations

from typing import Any

import pytest

from localplane.apimachinery.objects import JSONObject
from localplane.catalog.core.pods.defaults import default_pod, default_pod_level_resources, default_pod_template
from localplane.catalog.core.pods.disabled_fields import drop_disabled_fields


def pod(container: JSONObject | None = None, **spec: Any) -> JSONObject:
    made = {"spec": {"containers": [{"name": "c", "image": "i", "resources": {}} | (container or {})]} | spec}
    default_pod(made)
    return made


def test_a_minimal_pod() -> None:
    assert pod()["spec"] == {
        "containers": [
            {
                "name": "c",
                "image": "i",
                "imagePullPolicy": "Always",
                "resources": {},
                "terminationMessagePath": "/dev/termination-log",
                "terminationMessagePolicy": "File",
            }
        ],
        "dnsPolicy": "ClusterFirst",
        "enableServiceLinks": True,
        "restartPolicy": "Always",
        "schedulerName": "default-scheduler",
        "securityContext": {},
        "terminationGracePeriodSeconds": 30,
    }


def test_a_template_keeps_open_what_only_a_pod_decides() -> None:
    template: JSONObject = {
        "spec": {
            "hostNetwork": True,
            "containers": [
                {"name": "c", "resources": {"limits": {"cpu": "1"}}, "ports": [{"containerPort": 80}]},
            ],
        }
    }
    default_pod_template(template)
    spec = template["spec"]
    assert "enableServiceLinks" not in spec
    assert spec["containers"][0]["resources"] == {"limits": {"cpu": "1"}}
    assert spec["containers"][0]["ports"] == [{"containerPort": 80, "protocol": "TCP"}]


@pytest.mark.parametrize(
    ("image", "policy"),
    [
        ("nginx", "Always"),
        ("nginx:latest", "Always"),
        ("nginx:1.25", "IfNotPresent"),
        ("example.com:5000/a/nginx", "Always"),
        ("example.com:5000/a/nginx:v1", "IfNotPresent"),
        (f"nginx@sha256:{'a' * 64}", "IfNotPresent"),
        (f"nginx:latest@sha256:{'a' * 64}", "Always"),
        ("Not An Image", "IfNotPresent"),
        ("", "IfNotPresent"),
    ],
)
def test_only_the_latest_image_is_always_pulled(image: str, policy: str) -> None:
    assert pod({"image": image})["spec"]["containers"][0]["imagePullPolicy"] == policy


@pytest.mark.parametrize(
    ("given", "filled"),
    [
        ({}, {"emptyDir": {}}),
        ({"hostPath": {"path": "/x"}}, {"hostPath": {"path": "/x", "type": ""}}),
        ({"secret": {"secretName": "s"}}, {"secret": {"secretName": "s", "defaultMode": 420}}),
        ({"secret": {"secretName": "s", "defaultMode": 0}}, {"secret": {"secretName": "s", "defaultMode": 0}}),
        (
            {"downwardAPI": {"items": [{"fieldRef": {"fieldPath": "metadata.name"}}]}},
            {
                "downwardAPI": {
                    "defaultMode": 420,
                    "items": [{"fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.name"}}],
                }
            },
        ),
        (
            {"projected": {"sources": [{"serviceAccountToken": {"path": "t"}}]}},
            {
                "projected": {
                    "defaultMode": 420,
                    "sources": [{"serviceAccountToken": {"path": "t", "expirationSeconds": 3600}}],
                }
            },
        ),
        (
            {"azureDisk": {"kind": "Managed"}},
            {"azureDisk": {"kind": "Managed", "cachingMode": "ReadWrite", "fsType": "ext4", "readOnly": False}},
        ),
        (
            {"ephemeral": {"volumeClaimTemplate": {"spec": {}}}},
            {"ephemeral": {"volumeClaimTemplate": {"spec": {"volumeMode": "Filesystem"}}}},
        ),
        ({"image": {"reference": "a:1"}}, {"image": {"reference": "a:1", "pullPolicy": "IfNotPresent"}}),
    ],
)
def test_each_source_of_a_volume_has_its_own_defaults(given: JSONObject, filled: JSONObject) -> None:
    assert pod(volumes=[{"name": "v"} | given])["spec"]["volumes"] == [{"name": "v"} | filled]


def test_probes_and_handlers() -> None:
    container = pod(
        {
            "livenessProbe": {"httpGet": {"port": 80}, "periodSeconds": 5},
            "readinessProbe": {"grpc": {"port": 80}},
            "lifecycle": {"preStop": {"httpGet": {"port": 80, "path": "/bye", "scheme": "HTTPS"}}},
        }
    )["spec"]["containers"][0]
    numbers = {"timeoutSeconds": 1, "periodSeconds": 10, "successThreshold": 1, "failureThreshold": 3}
    http = {"port": 80, "path": "/", "scheme": "HTTP"}
    assert container["livenessProbe"] == numbers | {"httpGet": http, "periodSeconds": 5}
    assert container["readinessProbe"] == numbers | {"grpc": {"port": 80, "service": ""}}
    assert container["lifecycle"]["preStop"]["httpGet"] == {"port": 80, "path": "/bye", "scheme": "HTTPS"}


def test_a_pod_requests_its_limits_and_rounds_to_thousandths() -> None:
    resources = {"limits": {"cpu": "1", "memory": "1Gi"}, "requests": {"cpu": "100u"}}
    assert pod({"resources": resources})["spec"]["containers"][0]["resources"] == {
        "limits": {"cpu": "1", "memory": "1Gi"},
        "requests": {"cpu": "1m", "memory": "1Gi"},
    }


def test_a_pod_on_the_hosts_network_has_the_hosts_ports_and_never_a_negative_grace() -> None:
    made = pod({"ports": [{"containerPort": 80}]}, hostNetwork=True, terminationGracePeriodSeconds=-5)
    assert made["spec"]["containers"][0]["ports"] == [{"containerPort": 80, "hostPort": 80, "protocol": "TCP"}]
    assert made["spec"]["terminationGracePeriodSeconds"] == 1


def test_the_old_name_of_the_service_account_follows_the_new_one() -> None:
    assert pod(serviceAccount="old")["spec"]["serviceAccountName"] == "old"
    assert pod(serviceAccount="old", serviceAccountName="new")["spec"]["serviceAccount"] == "new"


def test_a_pods_own_resources_follow_from_its_containers() -> None:
    def container(name: str, cpu: str, **more: Any) -> JSONObject:
        return {"name": name, "resources": {"requests": {"cpu": cpu}, "limits": {"cpu": "2"}}} | more

    spec: JSONObject = {
        "containers": [container("a", "100m"), container("b", "200m")],
        "initContainers": [container("side", "50m", restartPolicy="Always"), container("big", "1")],
        "resources": {"requests": {"memory": "1Gi"}},
    }
    default_pod_level_resources(spec)
    # The big one starts beside the sidecar; the limit is what runs at the same time.
    assert spec["resources"] == {"requests": {"memory": "1Gi", "cpu": "1050m"}, "limits": {"cpu": "6"}}


def test_fields_of_features_that_are_off_are_forgotten() -> None:
    spec: JSONObject = {
        "schedulingGroup": {"podGroupName": "g"},
        "containers": [
            {
                "name": "c",
                "lifecycle": {"stopSignal": "SIGINT"},
                "livenessProbe": {"httpGet": {"port": 1, "protocol": "HTTP2"}},
                "volumeMounts": [{"name": "v", "bindMountOptions": ["noexec"]}],
            }
        ],
        "volumes": [{"name": "v", "secret": {"defaultUser": 1, "items": [{"key": "k", "user": 1}]}}],
    }
    metadata = {"annotations": {"pod.beta.kubernetes.io/init-containers": "[]"}}
    drop_disabled_fields(spec, metadata)
    assert spec == {
        "containers": [
            {"name": "c", "livenessProbe": {"httpGet": {"port": 1}}, "volumeMounts": [{"name": "v"}]},
        ],
        "volumes": [{"name": "v", "secret": {"items": [{"key": "k"}]}}],
    }
    assert metadata == {}
