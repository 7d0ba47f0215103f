"""How findings are told: to people, to programs, to GitHub."""

from __future__ import annotations

import json
from typing import Any

from localplane import __version__
from localplane.cli.validation.findings import Finding, Level, Place, Rule, Subject, Verdict
from localplane.cli.validation.formats import FORMATS

WEB = Subject("apps/v1", "Deployment", "shop", "web")
VERDICT = Verdict(
    files=2,
    objects=3,
    findings=[
        Finding(
            Place("app dir/a.yaml", 7, 3),
            Rule.INVALID,
            "spec.replicas: 50% of: x,y\nno",
            subject=WEB,
            field="spec.replicas",
        ),
        Finding(Place("b.yaml"), Rule.UNREADABLE, "Permission denied"),
        Finding(Place("/x/c.yaml", 2), Rule.WARNING, "old", Level.WARNING, Subject("v1", "Pod", "", "p")),
    ],
    skipped=[Subject("example.com/v1", "Foo", "", "f")],
)


def test_people_read_lines_that_editors_understand() -> None:
    assert FORMATS["text"](VERDICT) == (
        "app dir/a.yaml:7:3: error: Deployment shop/web: spec.replicas: 50% of: x,y\nno\n"
        "b.yaml: error: Permission denied\n"
        "/x/c.yaml:2: warning: Pod p: old\n"
        "3 objects in 2 files: 2 errors, 1 warning, 1 skipped\n"
    )
    assert FORMATS["text"](Verdict(files=1, objects=1)) == "1 object in 1 file: valid\n"


def test_json_has_all_that_is_known() -> None:
    assert json.loads(FORMATS["json"](VERDICT)) == {
        "valid": False,
        "files": 2,
        "objects": 3,
        "skipped": [{"apiVersion": "example.com/v1", "kind": "Foo", "name": "f"}],
        "findings": [
            {
                "level": "error",
                "rule": "invalid",
                "file": "app dir/a.yaml",
                "line": 7,
                "column": 3,
                "object": {"apiVersion": "apps/v1", "kind": "Deployment", "namespace": "shop", "name": "web"},
                "field": "spec.replicas",
                "message": "spec.replicas: 50% of: x,y\nno",
            },
            {"level": "error", "rule": "unreadable", "file": "b.yaml", "message": "Permission denied"},
            {
                "level": "warning",
                "rule": "server-warning",
                "file": "/x/c.yaml",
                "line": 2,
                "object": {"apiVersion": "v1", "kind": "Pod", "name": "p"},
                "message": "old",
            },
        ],
    }


def test_sarif_is_what_code_scanning_takes() -> None:
    document = json.loads(FORMATS["sarif"](VERDICT))
    assert (document["version"], list(document)) == ("2.1.0", ["$schema", "version", "runs"])
    (run,) = document["runs"]
    driver = run["tool"]["driver"]
    assert (driver["name"], driver["semanticVersion"]) == ("kctl validate", __version__)
    assert [rule["id"] for rule in driver["rules"]] == ["invalid", "unreadable", "server-warning"]
    assert all(rule["shortDescription"]["text"] for rule in driver["rules"])
    assert [(result["ruleId"], result["ruleIndex"], result["level"]) for result in run["results"]] == [
        ("invalid", 0, "error"),
        ("unreadable", 1, "error"),
        ("server-warning", 2, "warning"),
    ]
    assert [_where(result) for result in run["results"]] == [
        ("app%20dir/a.yaml", {"startLine": 7, "startColumn": 3}),
        ("b.yaml", {"startLine": 1}),
        ("file:///x/c.yaml", {"startLine": 2}),
    ]


def _where(result: dict[str, Any]) -> tuple[str, dict[str, int]]:
    (location,) = result["locations"]
    physical = location["physicalLocation"]
    return physical["artifactLocation"]["uri"], physical["region"]


def test_github_s_annotations_are_escaped() -> None:
    assert FORMATS["github"](VERDICT) == (
        "::error file=app dir/a.yaml,line=7,col=3,title=Deployment shop/web::spec.replicas: 50%25 of: x,y%0Ano\n"
        "::error file=b.yaml::Permission denied\n"
        "::warning file=/x/c.yaml,line=2,title=Pod p::old\n"
        "3 objects in 2 files: 2 errors, 1 warning, 1 skipped\n"
    )
