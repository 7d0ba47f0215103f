"""The flags that all sub-commands of `kctl create` have, on each of them."""

from __future__ import annotations

import json

import pytest

from tests.e2e.command_line import Outcome
from tests.e2e.kctl.create.words import with_flags
from tests.e2e.kctl.desk import Desk

SAVED = "kubectl.kubernetes.io/last-applied-configuration"

KYAML = """\
---
{
  kind: "ConfigMap",
  apiVersion: "v1",
  metadata: {
    name: "x",
    namespace: "<ns>",
  },
}
"""
LINES = {
    "clusterrole x --verb=get --resource=pods": "clusterrole.rbac.authorization.k8s.io",
    "clusterrolebinding x --clusterrole=view": "clusterrolebinding.rbac.authorization.k8s.io",
    "configmap x": "configmap",
    "cronjob x --image=a --schedule=@daily": "cronjob.batch",
    "deployment x --image=a": "deployment.apps",
    "ingress x --default-backend=s:80": "ingress.networking.k8s.io",
    "job x --image=a": "job.batch",
    "namespace x": "namespace",
    "poddisruptionbudget x --selector=a=b --min-available=1": "poddisruptionbudget.policy",
    "priorityclass x --value=1": "priorityclass.scheduling.k8s.io",
    "quota x --hard=pods=1": "resourcequota",
    "role x --verb=get --resource=pods": "role.rbac.authorization.k8s.io",
    "rolebinding x --role=a": "rolebinding.rbac.authorization.k8s.io",
    "secret generic x": "secret",
    "secret docker-registry x --docker-username=u --docker-password=p": "secret",
    "service clusterip x --tcp=80": "service",
    "service nodeport x --tcp=80": "service",
    "service loadbalancer x --tcp=80": "service",
    "service externalname x --external-name=a.b": "service",
    "serviceaccount x": "serviceaccount",
}
each = pytest.mark.parametrize(("line", "kind"), LINES.items(), ids=list(LINES))


@each
def test_a_trial_on_the_server_shows_who_would_own_it_and_what_would_be_remembered(
    maker: Desk, line: str, kind: str
) -> None:
    flags = ("--dry-run=server", "-o", "json", "--show-managed-fields", "--field-manager=me", "--save-config")
    done = maker.run("create", *with_flags(line, *flags))
    assert (done.code, done.stderr) == (0, "")
    shown = json.loads(done.stdout)
    assert list(shown)[:3] == ["kind", "apiVersion", "metadata"]
    # A service account has no field that anybody could own.
    assert kind == "serviceaccount" or {one["manager"] for one in shown["metadata"]["managedFields"]} == {"me"}
    remembered = shown["metadata"].get("annotations", {}).get(SAVED)
    if kind == "service":
        assert remembered is None  # kubectl has the flag there, and forgets it
    else:
        assert list(json.loads(remembered))[:3] == ["kind", "apiVersion", "metadata"]


@each
def test_a_way_to_validate_that_there_is_not_is_refused(maker: Desk, line: str, kind: str) -> None:
    del kind
    said = 'error: invalid - validate option "odd"; must be one of: strict (or true), warn, ignore (or false)\n'
    assert maker.run("create", *with_flags(line, "--validate=odd")) == Outcome(1, "", said)


@each
def test_how_strictly_it_is_read_is_for_the_server_to_hear(maker: Desk, line: str, kind: str) -> None:
    del kind
    done = maker.run("create", *with_flags(line, "--dry-run=server", "--validate=ignore", "--field-manager=me", "-v=6"))
    assert done.code == 0
    assert "fieldManager=me&fieldValidation=Ignore" in done.stderr


@each
def test_a_template_chooses_what_is_shown_and_may_insist_on_it(maker: Desk, line: str, kind: str) -> None:
    del kind
    shown = maker.run("create", *with_flags(line, "--dry-run=client", "--template={{.metadata.name}}{{.nope}}"))
    assert shown == Outcome(0, "x<no value>", "")
    path = ("--dry-run=client", "-o", "jsonpath={.nope}")
    assert maker.run("create", *with_flags(line, *path)) == Outcome(0, "", "")
    strict = maker.run("create", *with_flags(line, *path, "--allow-missing-template-keys=false"))
    assert (strict.code, strict.stdout) == (1, "")


@pytest.mark.parametrize(
    ("flags", "stdout", "stderr"),
    [
        (["--dry-run=client"], "configmap/x created (dry run)\n", ""),
        (["--dry-run=server"], "configmap/x created (server dry run)\n", ""),
        (["--dry-run=client", "-o", "name"], "configmap/x\n", ""),
        (["--dry-run=client", "-o", "jsonpath={.metadata.name}"], "x", ""),
        (["--dry-run=client", "--template={{.kind}}"], "ConfigMap", ""),
        (["--dry-run=client", "-o", "go-template={{.a.b}}"], "<no value>", ""),
        (
            ["--dry-run=client", "-o", "kyaml"],
            KYAML,
            "",
        ),
    ],
)
def test_what_is_said(maker: Desk, flags: list[str], stdout: str, stderr: str) -> None:
    assert maker.run("create", "configmap", "x", *flags) == Outcome(0, stdout, stderr)


def test_a_key_that_is_missing_in_a_template_may_be_an_error(maker: Desk) -> None:
    line = "create cm x --dry-run=client -o jsonpath={.nope} --allow-missing-template-keys=false"
    done = maker.run(*line.split())
    assert (done.code, done.stdout) == (1, "")
    assert done.stderr.startswith(
        'error: error executing jsonpath "{.nope}": Error executing template: nope is not found.'
    )


def test_numbers_in_a_path_are_gos_floats(maker: Desk) -> None:
    """kubectl decodes what it made up as JSON before it looks for a path, but not before it fills a template."""
    line = ("create", "priorityclass", "x", "--value=1000000", "--dry-run=client", "-o")
    assert maker.run(*line, "jsonpath={.value}").stdout == "1e+06"
    assert maker.run(*line, "go-template={{.value}}").stdout == "1000000"


def test_an_object_is_made_once(maker: Desk) -> None:
    line = ("create", "configmap", "once")
    assert maker.run(*line) == Outcome(0, "configmap/once created\n", "")
    said = 'error: failed to create configmap: configmaps "once" already exists\n'
    assert maker.run(*line) == Outcome(1, "", said)


def test_what_is_made_shows_its_fields_in_the_order_of_the_api(maker: Desk) -> None:
    done = maker.run("create", "deployment", "ordered", "--image=a", "--replicas=0", "-o", "json")
    spec = json.loads(done.stdout)["spec"]
    assert list(spec) == [
        "replicas",
        "selector",
        "template",
        "strategy",
        "revisionHistoryLimit",
        "progressDeadlineSeconds",
    ]
    assert list(spec["template"]["spec"]["containers"][0])[:2] == ["name", "image"]
