"""`kctl create role`, `clusterrole`, their bindings, `serviceaccount`, `token` and `namespace`."""

from __future__ import annotations

import shlex

import pytest

from tests.e2e.command_line import Outcome
from tests.e2e.kctl.create.words import with_flags
from tests.e2e.kctl.desk import Desk


@pytest.fixture(scope="module")
def robot(maker: Desk) -> Desk:
    """There is a service account, and a secret."""
    maker.run("create", "serviceaccount", "robot")
    maker.run("create", "secret", "generic", "tied")
    return maker


MADE = [
    (
        "create role r --verb=get,get --verb=watch --resource=pods,deploy,po/log --resource-name=a --resource-name=b",
        """\
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: r
  namespace: <ns>
rules:
- apiGroups:
  - ""
  resourceNames:
  - a
  - b
  resources:
  - pods
  - pods/log
  verbs:
  - get
  - watch
- apiGroups:
  - apps
  resourceNames:
  - a
  - b
  resources:
  - deployments
  verbs:
  - get
  - watch
""",
    ),
    (
        "create role r --verb=get,* --resource=*",
        """\
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: r
  namespace: <ns>
rules:
- apiGroups:
  - ""
  resources:
  - '*'
  verbs:
  - '*'
""",
    ),
    (
        "create role r --verb=impersonate --resource=users,groups",
        """\
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: r
  namespace: <ns>
rules:
- apiGroups:
  - ""
  resources:
  - users
  - groups
  verbs:
  - impersonate
""",
    ),
    (
        "create clusterrole r --verb=get --resource=nodes,deployments.apps/scale --non-resource-url=/x,/y/*",
        """\
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: r
rules:
- apiGroups:
  - ""
  resources:
  - nodes
  verbs:
  - get
- apiGroups:
  - apps
  resources:
  - deployments/scale
  verbs:
  - get
- nonResourceURLs:
  - /x
  - /y/*
  verbs:
  - get
""",
    ),
    (
        "create clusterrole r --aggregation-rule=a=b,c=d --aggregation-rule=e=f",
        """\
aggregationRule:
  clusterRoleSelectors:
  - matchLabels:
      a: b
      c: d
      e: f
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: r
rules: null
""",
    ),
    (
        "create rolebinding r --role=a --user=u --user=v --group=g --serviceaccount=n:s",
        """\
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: r
  namespace: <ns>
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: Role
  name: a
subjects:
- apiGroup: rbac.authorization.k8s.io
  kind: User
  name: u
- apiGroup: rbac.authorization.k8s.io
  kind: User
  name: v
- apiGroup: rbac.authorization.k8s.io
  kind: Group
  name: g
- kind: ServiceAccount
  name: s
  namespace: "n"
""",
    ),
    (
        "create rolebinding r --clusterrole=a",
        """\
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: r
  namespace: <ns>
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: a
""",
    ),
    (
        "create clusterrolebinding r --clusterrole=a --user=u --group=g --serviceaccount=n:s",
        """\
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: r
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: a
subjects:
- apiGroup: rbac.authorization.k8s.io
  kind: User
  name: u
- apiGroup: rbac.authorization.k8s.io
  kind: Group
  name: g
- kind: ServiceAccount
  name: s
  namespace: "n"
""",
    ),
    (
        "create serviceaccount s",
        """\
apiVersion: v1
kind: ServiceAccount
metadata:
  name: s
  namespace: <ns>
""",
    ),
    (
        "create sa s",
        """\
apiVersion: v1
kind: ServiceAccount
metadata:
  name: s
  namespace: <ns>
""",
    ),
    (
        "create namespace n",
        """\
apiVersion: v1
kind: Namespace
metadata:
  name: "n"
spec: {}
status: {}
""",
    ),
    (
        "create ns n",
        """\
apiVersion: v1
kind: Namespace
metadata:
  name: "n"
spec: {}
status: {}
""",
    ),
]


@pytest.mark.parametrize(("line", "expected"), MADE, ids=[line for line, _ in MADE])
def test_an_object_is_made_up(robot: Desk, line: str, expected: str) -> None:
    assert robot.run(*with_flags(line, "--dry-run=client", "-o", "yaml")) == Outcome(0, expected, "")


REFUSED = [
    ("create role r", "error: at least one verb must be specified\n"),
    ("create role r --verb=get", "error: at least one resource must be specified\n"),
    ("create role r --verb=get --resource=bogus", 'the server doesn\'t have a resource type "bogus"\n'),
    (
        "create role r --verb=get --resource=pods.bogus",
        'the server doesn\'t have a resource type "pods" in group "bogus"\n',
    ),
    (
        "create role r --verb=get --resource=/log",
        "error: resource must be specified if apiGroup/subresource specified\n",
    ),
    ("create role r --verb=bind --resource=pods", "error: can not perform 'bind' on 'pods' in group ''\n"),
    (
        "create role a b --verb=get --resource=pods",
        """\
error: exactly one NAME is required, got 2
See 'kctl create role -h' for help and examples
""",
    ),
    ("create clusterrole r --verb=get", "error: one of resource or nonResourceURL must be specified\n"),
    ("create clusterrole r --verb=list --non-resource-url=/x", "error: invalid verb: 'list' for nonResourceURL\n"),
    ("create clusterrole r --verb=get --non-resource-url=x", "error: nonResourceURL should start with /\n"),
    (
        "create clusterrole r --verb=get --non-resource-url=/x*y",
        "error: nonResourceURL only supports wildcard matches when '*' is at the end\n",
    ),
    (
        "create clusterrole r --aggregation-rule=a",
        """\
error: invalid argument "a" for "--aggregation-rule" flag: malformed pair, expect string=string
See 'kctl create clusterrole --help' for usage.
""",
    ),
    (
        "create clusterrole r --aggregation-rule=a=b --verb=get",
        ("error: aggregation rule must be specified without nonResourceURLs, verbs, resources or resourceNames\n"),
    ),
    ("create rolebinding r", "error: exactly one of clusterrole or role must be specified\n"),
    ("create rolebinding r --role=a --clusterrole=b", "error: exactly one of clusterrole or role must be specified\n"),
    ("create rolebinding r --role=a --serviceaccount=s", "error: serviceaccount must be <namespace>:<name>\n"),
    ("create clusterrolebinding r", 'error: required flag(s) "clusterrole" not set\n'),
    (
        "create serviceaccount",
        """\
error: exactly one NAME is required, got 0
See 'kctl create serviceaccount -h' for help and examples
""",
    ),
    (
        "create namespace a b",
        """\
error: exactly one NAME is required, got 2
See 'kctl create namespace -h' for help and examples
""",
    ),
    (
        "create namespace Bad_Name",
        (
            'The Namespace "Bad_Name" is invalid: metadata.name: Invalid value: "Bad_Name": a lowercase RFC 1123 '
            "label must consist of lower case alphanumeric characters or '-', and must start and end with an "
            "alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
            "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')\n"
        ),
    ),
    (
        "create token",
        """\
error: exactly one NAME is required, got 0
See 'kctl create token -h' for help and examples
""",
    ),
    ("create token nobody", 'error: failed to create token: serviceaccounts "nobody" not found\n'),
    ('create token ""', "error: service account name is required\n"),
    ("create token robot --duration=-1s", "error: --duration must be greater than or equal to 0\n"),
    ("create token robot --duration=1500ms", "error: --duration cannot be expressed in units less than seconds\n"),
    ("create token robot --duration=1ns", "error: --duration cannot be expressed in units less than seconds\n"),
    (
        "create token robot --duration=5m",
        (
            'error: failed to create token: TokenRequest.authentication.k8s.io "" is invalid: '
            "spec.expirationSeconds: Invalid value: 300: may not specify a duration less than 10 minutes\n"
        ),
    ),
    ("create token robot --audience=", "error: --audience must not be an empty string\n"),
    (
        "create token robot --bound-object-kind=Job",
        "error: supported --bound-object-kind values are Node, Pod, Secret\n",
    ),
    (
        "create token robot --bound-object-kind=Pod",
        "error: --bound-object-name is required if --bound-object-kind is provided\n",
    ),
    (
        "create token robot --bound-object-name=x",
        "error: --bound-object-name can only be set if --bound-object-kind is provided\n",
    ),
    (
        "create token robot --bound-object-uid=x",
        "error: --bound-object-uid can only be set if --bound-object-kind is provided\n",
    ),
    (
        "create token robot --bound-object-kind=Secret --bound-object-name=nope",
        'error: failed to create token: secrets "nope" not found\n',
    ),
]


@pytest.mark.parametrize(("line", "said"), REFUSED, ids=[line for line, _ in REFUSED])
def test_a_mistake_is_told_in_kubectls_words(robot: Desk, line: str, said: str) -> None:
    assert robot.run(*shlex.split(line)) == Outcome(1, "", said)


def test_a_verb_that_is_not_known_is_warned_of(maker: Desk) -> None:
    done = maker.run("create", "role", "r", "--verb=fly,get", "--resource=pods", "--dry-run=client")
    said = "Warning: 'fly' is not a standard resource verb\n"
    assert done == Outcome(0, "role.rbac.authorization.k8s.io/r created (dry run)\n", said)


def test_a_cluster_role_may_be_for_some_names(maker: Desk) -> None:
    line = "create clusterrole r --verb=get --resource=pods --resource-name=web --dry-run=client -o"
    assert maker.run(*line.split(), "jsonpath={.rules[0].resourceNames}") == Outcome(0, '["web"]', "")


def test_a_token_is_printed_alone(robot: Desk) -> None:
    done = robot.run("create", "token", "robot")
    assert (done.code, done.stdout.count("."), done.stdout.endswith("\n"), done.stderr) == (0, 2, False, "")


@pytest.mark.parametrize(
    ("flags", "path", "value"),
    [
        ("--duration=1h", "{.spec.expirationSeconds}", "3600"),
        ("--audience=a --audience=b", "{.spec.audiences}", '["a","b"]'),
        (
            "--bound-object-kind=Secret --bound-object-name=tied",
            "{.spec.boundObjectRef['kind', 'name']}",
            "Secret tied",
        ),
        ("", "{.kind}{.metadata.name}", "TokenRequestrobot"),
    ],
)
def test_a_token_is_asked_for_as_the_flags_say(robot: Desk, flags: str, path: str, value: str) -> None:
    done = robot.run("create", "token", "robot", *flags.split(), "-o", f"jsonpath={path}")
    assert done == Outcome(0, value, "")


def test_a_template_chooses_what_is_shown_of_a_token_and_may_insist_on_it(robot: Desk) -> None:
    token = ("create", "token", "robot")
    assert robot.run(*token, "--template={{.kind}}{{.nope}}") == Outcome(0, "TokenRequest<no value>", "")
    strict = robot.run(*token, "-o", "jsonpath={.nope}", "--allow-missing-template-keys=false")
    assert "nope is not found" in strict.stderr


def test_a_token_is_bound_to_one_object_and_no_other_of_its_name(robot: Desk) -> None:
    line = "create token robot --bound-object-kind=Secret --bound-object-name=tied --bound-object-uid=another"
    done = robot.run(*line.split())
    assert (done.code, done.stdout) == (1, "")
    assert "UID" in done.stderr
