"""`kctl create quota`, `poddisruptionbudget`, `priorityclass` and `service`."""

from __future__ import annotations

import shlex

import pytest

from tests.e2e.command_line import Outcome
from tests.e2e.kctl.create.words import with_flags
from tests.e2e.kctl.desk import Desk

MADE = [
    (
        "create quota q --hard=cpu=1000m,memory=1024Mi,pods=2 --scopes=BestEffort,NotTerminating",
        """\
apiVersion: v1
kind: ResourceQuota
metadata:
  name: q
  namespace: <ns>
spec:
  hard:
    cpu: "1"
    memory: 1Gi
    pods: "2"
  scopes:
  - BestEffort
  - NotTerminating
status: {}
""",
    ),
    (
        "create resourcequota q",
        """\
apiVersion: v1
kind: ResourceQuota
metadata:
  name: q
  namespace: <ns>
spec: {}
status: {}
""",
    ),
    (
        "create poddisruptionbudget p --selector=a=b --min-available=1",
        """\
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: p
  namespace: <ns>
spec:
  minAvailable: 1
  selector:
    matchLabels:
      a: b
status:
  currentHealthy: 0
  desiredHealthy: 0
  disruptionsAllowed: 0
  expectedPods: 0
""",
    ),
    (
        "create pdb p --selector='a in (c,b),d,!e' --max-unavailable=10%",
        """\
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: p
  namespace: <ns>
spec:
  maxUnavailable: 10%
  selector:
    matchExpressions:
    - key: a
      operator: In
      values:
      - b
      - c
    - key: d
      operator: Exists
    - key: e
      operator: DoesNotExist
status:
  currentHealthy: 0
  desiredHealthy: 0
  disruptionsAllowed: 0
  expectedPods: 0
""",
    ),
    (
        "create priorityclass p --value=5",
        """\
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata:
  name: p
preemptionPolicy: PreemptLowerPriority
value: 5
""",
    ),
    (
        "create pc p --value=-5 --description='a b' --global-default --preemption-policy=Never",
        """\
apiVersion: scheduling.k8s.io/v1
description: a b
globalDefault: true
kind: PriorityClass
metadata:
  name: p
preemptionPolicy: Never
value: -5
""",
    ),
    (
        "create service clusterip s --tcp=80:http,81 --tcp=82:83",
        """\
apiVersion: v1
kind: Service
metadata:
  labels:
    app: s
  name: s
  namespace: <ns>
spec:
  ports:
  - name: 80-http
    port: 80
    protocol: TCP
    targetPort: http
  - name: "81"
    port: 81
    protocol: TCP
    targetPort: 81
  - name: 82-83
    port: 82
    protocol: TCP
    targetPort: 83
  selector:
    app: s
  type: ClusterIP
status:
  loadBalancer: {}
""",
    ),
    (
        "create svc clusterip s --clusterip=None",
        """\
apiVersion: v1
kind: Service
metadata:
  labels:
    app: s
  name: s
  namespace: <ns>
spec:
  clusterIP: None
  selector:
    app: s
  type: ClusterIP
status:
  loadBalancer: {}
""",
    ),
    (
        "create service clusterip s --tcp=80 --clusterip=10.0.0.9",
        """\
apiVersion: v1
kind: Service
metadata:
  labels:
    app: s
  name: s
  namespace: <ns>
spec:
  clusterIP: 10.0.0.9
  ports:
  - name: "80"
    port: 80
    protocol: TCP
    targetPort: 80
  selector:
    app: s
  type: ClusterIP
status:
  loadBalancer: {}
""",
    ),
    (
        "create service nodeport s --tcp=80 --node-port=30080",
        """\
apiVersion: v1
kind: Service
metadata:
  labels:
    app: s
  name: s
  namespace: <ns>
spec:
  ports:
  - name: "80"
    nodePort: 30080
    port: 80
    protocol: TCP
    targetPort: 80
  selector:
    app: s
  type: NodePort
status:
  loadBalancer: {}
""",
    ),
    (
        "create service loadbalancer s --tcp=443:https",
        """\
apiVersion: v1
kind: Service
metadata:
  labels:
    app: s
  name: s
  namespace: <ns>
spec:
  ports:
  - name: 443-https
    port: 443
    protocol: TCP
    targetPort: https
  selector:
    app: s
  type: LoadBalancer
status:
  loadBalancer: {}
""",
    ),
    (
        "create service externalname s --external-name=a.b --tcp=80",
        """\
apiVersion: v1
kind: Service
metadata:
  labels:
    app: s
  name: s
  namespace: <ns>
spec:
  externalName: a.b
  ports:
  - name: "80"
    port: 80
    protocol: TCP
    targetPort: 80
  selector:
    app: s
  type: ExternalName
status:
  loadBalancer: {}
""",
    ),
]


@pytest.mark.parametrize(("line", "expected"), MADE, ids=[line for line, _ in MADE])
def test_an_object_is_made_up(maker: Desk, line: str, expected: str) -> None:
    assert maker.run(*with_flags(line, "--dry-run=client", "-o", "yaml")) == Outcome(0, expected, "")


REFUSED = [
    (
        "create quota",
        """\
error: exactly one NAME is required, got 0
See 'kctl create quota -h' for help and examples
""",
    ),
    ("create quota q --hard=cpu", "error: Invalid argument syntax cpu, expected <resource>=<value>\n"),
    (
        "create quota q --hard=cpu -o wide",
        (
            'error: unable to match a printer suitable for the output format "wide", allowed formats are: '
            "go-template,go-template-file,json,jsonpath,jsonpath-as-json,jsonpath-file,kyaml,name,"
            "template,templatefile,yaml\n"
        ),
    ),
    (
        "create quota q --hard=cpu=x",
        "error: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'\n",
    ),
    ("create quota q --scopes=a,,b", 'error: invalid resource quota scope ""\n'),
    (
        "create quota q --scopes=Bogus",
        (
            'error: failed to create quota: ResourceQuota "q" is invalid: spec.scopes: Invalid value: ["Bogus"]: '
            "unsupported scope\n"
        ),
    ),
    ("create pdb p", "error: a selector must be specified\n"),
    ("create pdb p --selector=a=b", "error: one of min-available or max-unavailable must be specified\n"),
    (
        "create pdb p --selector=a=b --min-available=1 --max-unavailable=1",
        "error: min-available and max-unavailable cannot be both specified\n",
    ),
    ("create pdb p --selector=a=b --min-available=x", "error: invalid format specified for min-available\n"),
    (
        "create pdb p --selector='a in' --min-available=1",
        ("error: couldn't parse the selector string \"a in\": unable to parse requirement: found '' expected: '('\n"),
    ),
    ("create pdb p --selector='a>1' --min-available=1", 'error: "gt" isn\'t supported in label selectors\n'),
    ("create pdb p --selector='a!=b' --min-available=1", 'error: "!=" is not a valid label selector operator\n'),
    (
        "create priorityclass p --value=x",
        """\
error: invalid argument "x" for "--value" flag: strconv.ParseInt: parsing "x": invalid syntax
See 'kctl create priorityclass --help' for usage.
""",
    ),
    (
        "create priorityclass p --value=5 --preemption-policy=Bogus",
        (
            'error: failed to create priorityclass: PriorityClass.scheduling.k8s.io "p" is invalid: '
            'preemptionPolicy: Unsupported value: "Bogus": supported values: "PreemptLowerPriority", "Never"\n'
        ),
    ),
    ("create service clusterip s", "error: at least one tcp port specifier must be provided\n"),
    ("create service clusterip s --tcp=x", 'error: strconv.ParseUint: parsing "x": invalid syntax\n'),
    ("create service clusterip s --tcp=70000", 'error: strconv.ParseUint: parsing "70000": value out of range\n'),
    ("create service clusterip s --tcp=80:70000", "error: must be between 1 and 65535, inclusive\n"),
    (
        "create service clusterip s --tcp=80:Http",
        "error: must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)\n",
    ),
    (
        "create service clusterip s --tcp=80 --clusterip=bogus",
        (
            'error: failed to create ClusterIP service: Service "s" is invalid: spec.clusterIPs[0]: Invalid '
            'value: "bogus": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)\n'
        ),
    ),
    ("create service nodeport s", "error: at least one tcp port specifier must be provided\n"),
    (
        "create service nodeport s --tcp=80 --node-port=x",
        """\
error: invalid argument "x" for "--node-port" flag: strconv.ParseInt: parsing "x": invalid syntax
See 'kctl create service nodeport --help' for usage.
""",
    ),
    ("create service loadbalancer s", "error: at least one tcp port specifier must be provided\n"),
    ("create service externalname s", 'error: required flag(s) "external-name" not set\n'),
    ("create service externalname s --external-name=A_b", "error: invalid service external name A_b\n"),
    (
        "create service bogus",
        """\
error: unknown command "bogus"
See 'kctl create service -h' for help and examples
""",
    ),
]


@pytest.mark.parametrize(("line", "said"), REFUSED, ids=[line for line, _ in REFUSED])
def test_a_mistake_is_told_in_kubectls_words(maker: Desk, line: str, said: str) -> None:
    assert maker.run(*shlex.split(line)) == Outcome(1, "", said)
