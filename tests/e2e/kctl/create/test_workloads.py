"""`kctl create deployment`, `job`, `cronjob` and `ingress`."""

from __future__ import annotations

import shlex

import pytest

from tests.e2e.command_line import Outcome
from tests.e2e.kctl.create.words import with_flags
from tests.e2e.kctl.desk import Desk


@pytest.fixture(scope="module")
def nightly(maker: Desk) -> Desk:
    """There is a cron job."""
    maker.run("create", "cronjob", "nightly", "--image=example/backup", "--schedule=@daily")
    maker.run("create", "configmap", "settings")
    return maker


MADE = [
    (
        "create deployment d --image=a",
        """\
apiVersion: apps/v1
kind: Deployment
metadata:
  labels:
    app: d
  name: d
  namespace: <ns>
spec:
  replicas: 1
  selector:
    matchLabels:
      app: d
  strategy: {}
  template:
    metadata:
      labels:
        app: d
    spec:
      containers:
      - image: a
        name: a
        resources: {}
status: {}
""",
    ),
    (
        "create deploy d --image=r.io/x/nginx:1,busybox --image=c@sha256:00 --port=80 --replicas=3",
        """\
apiVersion: apps/v1
kind: Deployment
metadata:
  labels:
    app: d
  name: d
  namespace: <ns>
spec:
  replicas: 3
  selector:
    matchLabels:
      app: d
  strategy: {}
  template:
    metadata:
      labels:
        app: d
    spec:
      containers:
      - image: r.io/x/nginx:1
        name: nginx
        ports:
        - containerPort: 80
        resources: {}
      - image: busybox
        name: busybox
        resources: {}
      - image: c@sha256:00
        name: c
        resources: {}
status: {}
""",
    ),
    (
        "create deploy d --image=a -r 0 -- sleep 5",
        """\
apiVersion: apps/v1
kind: Deployment
metadata:
  labels:
    app: d
  name: d
  namespace: <ns>
spec:
  replicas: 0
  selector:
    matchLabels:
      app: d
  strategy: {}
  template:
    metadata:
      labels:
        app: d
    spec:
      containers:
      - command:
        - sleep
        - "5"
        image: a
        name: a
        resources: {}
status: {}
""",
    ),
    (
        "create job j --image=a",
        """\
apiVersion: batch/v1
kind: Job
metadata:
  name: j
  namespace: <ns>
spec:
  template:
    metadata: {}
    spec:
      containers:
      - image: a
        name: j
        resources: {}
      restartPolicy: Never
status: {}
""",
    ),
    (
        "create job j --image=a -- sh -c 'x y'",
        """\
apiVersion: batch/v1
kind: Job
metadata:
  name: j
  namespace: <ns>
spec:
  template:
    metadata: {}
    spec:
      containers:
      - command:
        - sh
        - -c
        - x y
        image: a
        name: j
        resources: {}
      restartPolicy: Never
status: {}
""",
    ),
    (
        "create job j --from=cronjob/nightly",
        """\
apiVersion: batch/v1
kind: Job
metadata:
  annotations:
    cronjob.kubernetes.io/instantiate: manual
  name: j
  namespace: <ns>
  ownerReferences:
  - apiVersion: batch/v1
    controller: true
    kind: CronJob
    name: nightly
    uid: <uid>
spec:
  template:
    metadata: {}
    spec:
      containers:
      - image: example/backup
        imagePullPolicy: Always
        name: nightly
        resources: {}
        terminationMessagePath: /dev/termination-log
        terminationMessagePolicy: File
      dnsPolicy: ClusterFirst
      restartPolicy: OnFailure
      schedulerName: default-scheduler
      securityContext: {}
      terminationGracePeriodSeconds: 30
status: {}
""",
    ),
    (
        "create cronjob c --image=a --schedule='*/5 * * * *'",
        """\
apiVersion: batch/v1
kind: CronJob
metadata:
  name: c
  namespace: <ns>
spec:
  jobTemplate:
    metadata:
      name: c
    spec:
      template:
        metadata: {}
        spec:
          containers:
          - image: a
            name: c
            resources: {}
          restartPolicy: OnFailure
  schedule: '*/5 * * * *'
status: {}
""",
    ),
    (
        "create cj c --image=a --schedule=@daily --restart=Never -- date",
        """\
apiVersion: batch/v1
kind: CronJob
metadata:
  name: c
  namespace: <ns>
spec:
  jobTemplate:
    metadata:
      name: c
    spec:
      template:
        metadata: {}
        spec:
          containers:
          - command:
            - date
            image: a
            name: c
            resources: {}
          restartPolicy: Never
  schedule: '@daily'
status: {}
""",
    ),
    (
        "create ingress i --rule=a.b/x=s:80",
        """\
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: i
  namespace: <ns>
spec:
  rules:
  - host: a.b
    http:
      paths:
      - backend:
          service:
            name: s
            port:
              number: 80
        path: /x
        pathType: Exact
status:
  loadBalancer: {}
""",
    ),
    (
        "create ing i --rule=a.b/x*=s:http,tls=one --rule=a.b/y=t:81 --rule=c.d/=u:82,tls --rule=e.f/=u:82,tls=one",
        """\
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: i
  namespace: <ns>
spec:
  rules:
  - host: a.b
    http:
      paths:
      - backend:
          service:
            name: s
            port:
              name: http
        path: /x
        pathType: Prefix
      - backend:
          service:
            name: t
            port:
              number: 81
        path: /y
        pathType: Exact
  - host: c.d
    http:
      paths:
      - backend:
          service:
            name: u
            port:
              number: 82
        path: /
        pathType: Exact
  - host: e.f
    http:
      paths:
      - backend:
          service:
            name: u
            port:
              number: 82
        path: /
        pathType: Exact
  tls:
  - hosts:
    - a.b
    - e.f
    secretName: one
  - hosts:
    - c.d
status:
  loadBalancer: {}
""",
    ),
    (
        "create ing i --default-backend=s:http --class=nginx --annotation=k=v --annotation=empty=",
        """\
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  annotations:
    empty: ""
    k: v
  name: i
  namespace: <ns>
spec:
  defaultBackend:
    service:
      name: s
      port:
        name: http
  ingressClassName: nginx
status:
  loadBalancer: {}
""",
    ),
    (
        "create ing i --rule=/*=s:80,tls",
        """\
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: i
  namespace: <ns>
spec:
  rules:
  - http:
      paths:
      - backend:
          service:
            name: s
            port:
              number: 80
        path: /
        pathType: Prefix
status:
  loadBalancer: {}
""",
    ),
]


@pytest.mark.parametrize(("line", "expected"), MADE, ids=[line for line, _ in MADE])
def test_an_object_is_made_up(nightly: Desk, line: str, expected: str) -> None:
    assert nightly.run(*with_flags(line, "--dry-run=client", "-o", "yaml")) == Outcome(0, expected, "")


REFUSED = [
    ("create deployment d", 'error: required flag(s) "image" not set\n'),
    (
        "create deployment --image=a",
        """\
error: exactly one NAME is required, got 0
See 'kctl create deployment -h' for help and examples
""",
    ),
    ("create deploy d --image=a,b -- date", "error: cannot specify multiple --image options and command\n"),
    (
        "create deploy d date --image=a",
        """\
error: exactly one NAME is required, got 2
See 'kctl create deployment -h' for help and examples
""",
    ),
    (
        "create deploy d --image=a --port=x",
        """\
error: invalid argument "x" for "--port" flag: strconv.ParseInt: parsing "x": invalid syntax
See 'kctl create deployment --help' for usage.
""",
    ),
    (
        "create deploy d --image=a --replicas=99999999999",
        (
            'error: invalid argument "99999999999" for "-r, --replicas" flag: strconv.ParseInt: parsing '
            '"99999999999": value out of range\n'
            "See 'kctl create deployment --help' for usage.\n"
        ),
    ),
    ("create job j", "error: either --image or --from must be specified\n"),
    ("create job j --image=a --from=cronjob/nightly", "error: either --image or --from must be specified\n"),
    ("create job j --from=cronjob/nightly -- date", "error: cannot specify --from and command\n"),
    ("create job j --from=cronjob/nope", 'Error from server (NotFound): cronjobs.batch "nope" not found\n'),
    ("create job j --from=cm/settings", "error: unknown object type *v1.ConfigMap\n"),
    ("create job j --from=nightly", 'error: the server doesn\'t have a resource type "nightly"\n'),
    ("create cronjob c", 'error: required flag(s) "image", "schedule" not set\n'),
    (
        "create cj c --image=a --schedule=sometimes",
        (
            'error: failed to create cronjob: CronJob.batch "c" is invalid: spec.schedule: Invalid value: '
            '"sometimes": expected exactly 5 fields, found 1: [sometimes]\n'
        ),
    ),
    (
        "create ingress i",
        (
            "error: not enough information provided: every ingress has to either specify a default-backend "
            "(which catches all traffic) or a list of rules (which catch specific paths)\n"
        ),
    ),
    (
        "create ing i --rule=a.b=s:80",
        "error: rule a.b=s:80 is invalid and should be in format host/path=svcname:svcport[,tls[=secret]]\n",
    ),
    (
        "create ing i --rule=a.b/x=s",
        "error: rule a.b/x=s is invalid and should be in format host/path=svcname:svcport[,tls[=secret]]\n",
    ),
    (
        "create ing i --rule='a b/x=s:80'",
        "error: rule a b/x=s:80 is invalid and should be in format host/path=svcname:svcport[,tls[=secret]]\n",
    ),
    ("create ing i --default-backend=s", "error: default-backend should be in format servicename:serviceport\n"),
    (
        "create ing i --default-backend=s:80 --annotation=k",
        "error: annotation k is invalid and should be in format key=[value]\n",
    ),
]


@pytest.mark.parametrize(("line", "said"), REFUSED, ids=[line for line, _ in REFUSED])
def test_a_mistake_is_told_in_kubectls_words(nightly: Desk, line: str, said: str) -> None:
    assert nightly.run(*shlex.split(line)) == Outcome(1, "", said)


def test_a_name_that_an_image_can_not_lend_gets_a_random_end(maker: Desk) -> None:
    line = "create deployment d --image=my_app.v2 --dry-run=client -o jsonpath={.spec.template.spec.containers[0].name}"
    done = maker.run(*line.split())
    assert done.stdout[:-5] == "my-app-v2-"


def test_a_job_of_a_cron_job_belongs_to_it(nightly: Desk) -> None:
    assert nightly.run("create", "job", "now", "--from=cronjob/nightly") == Outcome(0, "job.batch/now created\n", "")
    owner = nightly.run(
        "get", "job", "now", "-o", "jsonpath={.metadata.ownerReferences[0]['kind', 'name', 'controller']}"
    )
    assert owner.stdout == "CronJob nightly true"


def test_a_rule_that_takes_kubectl_down_is_refused(maker: Desk) -> None:
    said = "error: rule a.b/x=y=s:80 is invalid and should be in format host/path=svcname:svcport[,tls[=secret]]\n"
    assert maker.run("create", "ingress", "i", "--rule=a.b/x=y=s:80") == Outcome(1, "", said)
