"""`kctl expose`: the service for what is there."""

from __future__ import annotations

import json
import shlex
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
  labels: {app: web, tier: front}
spec:
  replicas: 0
  selector:
    matchLabels: {a: b}
  template:
    metadata:
      labels: {a: b}
    spec:
      containers:
      - name: web
        image: w:1
        ports: [{containerPort: 80}, {containerPort: 81, protocol: UDP}]
""",
    "choosy.yaml": """\
apiVersion: apps/v1
kind: ReplicaSet
metadata:
  name: choosy
spec:
  replicas: 0
  selector:
    matchLabels: {a: b}
    matchExpressions: [{key: x, operator: In, values: [q, r]}]
  template:
    metadata:
      labels: {a: b, x: q}
    spec:
      containers: [{name: c, image: w}]
""",
    "dns.yaml": """\
apiVersion: v1
kind: Pod
metadata:
  name: dns
  labels: {run: dns}
spec:
  containers:
  - name: dns
    image: d
    ports: [{containerPort: 53, protocol: UDP}, {containerPort: 53, protocol: TCP}]
""",
}


@pytest.fixture(scope="module")
def web(plane: Machine, tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """There is something to expose."""
    desk = Desk(plane, f"expose-{uuid.uuid4().hex[:8]}", tmp_path_factory.mktemp("expose"))
    plane.kctl("create", "namespace", desk.namespace)
    for name, text in FILES.items():
        desk.write(name, text)
    for line in (
        "create -f web.yaml -f choosy.yaml",
        "create service clusterip there --tcp=80:8080",
        "create configmap settings",
    ):
        done = desk.run(*line.split())
        assert done.code == 0, done.stderr
    return desk


MADE = [
    (
        "expose deploy/web",
        """\
apiVersion: v1
kind: Service
metadata:
  labels:
    app: web
    tier: front
  name: web
  namespace: <ns>
spec:
  ports:
  - name: port-1
    port: 80
    protocol: TCP
    targetPort: 80
  - name: port-2
    port: 81
    protocol: UDP
    targetPort: 81
  selector:
    a: b
status:
  loadBalancer: {}
""",
    ),
    (
        "expose deployment web --port=8080 --name=front --target-port=http --type=NodePort",
        """\
apiVersion: v1
kind: Service
metadata:
  labels:
    app: web
    tier: front
  name: front
  namespace: <ns>
spec:
  ports:
  - port: 8080
    protocol: TCP
    targetPort: http
  selector:
    a: b
  type: NodePort
status:
  loadBalancer: {}
""",
    ),
    (
        "expose deploy/web --port=80,443 --protocol=TCP -l x=y --selector=p=q",
        """\
apiVersion: v1
kind: Service
metadata:
  labels:
    x: "y"
  name: web
  namespace: <ns>
spec:
  ports:
  - name: port-1
    port: 80
    protocol: TCP
    targetPort: 80
  - name: port-2
    port: 443
    protocol: TCP
    targetPort: 443
  selector:
    p: q
status:
  loadBalancer: {}
""",
    ),
    (
        "expose deploy/web --port=80 --type=LoadBalancer --load-balancer-ip=1.2.3.4 --external-ip=5.6.7.8",
        """\
apiVersion: v1
kind: Service
metadata:
  labels:
    app: web
    tier: front
  name: web
  namespace: <ns>
spec:
  externalIPs:
  - 5.6.7.8
  loadBalancerIP: 1.2.3.4
  ports:
  - port: 80
    protocol: TCP
    targetPort: 80
  selector:
    a: b
  type: LoadBalancer
status:
  loadBalancer: {}
""",
    ),
    (
        "expose deploy/web --port=80 --session-affinity=ClientIP --cluster-ip=None",
        """\
apiVersion: v1
kind: Service
metadata:
  labels:
    app: web
    tier: front
  name: web
  namespace: <ns>
spec:
  clusterIP: None
  ports:
  - port: 80
    protocol: TCP
    targetPort: 80
  selector:
    a: b
  sessionAffinity: ClientIP
status:
  loadBalancer: {}
""",
    ),
    (
        "expose deploy/web --port=80 --labels=x=y --target-port=8080",
        """\
apiVersion: v1
kind: Service
metadata:
  labels:
    x: "y"
  name: web
  namespace: <ns>
spec:
  ports:
  - port: 80
    protocol: TCP
    targetPort: 8080
  selector:
    a: b
status:
  loadBalancer: {}
""",
    ),
    (
        "expose service there --name=second",
        """\
apiVersion: v1
kind: Service
metadata:
  labels:
    app: there
  name: second
  namespace: <ns>
spec:
  ports:
  - port: 80
    protocol: TCP
    targetPort: 80
  selector:
    app: there
status:
  loadBalancer: {}
""",
    ),
    (
        "expose -f dns.yaml",
        """\
apiVersion: v1
kind: Service
metadata:
  labels:
    run: dns
  name: dns
  namespace: <ns>
spec:
  ports:
  - name: port-1-udp
    port: 53
    protocol: UDP
    targetPort: 53
  - name: port-1-tcp
    port: 53
    protocol: TCP
    targetPort: 53
  selector:
    run: dns
status:
  loadBalancer: {}
""",
    ),
    (
        "expose rs/choosy --port=80 --selector=a=b",
        """\
apiVersion: v1
kind: Service
metadata:
  name: choosy
  namespace: <ns>
spec:
  ports:
  - port: 80
    protocol: TCP
    targetPort: 80
  selector:
    a: b
status:
  loadBalancer: {}
""",
    ),
    (
        'expose deploy/web --port=80 --overrides=\'{"spec":{"publishNotReadyAddresses":true}}\'',
        """\
apiVersion: v1
kind: Service
metadata:
  labels:
    app: web
    tier: front
  name: web
  namespace: <ns>
spec:
  ports:
  - port: 80
    protocol: TCP
    targetPort: 80
  publishNotReadyAddresses: true
  selector:
    a: b
status:
  loadBalancer: {}
""",
    ),
    (
        (
            'expose deploy/web --port=80 --overrides=\'{"spec":{"ports":[{"port":80,"name":"x"}]}}\' '
            "--override-type=strategic"
        ),
        """\
apiVersion: v1
kind: Service
metadata:
  labels:
    app: web
    tier: front
  name: web
  namespace: <ns>
spec:
  ports:
  - name: x
    port: 80
    protocol: TCP
    targetPort: 80
  selector:
    a: b
status:
  loadBalancer: {}
""",
    ),
]


@pytest.mark.parametrize(("line", "expected"), MADE, ids=[line for line, _ in MADE])
def test_a_service_is_made_up(web: Desk, line: str, expected: str) -> None:
    assert web.run(*shlex.split(line), "--dry-run=client", "-o", "yaml") == Outcome(0, expected, "")


REFUSED = [
    (
        "expose",
        """\
error: You must provide one or more resources by argument or filename.
Example resource specifications include:
   '-f rsrc.yaml'
   '--filename=rsrc.json'
   '<resource> <name>'
   '<resource>'
""",
    ),
    ("expose deploy", "error: resource(s) were provided, but no name was specified\n"),
    ("expose deploy/nope --port=80", 'Error from server (NotFound): deployments.apps "nope" not found\n'),
    ("expose cm/settings --port=80", "error: cannot expose a ConfigMap\n"),
    (
        "expose rs/choosy --port=80",
        (
            "error: couldn't retrieve selectors via --selector flag or introspection: couldn't convert "
            'expressions - "[{Key:x Operator:In Values:[q r]}]" to map-based selector format\n'
        ),
    ),
    ("expose rs/choosy --selector=a=b", "error: couldn't find port via --port flag or introspection\n"),
    ("expose deploy/web --port=x", 'error: strconv.Atoi: parsing "x": invalid syntax\n'),
    (
        "expose deploy/web --port=80 --protocol=odd",
        (
            'The Service "web" is invalid: spec.ports[0].protocol: Unsupported value: "odd": supported values: '
            '"SCTP", "TCP", "UDP"\n'
        ),
    ),
    (
        "expose deploy/web --port=80 --type=odd",
        (
            'The Service "web" is invalid: spec.type: Unsupported value: "odd": supported values: "ClusterIP", '
            '"ExternalName", "LoadBalancer", "NodePort"\n'
        ),
    ),
    ("expose deploy/web --port=80 --session-affinity=odd", "error: unknown session affinity: odd\n"),
    (
        "expose deploy/web --port=80 --external-ip=odd",
        (
            'The Service "web" is invalid: spec.externalIPs[0]: Invalid value: "odd": must be a valid IP '
            "address, (e.g. 10.9.8.7 or 2001:db8::ffff)\n"
        ),
    ),
    (
        "expose deploy/web --port=80 --cluster-ip=odd",
        (
            'The Service "web" is invalid: spec.clusterIPs[0]: Invalid value: "odd": must be a valid IP address, '
            "(e.g. 10.9.8.7 or 2001:db8::ffff)\n"
        ),
    ),
    ("expose deploy/web --port=80 --selector=x", "error: unexpected label spec: x\n"),
    ("expose deploy/web --port=80 --labels=x=y=z", "error: unexpected label spec: x=y=z\n"),
    (
        "expose deploy/web --port=80 --name=Bad_Name",
        (
            'The Service "Bad_Name" is invalid: metadata.name: Invalid value: "Bad_Name": a lowercase RFC 1123 '
            "label must consist of lower case alphanumeric characters or '-', and must start and end with an "
            "alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
            "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')\n"
        ),
    ),
    ("expose deploy/web --port=80 --overrides='{bad'", "error: Invalid JSON Patch\n"),
    ("expose deploy/web --port=80 --overrides='{}' --override-type=odd", "error: invalid override type: odd\n"),
    (
        'expose deploy/web --port=80 --overrides=\'{"apiVersion":"v9"}\'',
        (
            'error: no kind "Service" is registered for version "v9" in scheme '
            '"k8s.io/kubectl/pkg/scheme/scheme.go:28"\n'
        ),
    ),
    ("expose deploy/web --dry-run=odd", 'error: Invalid dry-run value (odd). Must be "none", "server", or "client".\n'),
    (
        "expose deploy/web -o odd",
        (
            'error: unable to match a printer suitable for the output format "odd", allowed formats are: '
            "go-template,go-template-file,json,jsonpath,jsonpath-as-json,jsonpath-file,kyaml,name,template,templa"
            "tefile,yaml\n"
        ),
    ),
]


@pytest.mark.parametrize(("line", "said"), REFUSED, ids=[line for line, _ in REFUSED])
def test_a_mistake_is_told_in_kubectls_words(web: Desk, line: str, said: str) -> None:
    assert web.run(*shlex.split(line)) == Outcome(1, "", said)


def test_a_service_is_sent_once(web: Desk) -> None:
    assert web.run("expose", "deploy/web") == Outcome(0, "service/web exposed\n", "")
    there = 'Error from server (AlreadyExists): services "web" already exists\n'
    assert web.run("expose", "deploy/web") == Outcome(1, "", there)
    trial = web.run("expose", "deploy/web", "--name=other", "--dry-run=server")
    assert trial == Outcome(0, "service/other exposed (server dry run)\n", "")


def test_who_made_it_and_what_was_asked_for_is_remembered(web: Desk) -> None:
    line = "expose deploy/web --name=kept --save-config --record --field-manager=me --show-managed-fields -o json"
    done = web.run(*line.split())
    assert done.stderr == "Flag --record has been deprecated, --record will be removed in the future\n"
    metadata = json.loads(done.stdout)["metadata"]
    assert [one["manager"] for one in metadata["managedFields"]] == ["me"]
    saved = json.loads(metadata["annotations"]["kubectl.kubernetes.io/last-applied-configuration"])
    assert saved["metadata"]["name"] == "kept"
    assert metadata["annotations"]["kubernetes.io/change-cause"].startswith("kctl expose deploy/web --")


def test_files_directories_and_kustomizations_name_what_is_exposed(web: Desk) -> None:
    web.write("dir/deep/web.yaml", FILES["web.yaml"])
    web.write("base/web.yaml", FILES["web.yaml"])
    web.write("base/kustomization.yaml", "resources: [web.yaml]\nnamePrefix: my-\n")
    flags = ("--dry-run=client", "--port=80")
    for words in (("-f", "dir", "-R"), ("--filename", "dir", "--recursive")):
        assert web.run("expose", *words, *flags).stdout == "service/web exposed (dry run)\n"
    for flag in ("-k", "--kustomize"):
        assert web.run("expose", flag, "base", *flags).stdout == "service/my-web exposed (dry run)\n"


def test_templates_choose_what_is_shown(web: Desk) -> None:
    line = ("expose", "deploy/web", "--dry-run=client")
    assert web.run(*line, "--template={{.kind}}{{.nope}}") == Outcome(0, "Service<no value>", "")
    strict = web.run(*line, "-o", "jsonpath={.nope}", "--allow-missing-template-keys=false")
    assert strict.code == 1
