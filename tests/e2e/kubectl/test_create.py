"""`kubectl create KIND`: the objects go as protobuf, so that what comes back proves that each field was read."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.e2e.examples.kubectl import Kubectl

COMMAND = {"image": "busybox", "imagePullPolicy": "Always", "name": "a", "resources": {}, "command": ["date"]}

NAMESPACED: dict[str, tuple[str, dict[str, Any]]] = {
    "configmap a --from-literal=x=1 --from-literal=y=2": ("configmap/a", {"data": {"x": "1", "y": "2"}}),
    "secret generic a --from-literal=password=x": (
        "secret/a",
        {"data": {"password": "eA=="}, "type": "Opaque"},
    ),
    "secret docker-registry a --docker-username=u --docker-password=p": (
        "secret/a",
        {"type": "kubernetes.io/dockerconfigjson"},
    ),
    "deployment a --image=nginx:1.27 --replicas=2 --port=80": (
        "deployment.apps/a",
        {
            "spec": {
                "replicas": 2,
                "selector": {"matchLabels": {"app": "a"}},
                "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}},
                "revisionHistoryLimit": 10,
                "progressDeadlineSeconds": 600,
                "template": {
                    "metadata": {"labels": {"app": "a"}},
                    "spec": {"containers": [{"image": "nginx:1.27", "ports": [{"containerPort": 80}]}]},
                },
            }
        },
    ),
    "service clusterip a --tcp=80:8080": (
        "service/a",
        {
            "spec": {
                "type": "ClusterIP",
                "selector": {"app": "a"},
                "ports": [{"name": "80-8080", "port": 80, "protocol": "TCP", "targetPort": 8080}],
            }
        },
    ),
    "service clusterip a --clusterip=None": ("service/a", {"spec": {"clusterIP": "None", "clusterIPs": ["None"]}}),
    "service nodeport a --tcp=80 --node-port=30123": (
        "service/a",
        {"spec": {"type": "NodePort", "ports": [{"nodePort": 30123, "port": 80}]}},
    ),
    "service loadbalancer a --tcp=80": (
        "service/a",
        {"spec": {"type": "LoadBalancer", "allocateLoadBalancerNodePorts": True}, "status": {"loadBalancer": {}}},
    ),
    "service externalname a --external-name=example.com": (
        "service/a",
        {"spec": {"type": "ExternalName", "externalName": "example.com"}},
    ),
    "job a --image=busybox -- date": (
        "job.batch/a",
        {
            "spec": {
                "backoffLimit": 6,
                "completionMode": "NonIndexed",
                "completions": 1,
                "parallelism": 1,
                "template": {"spec": {"containers": [COMMAND], "restartPolicy": "Never"}},
            }
        },
    ),
    "cronjob a --image=busybox --schedule=@hourly -- date": (
        "cronjob.batch/a",
        {
            "spec": {
                "schedule": "@hourly",
                "concurrencyPolicy": "Allow",
                "suspend": False,
                "successfulJobsHistoryLimit": 3,
                "failedJobsHistoryLimit": 1,
                "jobTemplate": {"spec": {"template": {"spec": {"containers": [COMMAND]}}}},
            }
        },
    ),
    "role a --verb=get,list --resource=pods,deployments.apps --resource-name=x": (
        "role.rbac.authorization.k8s.io/a",
        {
            "rules": [
                {"apiGroups": [""], "resources": ["pods"], "resourceNames": ["x"], "verbs": ["get", "list"]},
                {"apiGroups": ["apps"], "resources": ["deployments"], "resourceNames": ["x"], "verbs": ["get", "list"]},
            ]
        },
    ),
    "rolebinding a --clusterrole=view --user=jane --serviceaccount=other:robot": (
        "rolebinding.rbac.authorization.k8s.io/a",
        {
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "view"},
            "subjects": [
                {"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "jane"},
                {"kind": "ServiceAccount", "name": "robot", "namespace": "other"},
            ],
        },
    ),
    "serviceaccount a": ("serviceaccount/a", {}),
    "quota a --hard=pods=3,cpu=2 --scopes=NotTerminating": (
        "resourcequota/a",
        {"spec": {"hard": {"cpu": "2", "pods": "3"}, "scopes": ["NotTerminating"]}},
    ),
    "poddisruptionbudget a --selector=app=web --min-available=50%": (
        "poddisruptionbudget.policy/a",
        {"spec": {"minAvailable": "50%", "selector": {"matchLabels": {"app": "web"}}}},
    ),
    "ingress a --class=nginx --rule=example.com/x*=web:80,tls=cert": (
        "ingress.networking.k8s.io/a",
        {
            "spec": {
                "ingressClassName": "nginx",
                "rules": [
                    {
                        "host": "example.com",
                        "http": {
                            "paths": [
                                {
                                    "backend": {"service": {"name": "web", "port": {"number": 80}}},
                                    "path": "/x",
                                    "pathType": "Prefix",
                                }
                            ]
                        },
                    }
                ],
                "tls": [{"hosts": ["example.com"], "secretName": "cert"}],
            }
        },
    ),
}

CLUSTER_WIDE: dict[str, tuple[str, dict[str, Any]]] = {
    "namespace {name}": (
        "namespace/{name}",
        {"spec": {"finalizers": ["kubernetes"]}, "status": {"phase": "Active"}},
    ),
    "clusterrole {name} --verb=get --resource=nodes --non-resource-url=/healthz": (
        "clusterrole.rbac.authorization.k8s.io/{name}",
        {
            "rules": [
                {"apiGroups": [""], "resources": ["nodes"], "verbs": ["get"]},
                {"nonResourceURLs": ["/healthz"], "verbs": ["get"]},
            ]
        },
    ),
    "clusterrolebinding {name} --clusterrole=view --group=developers": (
        "clusterrolebinding.rbac.authorization.k8s.io/{name}",
        {"subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "developers"}]},
    ),
    "priorityclass {name} --value=1000 --description=high --preemption-policy=Never": (
        "priorityclass.scheduling.k8s.io/{name}",
        {"value": 1000, "description": "high", "preemptionPolicy": "Never"},
    ),
}


@pytest.mark.parametrize("command", NAMESPACED)
def test_a_generator_makes_what_it_says(kubectl: Kubectl, command: str) -> None:
    told, holds = NAMESPACED[command]
    assert kubectl.ok("create", *command.split()) == f"{told} created\n"
    made = json.loads(kubectl.ok("get", told, "-o", "json"))
    assert _missing(holds, made) == {}


@pytest.mark.parametrize("command", CLUSTER_WIDE)
def test_a_generator_makes_what_belongs_to_no_namespace(anywhere: Kubectl, command: str) -> None:
    told, holds = CLUSTER_WIDE[command]
    name = f"made-as-{command.split(maxsplit=1)[0]}"
    told = told.format(name=name)
    assert anywhere.ok("create", *command.format(name=name).split()) == f"{told} created\n"
    assert _missing(holds, json.loads(anywhere.ok("get", told, "-o", "json"))) == {}


def test_a_job_made_of_a_cron_job_belongs_to_it(kubectl: Kubectl) -> None:
    kubectl.ok("create", "cronjob", "hourly", "--image=busybox", "--schedule=@hourly")
    assert kubectl.ok("create", "job", "now", "--from=cronjob/hourly") == "job.batch/now created\n"
    owner = json.loads(kubectl.ok("get", "job", "now", "-o", "jsonpath={.metadata.ownerReferences[0]}"))
    assert {key: owner[key] for key in ("kind", "name", "controller")} == {
        "kind": "CronJob",
        "name": "hourly",
        "controller": True,
    }


def test_a_token_says_whose_it_is(kubectl: Kubectl) -> None:
    kubectl.ok("create", "serviceaccount", "robot")
    token = kubectl.ok("create", "token", "robot", "--duration=20m").strip()
    review = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview", "spec": {"token": token}}
    status = json.loads(kubectl.ok("create", "-f", "-", "-o", "jsonpath={.status}", stdin=json.dumps(review)))
    assert (status["authenticated"], status["user"]["username"]) == (
        True,
        f"system:serviceaccount:{kubectl.namespace}:robot",
    )


def test_the_same_name_twice_is_refused_in_kubernetes_words(kubectl: Kubectl) -> None:
    kubectl.ok("create", "configmap", "a")
    again = kubectl("create", "configmap", "a")
    assert (again.code, again.stdout) == (1, "")
    assert again.stderr == 'error: failed to create configmap: configmaps "a" already exists\n'


def test_a_dry_run_on_the_server_leaves_nothing(kubectl: Kubectl) -> None:
    told = kubectl.ok(
        "create", "deployment", "a", "--image=nginx", "--dry-run=server", "-o", "jsonpath={.spec.replicas}"
    )
    assert told == "1"
    assert kubectl("get", "deployments").stderr == f"No resources found in {kubectl.namespace} namespace.\n"


def _missing(wanted: Any, found: Any) -> Any:
    """What of `wanted` is not in `found`: an empty dict when all is there. Lists are compared item by item."""
    if isinstance(wanted, dict) and isinstance(found, dict):
        gaps = {key: _missing(value, found.get(key)) for key, value in wanted.items()}
        return {key: gap for key, gap in gaps.items() if gap != {}}
    if isinstance(wanted, list) and isinstance(found, list) and len(wanted) == len(found):
        parts = [_missing(one, other) for one, other in zip(wanted, found, strict=True)]
        return {} if all(part == {} for part in parts) else parts
    return {} if wanted == found else {"wanted": wanted, "found": found}
