"""`kctl validate`: whole outputs, exit codes, and each of its flags."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.e2e.command_line import Outcome, environment, run

GOOD = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: good}\n"
BAD = "# one line\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: Bad\ndata: {a: 1}\n"
SITE = "apiVersion: example.com/v1\nkind: Site\nmetadata: {name: s}\n"
POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: a, image: b}]}\n"
STRICT = """\
apiVersion: v1
kind: Namespace
metadata: {name: strict, labels: {pod-security.kubernetes.io/enforce: restricted}}
"""
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


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "app" / "deep").mkdir(parents=True)
    (tmp_path / "app" / "good.yaml").write_text(GOOD)
    (tmp_path / "app" / "deep" / "site.yaml").write_text(SITE)
    (tmp_path / "site.yaml").write_text(DEFINITION)
    return tmp_path


def validate(home: Path, *arguments: str, stdin: str = "") -> Outcome:
    """There is no kubeconfig, and no server."""
    done = run(["validate", *arguments], cwd=home, env=environment(home, {}), stdin=stdin)
    return Outcome(done.returncode, done.stdout, done.stderr)


def test_a_directory_and_what_is_below_with_its_definitions(home: Path) -> None:
    assert validate(home, "-f", "app") == Outcome(0, "1 object in 1 file: valid\n", "")
    whole = validate(home, "app", "--recursive", "--crds", "site.yaml")
    assert whole == Outcome(0, "3 objects in 3 files: valid\n", "")
    assert sorted(path.name for path in home.iterdir()) == ["app", "site.yaml"]  # nothing is written anywhere


def test_stdin_and_the_namespace_of_what_names_none(home: Path) -> None:
    done = validate(home, "--filename", "-", "-n", "strict", stdin=f"{BAD}---\n{POD}---\n{STRICT}")
    first, second, summary = done.stdout.splitlines()
    assert (done.code, done.stderr, summary) == (1, "", "3 objects in 1 file: 2 errors")
    assert first == (
        "stdin:6:1: error: ConfigMap Bad: "
        "json: cannot unmarshal number into Go struct field ConfigMap.data of type string"
    )
    assert second.startswith('stdin:8:1: error: Pod p: pods "p" is forbidden: violates PodSecurity "restricted:latest"')


def test_kinds_that_nobody_knows(home: Path) -> None:
    done = validate(home, "app/deep/site.yaml")
    assert done == Outcome(
        1,
        'app/deep/site.yaml:2:1: error: Site s: there is no kind "Site" in version "example.com/v1": '
        "name its definition with --crds, or pass such objects over with --ignore-missing-schemas\n"
        "1 object in 1 file: 1 error\n",
        "",
    )
    assert validate(home, "app/deep/site.yaml", "--ignore-missing-schemas") == Outcome(
        0, "1 object in 1 file: valid, 1 skipped\n", ""
    )


def test_what_a_kustomization_builds(home: Path) -> None:
    (home / "app" / "kustomization.yaml").write_text("resources: [good.yaml]\nnamePrefix: Not-\n")
    done = validate(home, "-k", "app", "-o", "json")
    document = json.loads(done.stdout)
    assert (done.code, document["valid"], document["objects"]) == (1, False, 1)
    (finding,) = document["findings"]
    assert (finding["file"], finding["field"], "line" in finding) == ("app", "metadata.name", False)
    assert finding["object"] == {"apiVersion": "v1", "kind": "ConfigMap", "name": "Not-good"}


def test_formats_for_programs(home: Path) -> None:
    (home / "bad.yaml").write_text(BAD.replace("data: {a: 1}", "data: {}"))
    github = validate(home, "bad.yaml", "--output", "github")
    assert github.code == 1
    assert github.stdout.startswith(
        "::error file=bad.yaml,line=5,col=3,title=ConfigMap Bad::metadata.name: Invalid value"
    )
    sarif = json.loads(validate(home, "bad.yaml", "-o", "sarif").stdout)
    (result,) = sarif["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "bad.yaml"},
        "region": {"startLine": 5, "startColumn": 3},
    }


def test_wrong_command_lines_say_what_is_wrong(home: Path) -> None:
    (home / "empty").mkdir()
    assert validate(home) == Outcome(
        1,
        "",
        "error: there is nothing to validate: "
        "name files or directories, with -f or without, or a kustomization with -k\n"
        "See 'kctl validate --help' for usage.\n",
    )
    assert validate(home, "nowhere") == Outcome(1, "", 'error: the path "nowhere" does not exist\n')
    assert validate(home, "-f", "empty").stderr == (
        "error: empty has no manifests: recognized file extensions are .json, .yaml, .yml, "
        "and --recursive looks into its subdirectories\n"
    )
    assert validate(home, "app", "-o", "xml").stderr == "error: --output must be one of text, json, sarif, github\n"
