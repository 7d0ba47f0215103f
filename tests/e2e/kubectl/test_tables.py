"""`kubectl get`: the rows that the server prints, by kind."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from tests.e2e.examples.kubectl import Kubectl
from tests.e2e.kubectl.reading import table

CONTAINERS = [{"name": "one", "image": "nginx"}, {"name": "two", "image": "busybox"}]
TEMPLATE = {"metadata": {"labels": {"app": "x"}}, "spec": {"containers": CONTAINERS}}
ONCE = {"spec": {"template": {"spec": {"containers": CONTAINERS, "restartPolicy": "Never"}}}}
SELECTOR = {"matchLabels": {"app": "x"}}
PODS = [{"podSelector": {"matchLabels": {"app": "y"}}}]
TARGET = {"type": "Utilization", "averageUtilization": 80}

KINDS: Mapping[str, tuple[str, Mapping[str, Any], Sequence[str]]] = {
    "statefulsets": (
        "apps/v1 StatefulSet",
        {"spec": {"replicas": 3, "serviceName": "x", "selector": SELECTOR, "template": TEMPLATE}},
        ("NAME | READY | AGE | CONTAINERS | IMAGES", "x | 0/3 | <age> | one,two | nginx,busybox"),
    ),
    "daemonsets": (
        "apps/v1 DaemonSet",
        {"spec": {"selector": SELECTOR, "template": TEMPLATE}},
        (
            (
                "NAME | DESIRED | CURRENT | READY | UP-TO-DATE | AVAILABLE | NODE SELECTOR | AGE | CONTAINERS | IMAGES"
                " | SELECTOR"
            ),
            "x | 0 | 0 | 0 | 0 | 0 | <none> | <age> | one,two | nginx,busybox | app=x",
        ),
    ),
    "replicasets": (
        "apps/v1 ReplicaSet",
        {"spec": {"replicas": 3, "selector": SELECTOR, "template": TEMPLATE}},
        (
            "NAME | DESIRED | CURRENT | READY | AGE | CONTAINERS | IMAGES | SELECTOR",
            "x | 3 | 0 | 0 | <age> | one,two | nginx,busybox | app=x",
        ),
    ),
    "deployments": (
        "apps/v1 Deployment",
        {"spec": {"replicas": 3, "selector": SELECTOR, "template": TEMPLATE}},
        (
            "NAME | READY | UP-TO-DATE | AVAILABLE | AGE | CONTAINERS | IMAGES | SELECTOR",
            "x | 0/3 | 0 | 0 | <age> | one,two | nginx,busybox | app=x",
        ),
    ),
    "cronjobs": (
        "batch/v1 CronJob",
        {
            "spec": {
                "schedule": "@daily",
                "timeZone": "Europe/Oslo",
                "suspend": True,
                "jobTemplate": ONCE,
            }
        },
        (
            "NAME | SCHEDULE | TIMEZONE | SUSPEND | ACTIVE | LAST SCHEDULE | AGE | CONTAINERS | IMAGES | SELECTOR",
            "x | @daily | Europe/Oslo | True | 0 | <none> | <age> | one,two | nginx,busybox | <none>",
        ),
    ),
    "services": (
        "v1 Service",
        {"spec": {"type": "NodePort", "selector": {"app": "x"}, "ports": [{"port": 80}]}},
        (
            "NAME | TYPE | CLUSTER-IP | EXTERNAL-IP | PORT(S) | AGE | SELECTOR",
            "x | NodePort | <ip> | <none> | 80:<port>/TCP | <age> | app=x",
        ),
    ),
    "ingresses": (
        "networking.k8s.io/v1 Ingress",
        {
            "spec": {
                "tls": [{"hosts": ["a.example.com"]}],
                "rules": [{"host": "a.example.com"}, {"host": "b.example.com"}],
                "defaultBackend": {"service": {"name": "x", "port": {"number": 80}}},
            }
        },
        (
            "NAME | CLASS | HOSTS | ADDRESS | PORTS | AGE",
            "x | <none> | a.example.com,b.example.com |  | 80, 443 | <age>",
        ),
    ),
    "networkpolicies": (
        "networking.k8s.io/v1 NetworkPolicy",
        {"spec": {"podSelector": SELECTOR, "ingress": [{"from": PODS}]}},
        ("NAME | POD-SELECTOR | AGE", "x | app=x | <age>"),
    ),
    "poddisruptionbudgets": (
        "policy/v1 PodDisruptionBudget",
        {"spec": {"maxUnavailable": 1, "selector": SELECTOR}},
        (
            "NAME | MIN AVAILABLE | MAX UNAVAILABLE | ALLOWED DISRUPTIONS | AGE",
            "x | N/A | 1 | 0 | <age>",
        ),
    ),
    "horizontalpodautoscalers": (
        "autoscaling/v2 HorizontalPodAutoscaler",
        {
            "spec": {
                "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "x"},
                "maxReplicas": 4,
                "metrics": [{"type": "Resource", "resource": {"name": "cpu", "target": TARGET}}],
            }
        },
        (
            "NAME | REFERENCE | TARGETS | MINPODS | MAXPODS | REPLICAS | AGE",
            "x | Deployment/x | cpu: <unknown>/80% | 1 | 4 | 0 | <age>",
        ),
    ),
    "persistentvolumeclaims": (
        "v1 PersistentVolumeClaim",
        {
            "spec": {
                "accessModes": ["ReadWriteOnce"],
                "storageClassName": "slow",
                "resources": {"requests": {"storage": "1Gi"}},
            }
        },
        (
            (
                "NAME | STATUS | VOLUME | CAPACITY | ACCESS MODES | STORAGECLASS | VOLUMEATTRIBUTESCLASS | AGE"
                " | VOLUMEMODE"
            ),
            "x | Pending |  |  |  | slow | <unset> | <age> | Filesystem",
        ),
    ),
    "rolebindings": (
        "rbac.authorization.k8s.io/v1 RoleBinding",
        {
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "view"},
            "subjects": [
                {"kind": "User", "name": "jane"},
                {"kind": "ServiceAccount", "name": "robot", "namespace": "other"},
            ],
        },
        (
            "NAME | ROLE | AGE | USERS | GROUPS | SERVICEACCOUNTS",
            "x | ClusterRole/view | <age> | jane |  | other/robot",
        ),
    ),
    "endpointslices": (
        "discovery.k8s.io/v1 EndpointSlice",
        {
            "addressType": "IPv4",
            "ports": [{"name": "http", "port": 80}],
            "endpoints": [{"addresses": ["192.0.2.1"]}, {"addresses": ["192.0.2.2"]}],
        },
        ("NAME | ADDRESSTYPE | PORTS | ENDPOINTS | AGE", "x | IPv4 | 80 | 192.0.2.1,192.0.2.2 | <age>"),
    ),
    "leases": (
        "coordination.k8s.io/v1 Lease",
        {"spec": {"holderIdentity": "me"}},
        ("NAME | HOLDER | AGE", "x | me | <age>"),
    ),
    "resourcequotas": (
        "v1 ResourceQuota",
        {"spec": {"hard": {"secrets": "5"}}},
        ("NAME | REQUEST | LIMIT | AGE", "x | secrets: 0/5 |  | <age>"),
    ),
}


@pytest.mark.parametrize("resource", KINDS)
def test_the_row_of(kubectl: Kubectl, resource: str) -> None:
    kind, content, expected = KINDS[resource]
    _make(kubectl, kind, content)
    if resource == "resourcequotas":
        kubectl.ok("wait", "quota/x", "--for=jsonpath={.status.used.secrets}=0", "--timeout=20s")
    assert table(kubectl.ok("get", resource, "x", "-o", "wide")) == list(expected)


def test_the_row_of_a_pod_follows_its_status(kubectl: Kubectl) -> None:
    _make(kubectl, "v1 Pod", {"spec": {"containers": CONTAINERS}})
    assert table(kubectl.ok("get", "pod", "x", "-o", "wide")) == [
        "NAME | READY | STATUS | RESTARTS | AGE | IP | NODE | NOMINATED NODE | READINESS GATES",
        "x | 0/2 | Pending | 0 | <age> | <none> | <none> | <none> | <none>",
    ]
    waiting = {"name": "two", "image": "busybox", "imageID": "", "ready": False, "restartCount": 4}
    running = {"name": "one", "image": "nginx", "imageID": "x", "ready": True, "restartCount": 1}
    statuses = [
        running | {"state": {"running": {"startedAt": "2020-01-01T00:00:00Z"}}},
        waiting | {"state": {"waiting": {"reason": "CrashLoopBackOff"}}},
    ]
    status = {"phase": "Running", "podIPs": [{"ip": "192.0.2.7"}], "containerStatuses": statuses}
    kubectl.ok("patch", "pod", "x", "--subresource=status", "-p", json.dumps({"status": status}))
    assert table(kubectl.ok("get", "pod", "x", "-o", "wide"))[1] == (
        "x | 1/2 | CrashLoopBackOff | 5 | <age> | 192.0.2.7 | <none> | <none> | <none>"
    )


def test_labels_sorting_and_columns_of_ones_own(kubectl: Kubectl) -> None:
    for name, colour in (("b", "red"), ("a", "blue")):
        kubectl.ok("create", "configmap", name)
        kubectl.ok("label", "configmap", name, f"colour={colour}")
    kubectl.ok("create", "secret", "generic", "s", "--from-literal=a=1")
    assert table(kubectl.ok("get", "configmaps", "-l", "colour", "-L", "colour")) == [
        "NAME | DATA | AGE | COLOUR",
        "a | 0 | <age> | blue",
        "b | 0 | <age> | red",
    ]
    by_colour = ("get", "configmaps", "-l", "colour", "--sort-by={.metadata.labels.colour}", "--no-headers")
    assert [line.split()[0] for line in kubectl.ok(*by_colour).splitlines()] == ["a", "b"]
    assert kubectl.ok("get", "cm", "a", "-o", "custom-columns=N:.metadata.name,C:.metadata.labels.colour") == (
        "N     C\na     blue\n"
    )
    assert kubectl.ok("get", "secret", "s", "--show-labels").splitlines()[1].split()[-1] == "<none>"
    assert kubectl.ok("get", "cm,secret", "-l", "colour!=red", "-o", "name").splitlines() == [
        "configmap/a",
        "configmap/kube-root-ca.crt",
        "secret/s",
    ]
    assert kubectl.ok("get", "cm", "--field-selector", "metadata.name=b", "-o", "name") == "configmap/b\n"


def _make(kubectl: Kubectl, kind: str, content: Mapping[str, Any]) -> None:
    version, _, name = kind.partition(" ")
    body = {"apiVersion": version, "kind": name, "metadata": {"name": "x"}, **content}
    kubectl.ok("create", "-f", "-", stdin=json.dumps(body))
