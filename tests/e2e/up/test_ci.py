"""What is shown for CI works as it stands: each script is run, with what it would find there."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest

from localplane.apimachinery.serializers.yaml import parse_yaml
from tests.e2e.command_line import KCTL, ROOT, environment
from tests.e2e.up.machine import Machine

CI = ROOT / "examples" / "ci"
CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s}\n"
DEFINITION = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: sites.example.com}
spec:
  group: example.com
  names: {kind: Site, plural: sites, singular: site, listKind: SiteList}
  scope: Namespaced
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
"""
SITE = "apiVersion: example.com/v1\nkind: Site\nmetadata: {name: s}\n"


def document(path: Path) -> Any:
    return parse_yaml(path.read_bytes()).value


@pytest.fixture
def checkout(here: Machine) -> Machine:
    """A repository with manifests, definitions and tests, and the programs that the scripts call."""
    for folder in ("deploy/below", "config/crd", "bin", "tests"):
        (here.home / folder).mkdir(parents=True)
    (here.home / "deploy" / "map.yaml").write_text(CONFIG_MAP % "good")
    (here.home / "deploy" / "below" / "site.yaml").write_text(SITE)
    (here.home / "config" / "crd" / "site.yaml").write_text(DEFINITION)
    program(here, "kctl", f'exec {shlex.join(KCTL)} "$@"')
    program(here, "pytest", 'test -f "$KUBECONFIG" && kctl get crd -o name && test "$1" = tests/')
    return here


def program(here: Machine, name: str, script: str) -> None:
    path = here.home / "bin" / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def run(here: Machine, script: str, **environ: str) -> subprocess.CompletedProcess[str]:
    path = f"{here.home}/bin:/usr/bin:/bin"
    return subprocess.run(
        ["/bin/bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
        cwd=here.home,
        env=environment(here.home, {**here.environ, "PATH": path, **environ}),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )


def steps() -> dict[str, Any]:
    """The action's own, by name."""
    action = document(CI / "kctl" / "action.yml")
    assert action["runs"]["using"] == "composite"
    return {step["name"]: step for step in action["runs"]["steps"] if "name" in step}


def test_no_input_of_the_action_can_become_a_script() -> None:
    action = document(CI / "kctl" / "action.yml")
    assert list(action["inputs"]) == [
        *("package", "python-version", "validate", "validate-flags", "run", "up", "up-flags")
    ]
    for step in steps().values():
        assert step["shell"] == "bash"
        assert "${{" not in step["run"]


def test_the_action_validates_and_annotates(checkout: Machine) -> None:
    script = steps()["Validate"]["run"]
    good = run(checkout, script, PATHS="deploy\n", FLAGS="--crds config/crd")
    assert (good.returncode, good.stdout, good.stderr) == (0, "3 objects in 3 files: valid\n", "")
    (checkout.home / "deploy" / "map.yaml").write_text(CONFIG_MAP % "Bad")
    bad = run(checkout, script, PATHS="deploy/map.yaml", FLAGS="")
    assert bad.returncode == 1
    assert bad.stdout.startswith(
        "::error file=deploy/map.yaml,line=3,col=12,title=ConfigMap Bad::metadata.name: Invalid"
    )


def test_the_action_runs_a_script_against_a_plane_of_its_own(checkout: Machine) -> None:
    script = "echo hello\nkctl get crd -o name\nfalse\necho not here"
    done = run(
        checkout,
        steps()["Run"]["run"],
        SCRIPT=script,
        FLAGS="--nodes 0 --crds config/crd",
        RUNNER_TEMP=str(checkout.home),
    )
    assert done.returncode == 1
    assert done.stdout == "hello\ncustomresourcedefinition.apiextensions.k8s.io/sites.example.com\n"
    assert (checkout.home / "kctl.log").exists()


def test_the_action_leaves_a_plane_for_the_steps_that_follow(checkout: Machine) -> None:
    variables = checkout.home / "github.env"
    done = run(checkout, steps()["Start"]["run"], FLAGS="--nodes 0", GITHUB_ENV=str(variables))
    assert done.returncode == 0, done.stderr
    name, _, value = variables.read_text().strip().partition("=")
    assert (name, Path(value).is_file()) == ("KUBECONFIG", True)
    assert not checkout.kubeconfig.exists() or checkout.user_config().get("current-context") in ("", None)


def test_the_workflow_gives_the_action_what_it_takes() -> None:
    workflow = document(CI / "workflow.yml")
    known = document(CI / "kctl" / "action.yml")["inputs"]
    used = [
        step["with"] for job in workflow["jobs"].values() for step in job["steps"] if "kctl" in step.get("uses", "")
    ]
    assert len(used) == 3
    for given in used:
        assert given.keys() <= known.keys()
        assert "package" in given


@pytest.mark.parametrize("job", ["manifests", "operator"])
def test_the_jobs_for_gitlab_do_what_they_say(job: str, checkout: Machine) -> None:
    jobs = document(CI / "gitlab-ci.yml")
    assert jobs[job]["extends"] == ".kctl"
    (line,) = jobs[job]["script"]
    done = run(checkout, line)
    assert done.returncode == 0, done.stderr
    expected = {
        "manifests": "3 objects in 3 files: valid\n",
        "operator": "customresourcedefinition.apiextensions.k8s.io/sites.example.com\n",
    }
    assert done.stdout == expected[job]
    if job == "operator":
        assert (checkout.home / "plane.log").exists()
        assert jobs[job]["artifacts"]["paths"] == ["plane.log"]


def test_the_hook_checks_the_files_that_it_is_given(checkout: Machine) -> None:
    (hook,) = document(ROOT / ".pre-commit-hooks.yaml")
    assert (hook["id"], hook["language"]) == ("kctl-validate", "python")
    (repository,) = document(CI / "pre-commit-config.yaml")["repos"]
    (used,) = repository["hooks"]
    assert used["id"] == hook["id"]
    words = [*shlex.split(hook["entry"]), *used["args"], "deploy/below/site.yaml", "deploy/map.yaml"]
    done = run(checkout, shlex.join(words))
    assert (done.returncode, done.stdout) == (0, "3 objects in 3 files: valid\n")


def test_examples_for_ci_are_listed_where_people_look() -> None:
    listed = (ROOT / "examples" / "README.md").read_text()
    for path in sorted(CI.rglob("*.y*ml")):
        assert f"`ci/{path.relative_to(CI)}`" in listed
