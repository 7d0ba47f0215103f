"""`kctl autoscale`: the autoscaler for what is there."""

from __future__ import annotations

import json
import uuid

import pytest

from tests.e2e.command_line import Outcome
from tests.e2e.kctl.desk import Desk
from tests.e2e.up.machine import Machine

FILES = {
    "web.yaml": """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 0
  selector:
    matchLabels: {a: b}
  template:
    metadata:
      labels: {a: b}
    spec:
      containers: [{name: c, image: w}]
""",
}
DEPRECATED = (
    "Flag --cpu-percent has been deprecated, Use --cpu with percentage or resource quantity format (e.g., '70%' for "
    "utilization or '500m' for milliCPU).\n"
)


@pytest.fixture(scope="module")
def web(plane: Machine, tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """There is something to scale."""
    desk = Desk(plane, f"scale-{uuid.uuid4().hex[:8]}", tmp_path_factory.mktemp("autoscale"))
    plane.kctl("create", "namespace", desk.namespace)
    for name, text in FILES.items():
        desk.write(name, text)
    for line in ("create -f web.yaml", "create configmap settings"):
        done = desk.run(*line.split())
        assert done.code == 0, done.stderr
    return desk


MADE = [
    (
        "autoscale deploy/web --max=3",
        """\
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: web
  namespace: <ns>
spec:
  maxReplicas: 3
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: web
status:
  currentMetrics: null
  desiredReplicas: 0
""",
    ),
    (
        "autoscale deployment web --max=3 --min=2 --cpu=80% --name=front",
        """\
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: front
  namespace: <ns>
spec:
  maxReplicas: 3
  metrics:
  - resource:
      name: cpu
      target:
        averageUtilization: 80
        type: Utilization
    type: Resource
  minReplicas: 2
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: web
status:
  currentMetrics: null
  desiredReplicas: 0
""",
    ),
    (
        "autoscale deploy/web --max=3 --cpu=500m --memory=200Mi",
        """\
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: web
  namespace: <ns>
spec:
  maxReplicas: 3
  metrics:
  - resource:
      name: cpu
      target:
        averageValue: 500m
        type: AverageValue
    type: Resource
  - resource:
      name: memory
      target:
        averageValue: 200Mi
        type: AverageValue
    type: Resource
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: web
status:
  currentMetrics: null
  desiredReplicas: 0
""",
    ),
    (
        "autoscale deploy/web --max=3 --cpu=500 --memory=60%",
        """\
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: web
  namespace: <ns>
spec:
  maxReplicas: 3
  metrics:
  - resource:
      name: cpu
      target:
        averageValue: 500m
        type: AverageValue
    type: Resource
  - resource:
      name: memory
      target:
        averageUtilization: 60
        type: Utilization
    type: Resource
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: web
status:
  currentMetrics: null
  desiredReplicas: 0
""",
    ),
    (
        "autoscale -f web.yaml --max=3 --min=0",
        """\
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: web
  namespace: <ns>
spec:
  maxReplicas: 3
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: web
status:
  currentMetrics: null
  desiredReplicas: 0
""",
    ),
]


@pytest.mark.parametrize(("line", "expected"), MADE, ids=[line for line, _ in MADE])
def test_an_autoscaler_is_made_up(web: Desk, line: str, expected: str) -> None:
    assert web.run(*line.split(), "--dry-run=client", "-o", "yaml") == Outcome(0, expected, "")


REFUSED = [
    ("autoscale deploy/web", 'error: required flag(s) "max" not set\n'),
    (
        "autoscale --max=3",
        """\
error: You must provide one or more resources by argument or filename.
Example resource specifications include:
   '-f rsrc.yaml'
   '--filename=rsrc.json'
   '<resource> <name>'
   '<resource>'
""",
    ),
    ("autoscale deploy/web --max=0", "error: --max=MAXPODS is required and must be at least 1, max: 0\n"),
    (
        "autoscale deploy/web --max=1 --min=2",
        "error: --max=MAXPODS must be larger or equal to --min=MINPODS, max: 1, min: 2\n",
    ),
    (
        "autoscale deploy/web --max=x",
        """\
error: invalid argument "x" for "--max" flag: strconv.ParseInt: parsing "x": invalid syntax
See 'kctl autoscale --help' for usage.
""",
    ),
    ("autoscale deploy/web --max=3 --cpu=x", "error: invalid resource cpu value: x\n"),
    ("autoscale deploy/web --max=3 --cpu=x%", "error: invalid percentage value: x\n"),
    ("autoscale deploy/web --max=3 --memory=x", "error: invalid resource memory value: x\n"),
    ("autoscale deploy/nope --max=3", 'Error from server (NotFound): deployments.apps "nope" not found\n'),
    (
        "autoscale cm/settings --max=3",
        (
            "error: cannot autoscale a ConfigMap: could not find scale subresource for /v1, Resource=configmaps "
            "in discovery information\n"
        ),
    ),
    (
        "autoscale deploy/web --max=3 --name=Bad_Name",
        (
            "error: failed to create autoscaling/v2 HPA and the configuration is incompatible with "
            "autoscaling/v1: empty input\n"
        ),
    ),
    (
        "autoscale deploy/web --max=3 --dry-run=odd",
        'error: Invalid dry-run value (odd). Must be "none", "server", or "client".\n',
    ),
]


@pytest.mark.parametrize(("line", "said"), REFUSED, ids=[line for line, _ in REFUSED])
def test_a_mistake_is_told_in_kubectls_words(web: Desk, line: str, said: str) -> None:
    assert web.run(*line.split()) == Outcome(1, "", said)


def test_an_autoscaler_is_sent(web: Desk) -> None:
    created = "horizontalpodautoscaler.autoscaling/{} {}\n"
    assert web.run("autoscale", "deploy/web", "--max=3") == Outcome(0, created.format("web", "autoscaled"), "")
    trial = web.run("autoscale", "deploy/web", "--max=3", "--name=x", "--dry-run=server")
    assert trial == Outcome(0, created.format("x", "autoscaled (server dry run)"), "")
    local = web.run("autoscale", "deploy/web", "--max=3", "--dry-run=client")
    assert local == Outcome(0, created.format("web", "created (dry run)"), "")


def test_the_old_flag_for_cpu_still_works(web: Desk) -> None:
    path = "jsonpath={.spec.metrics[0].resource.target.averageUtilization}"
    line = ("autoscale", "deploy/web", "--max=3", "--cpu-percent=70", "--dry-run=client", "-o", path)
    assert web.run(*line) == Outcome(0, "70", DEPRECATED)
    both = web.run(*line, "--cpu=60%")
    assert both == Outcome(1, "", f"{DEPRECATED}error: --cpu-percent and --cpu are mutually exclusive\n")


def test_who_made_it_and_what_was_asked_for_is_remembered(web: Desk) -> None:
    flags = "--name=kept --save-config --record --field-manager=me --show-managed-fields -o json"
    done = web.run("autoscale", "deploy/web", "--max=3", *flags.split())
    assert done.stderr == "Flag --record has been deprecated, --record will be removed in the future\n"
    metadata = json.loads(done.stdout)["metadata"]
    assert [one["manager"] for one in metadata["managedFields"]] == ["me"]
    saved = json.loads(metadata["annotations"]["kubectl.kubernetes.io/last-applied-configuration"])
    assert saved["spec"]["maxReplicas"] == 3
    assert metadata["annotations"]["kubernetes.io/change-cause"].startswith("kctl autoscale deploy/web --")


def test_files_directories_and_kustomizations_name_what_is_scaled(web: Desk) -> None:
    web.write("dir/deep/web.yaml", FILES["web.yaml"])
    web.write("base/web.yaml", FILES["web.yaml"])
    web.write("base/kustomization.yaml", "resources: [web.yaml]\nnamePrefix: my-\n")
    flags = ("--dry-run=client", "--max=3", "-o", "name")
    for words in (("-f", "dir", "-R"), ("--filename", "dir", "--recursive")):
        assert web.run("autoscale", *words, *flags).stdout == "horizontalpodautoscaler.autoscaling/web\n"
    for flag in ("-k", "--kustomize"):
        assert web.run("autoscale", flag, "base", *flags).stdout == "horizontalpodautoscaler.autoscaling/my-web\n"


def test_templates_choose_what_is_shown(web: Desk) -> None:
    line = ("autoscale", "deploy/web", "--max=3", "--dry-run=client")
    assert web.run(*line, "--template={{.kind}}{{.nope}}").stdout == "HorizontalPodAutoscaler<no value>"
    strict = web.run(*line, "-o", "jsonpath={.nope}", "--allow-missing-template-keys=false")
    assert strict.code == 1
