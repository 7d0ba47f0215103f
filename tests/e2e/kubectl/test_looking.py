"""What kubectl tells about the cluster and about single objects: discovery, explanations, descriptions."""

from __future__ import annotations

import re

import pytest

from tests.e2e.examples.kubectl import Kubectl
from tests.e2e.kubectl.reading import table

RESOURCES = """\
configmaps cm v1 true ConfigMap
namespaces ns v1 false Namespace
pods po v1 true Pod
services svc v1 true Service
deployments deploy apps/v1 true Deployment
horizontalpodautoscalers hpa autoscaling/v2 true HorizontalPodAutoscaler
cronjobs cj batch/v1 true CronJob
leases coordination.k8s.io/v1 true Lease
ingresses ing networking.k8s.io/v1 true Ingress
clusterroles rbac.authorization.k8s.io/v1 false ClusterRole
storageclasses sc storage.k8s.io/v1 false StorageClass
"""
DEPLOYMENT = """\
Name:                   web
Namespace:              {namespace}
CreationTimestamp:      <time>
Labels:                 app=web
Annotations:            <none>
Selector:               app=web
Replicas:               2 desired | 0 updated | 0 total | 0 available | 0 unavailable
StrategyType:           RollingUpdate
MinReadySeconds:        0
RollingUpdateStrategy:  25% max unavailable, 25% max surge
Pod Template:
  Labels:  app=web
  Containers:
   nginx:
    Image:         nginx:1.27
    Port:          80/TCP
    Host Port:     0/TCP
    Environment:   <none>
    Mounts:        <none>
  Volumes:         <none>
  Node-Selectors:  <none>
  Tolerations:     <none>
Events:            <none>
"""
POD = """\
Name:             web
Namespace:        {namespace}
Priority:         0
Service Account:  default
Node:             <none>
Labels:           run=web
Annotations:      <none>
Status:           Pending
IP:{blank}
IPs:              <none>
Containers:
  web:
    Image:        nginx
    Port:         <none>
    Host Port:    <none>
    Environment:  <none>
    Mounts:
      /var/run/secrets/kubernetes.io/serviceaccount from kube-api-access-xxxxx (ro)
Volumes:
  kube-api-access-xxxxx:
    Type:                    Projected (a volume that contains injected data from multiple sources)
    TokenExpirationSeconds:  3607
    ConfigMapName:           kube-root-ca.crt
    DownwardAPI:             true
QoS Class:                   BestEffort
Node-Selectors:              <none>
Tolerations:                 node.kubernetes.io/not-ready:NoExecute op=Exists for 300s
                             node.kubernetes.io/unreachable:NoExecute op=Exists for 300s
Events:                      <none>
"""
QUOTA = """\
Name:       q
Namespace:  {namespace}
Resource    Used  Hard
--------    ----  ----
configmaps  2     5
secrets     0     3
"""
NAMESPACE = """\
Name:         {namespace}
Labels:       kubernetes.io/metadata.name={namespace}
Annotations:  <none>
Status:       Active

Resource Quotas
  Name:       q
  Resource    Used  Hard
  --------    ---   ---
  configmaps  2     5
  secrets     0     3

No LimitRange resource.
"""

EVENT = """\
apiVersion: v1
kind: Event
metadata: {{name: web.1, namespace: {namespace}}}
involvedObject: {{kind: Pod, name: web, namespace: {namespace}, uid: {uid}, apiVersion: v1}}
type: Warning
reason: Scheduled
message: no machine is here
source: {{component: me}}
firstTimestamp: "2026-01-01T00:00:00Z"
lastTimestamp: "2026-01-01T00:00:00Z"
count: 1
"""


def test_the_resources_are_those_of_a_cluster(anywhere: Kubectl) -> None:
    told = [" ".join(line.split()) for line in anywhere.ok("api-resources").splitlines()]
    assert [line for line in RESOURCES.splitlines() if line not in told] == []
    named = anywhere.ok("api-resources", "--namespaced=false", "--verbs=create,delete", "-o", "name").splitlines()
    assert {"namespaces", "nodes", "clusterroles.rbac.authorization.k8s.io"} <= {*named}
    assert {"pods", "tokenreviews.authentication.k8s.io"}.isdisjoint(named)
    assert anywhere.ok("api-resources", "--categories=all", "-o", "name").splitlines() == [
        "pods",
        "replicationcontrollers",
        "services",
        "daemonsets.apps",
        "deployments.apps",
        "replicasets.apps",
        "statefulsets.apps",
        "horizontalpodautoscalers.autoscaling",
        "cronjobs.batch",
        "jobs.batch",
    ]
    assert {"v1", "apps/v1", "batch/v1", "events.k8s.io/v1"} <= {*anywhere.ok("api-versions").splitlines()}


def test_who_one_is_and_what_one_may(anywhere: Kubectl) -> None:
    told = table(anywhere.ok("auth", "whoami"))
    assert [line for line in told if not line.startswith("Extra")] == [
        "ATTRIBUTE | VALUE",
        "Username | kubernetes-admin",
        "Groups | [system:masters system:authenticated]",
    ]
    assert anywhere.ok("auth", "can-i", "create", "pods") == "yes\n"


@pytest.mark.parametrize(
    ("path", "lines"),
    [
        ("pod", ["KIND:       Pod", "VERSION:    v1", "  spec\t<PodSpec>"]),
        ("deployment.spec.replicas", ["GROUP:      apps", "KIND:       Deployment", "FIELD: replicas <integer>"]),
        ("pod.spec.containers", ["FIELD: containers <[]Container>", "  name\t<string> -required-"]),
        ("ingress.spec.rules.http.paths.pathType", ["GROUP:      networking.k8s.io", "FIELD: pathType <string>"]),
    ],
)
def test_fields_are_explained(anywhere: Kubectl, path: str, lines: list[str]) -> None:
    told = anywhere.ok("explain", path).splitlines()
    assert [line for line in lines if line not in told] == []


def test_all_fields_are_explained_at_once(anywhere: Kubectl) -> None:
    told = anywhere.ok("explain", "service", "--recursive").splitlines()
    assert {"  spec\t<ServiceSpec>", "    ports\t<[]ServicePort>", "      targetPort\t<IntOrString>"} <= {*told}


def test_a_deployment_is_described(kubectl: Kubectl) -> None:
    kubectl.ok("create", "deployment", "web", "--image=nginx:1.27", "--replicas=2", "--port=80")
    described = kubectl.ok("describe", "deployment", "web").splitlines()
    steady = ["CreationTimestamp:      <time>" if "Creation" in line else line for line in described]
    assert steady == DEPLOYMENT.format(namespace=kubectl.namespace).splitlines()


def test_a_quota_tells_what_is_used_of_it(kubectl: Kubectl) -> None:
    kubectl.ok("create", "configmap", "a")
    kubectl.ok("create", "quota", "q", "--hard=configmaps=5,secrets=3")
    kubectl.ok("wait", "quota/q", "--for=jsonpath={.status.used.configmaps}=2", "--timeout=20s")
    assert kubectl.ok("describe", "quota", "q") == QUOTA.format(namespace=kubectl.namespace)
    assert kubectl.ok("describe", "namespace", kubectl.namespace) == NAMESPACE.format(namespace=kubectl.namespace)


def test_events_are_told_with_what_they_are_about(kubectl: Kubectl) -> None:
    kubectl.ok("run", "web", "--image=nginx")
    uid = kubectl("get", "pod", "web", "-o", "jsonpath={.metadata.uid}").stdout
    kubectl.ok("create", "-f", "-", stdin=EVENT.format(namespace=kubectl.namespace, uid=uid))
    described = [line.split(maxsplit=4) for line in kubectl.ok("describe", "pod", "web").splitlines()]
    assert described[-3] == ["Type", "Reason", "Age", "From", "Message"]
    assert [described[-1][index] for index in (0, 1, 3, 4)] == ["Warning", "Scheduled", "me", "no machine is here"]
    events = kubectl.ok("events", "--for=pod/web").splitlines()
    assert events[0].split() == ["LAST", "SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"]
    assert events[1].split(maxsplit=4)[1:] == ["Warning", "Scheduled", "Pod/web", "no machine is here"]


def test_a_pod_gets_what_a_cluster_gives_it(kubectl: Kubectl) -> None:
    kubectl.ok("run", "web", "--image=nginx")
    # How it says that a config map is optional depends on the release.
    told = re.sub(r"^ +(ConfigMap)?Optional:.*\n", "", kubectl.ok("describe", "pod", "web"), flags=re.MULTILINE)
    told = re.sub(r"kube-api-access-\w{5}", "kube-api-access-xxxxx", told)
    assert told == POD.format(namespace=kubectl.namespace, blank=" " * 15)


def test_a_pod_that_runs_nowhere_says_so(kubectl: Kubectl) -> None:
    kubectl.ok("run", "web", "--image=nginx")
    assert kubectl.ok("logs", "web") == ""
    nowhere = "Error from server (BadRequest): pod web does not have a host assigned\n"
    assert kubectl("exec", "web", "--", "true").stderr == nowhere
    assert kubectl("attach", "web").stderr.endswith(nowhere)
    assert kubectl("port-forward", "web", "8080:80").stderr == (
        "error: unable to forward port because pod is not running. Current status=Pending\n"
    )


def test_unknown_kinds_and_names_are_kubernetes_errors(kubectl: Kubectl) -> None:
    for arguments, told in (
        (("get", "widgets"), 'error: the server doesn\'t have a resource type "widgets"\n'),
        (("get", "pod", "none"), 'Error from server (NotFound): pods "none" not found\n'),
        (("delete", "deploy", "none"), 'Error from server (NotFound): deployments.apps "none" not found\n'),
        (
            ("get", "--raw", "/apis/none"),
            "Error from server (NotFound): the server could not find the requested resource\n",
        ),
    ):
        outcome = kubectl(*arguments)
        assert (outcome.code, outcome.stdout, outcome.stderr) == (1, "", told)
