"""`kctl rbac`: whole outputs and exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.e2e.command_line import Outcome
from tests.e2e.up.machine import Machine

MINIMAL = """\
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: shop-needy
rules:
- apiGroups:
  - ""
  resources:
  - nodes
  verbs:
  - list
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: shop-needy
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: shop-needy
subjects:
- kind: ServiceAccount
  name: needy
  namespace: shop
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: shop-needy
  namespace: shop
rules:
- apiGroups:
  - ""
  resources:
  - configmaps
  verbs:
  - get
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: shop-needy
  namespace: shop
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: Role
  name: shop-needy
subjects:
- kind: ServiceAccount
  name: needy
  namespace: shop
"""

SHIPPED = """\
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: shipped}
rules:
- {apiGroups: [""], resources: [configmaps], verbs: [get, delete]}
- {apiGroups: [apps], resources: ["*"], verbs: [get]}
"""


@pytest.fixture(scope="module")
def asked(shop: Machine) -> Machine:
    needy = ("--as", "system:serviceaccount:shop:needy", "--cache-dir", "needy")  # nobody else has asked what there is
    assert shop.kctl("get", "cm", "apple", "-n", "shop", *needy).code == 1
    assert shop.kctl("get", "nodes", *needy).code == 1
    return shop


def test_the_roles_that_somebody_needs_can_be_applied(asked: Machine, tmp_path: Path) -> None:
    minimal = asked.kctl("rbac", "minimal", "--for", "sa/needy", "-n", "shop")
    assert minimal == Outcome(0, MINIMAL, "")
    roles = tmp_path / "roles.yaml"
    roles.write_text(minimal.stdout, encoding="utf-8")
    assert asked.kctl("apply", "-f", str(roles)).code == 0
    needy = "system:serviceaccount:shop:needy"
    assert asked.kctl("get", "cm", "apple", "-n", "shop", "-o", "name", "--as", needy).stdout == "configmap/apple\n"
    assert asked.kctl("get", "cm", "pear", "-n", "shop", "--as", needy).code == 0
    assert asked.kctl("get", "secrets", "-n", "shop", "--as", needy).code == 1
    strict = ("rbac", "check", "--for", needy, "--strict")
    missing = asked.kctl(*strict, "-f", str(roles))
    assert missing == Outcome(1, "Missing: asked for, and not granted\n  in shop: list secrets\n", "")


def test_names_the_rest_and_another_name_on_request(asked: Machine) -> None:
    command = ("rbac", "minimal", "--for", "system:serviceaccount:shop:needy", "-o", "json")
    told = json.loads(asked.kctl(*command, "--resource-names", "--all", "--name", "mine").stdout)
    rules = [rule for item in told["items"] for rule in item.get("rules", ())]
    assert {item["metadata"]["name"] for item in told["items"]} == {"mine"}
    assert any("/api" in rule.get("nonResourceURLs", ()) for rule in rules)
    assert any("apple" in rule.get("resourceNames", ()) for rule in rules)


def test_what_is_missing_fails_and_what_is_too_much_does_if_one_is_strict(asked: Machine, tmp_path: Path) -> None:
    role = tmp_path / "role.yaml"
    role.write_text(SHIPPED, encoding="utf-8")
    check = ("rbac", "check", "-n", "shop", "--for", "careful", "-f", str(role))
    assert asked.kctl("get", "cm", "apple", "-n", "shop", "--as", "careful").code == 1
    unused = """\
Unused: granted, and not asked for
  Role shop/shipped: delete configmaps
  Role shop/shipped: get *.apps
"""
    assert asked.kctl(*check) == Outcome(0, unused, "")
    assert asked.kctl(*check, "--strict") == Outcome(1, unused, "")
    assert asked.kctl("get", "deploy", "web", "-n", "shop", "--as", "careful").code == 1
    told = json.loads(asked.kctl(*check, "-o", "json").stdout)
    assert [finding["rule"]["verbs"] for finding in told["unused"]] == [["delete"]]
    assert told["wide"][0]["asked"][0]["resources"] == ["deployments"]
    assert asked.kctl("get", "nodes", "--as", "careful").code == 1
    told = json.loads(asked.kctl(*check, "-R", "-o", "json").stdout)
    assert told["missing"] == [{"rule": {"apiGroups": [""], "resources": ["nodes"], "verbs": ["list"]}}]
    (tmp_path / "kustomization.yaml").write_text("resources: [role.yaml]\n", encoding="utf-8")
    built = asked.kctl("rbac", "check", "-n", "shop", "--for", "careful", "-k", str(tmp_path), "-o", "json")
    assert (built.code, json.loads(built.stdout)) == (1, told)


def test_what_is_wrong_is_said_in_one_sentence(asked: Machine, tmp_path: Path) -> None:
    def said(*arguments: str) -> str:
        outcome = asked.kctl("rbac", *arguments)
        assert (outcome.code, outcome.stdout) == (1, "")
        return outcome.stderr

    assert said("minimal") == "error: say whose permissions with --for: a user's name, or sa/NAME\n"
    assert said("minimal", "jane") == 'error: "jane" is too much: the user is said with --for\n'
    assert said("check", "--for", "jane") == "error: must specify one of -f and -k\n"
    assert '"nobody-else" has not asked for anything yet; who has: ' in said("minimal", "--for", "nobody-else")
    assert said("minimal", "--for", "jane", "-o", "xml").startswith('error: there is no output format "xml" here')
    empty = tmp_path / "pod.yaml"
    empty.write_text("{apiVersion: v1, kind: Pod, metadata: {name: x}}", encoding="utf-8")
    sentence = "Error from server (BadRequest): there is no Role and no ClusterRole in it\n"
    assert said("check", "-f", str(empty), "--for", "system:serviceaccount:shop:needy") == sentence


def test_shells_are_offered_those_who_have_asked(asked: Machine) -> None:
    for command in (("rbac", "minimal", "--for"), ("rbac", "check", "--for"), ("requests", "--user")):
        offered = asked.kctl("__complete", *command, "system:serviceaccount:shop:n").stdout.splitlines()
        assert offered == ["system:serviceaccount:shop:needy", ":4"]
