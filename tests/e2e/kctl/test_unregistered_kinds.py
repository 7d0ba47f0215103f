"""Verbs that work on Go's types refuse a kind that kubectl has none for, and all of them know the same kinds."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.command_line import Outcome
from tests.e2e.conftest import Kctl

VERBS = {
    "set image a=b --local": "error: ",
    "set env A=b --local": "error: ",
    "auth reconcile --dry-run=client": "error: ",
    "rollout restart": "",
    "rollout status": "error: ",
}
KINDS = {
    "gateway.networking.k8s.io/v1": "Gateway",
    "apiextensions.k8s.io/v1": "CustomResourceDefinition",
    "apiregistration.k8s.io/v1": "APIService",
    "example.com/v1": "Pod",
    "apps.example.com/v1": "Deployment",
}


@pytest.mark.parametrize("line", VERBS)
@pytest.mark.parametrize("version", KINDS)
def test_a_kind_that_kubectl_has_no_type_for_is_refused(
    line: str, version: str, run_kctl: Kctl, tmp_path: Path
) -> None:
    file = tmp_path / "object.yaml"
    file.write_text(f"apiVersion: {version}\nkind: {KINDS[version]}\nmetadata: {{name: it}}\n")
    said = f'no kind "{KINDS[version]}" is registered for version "{version}" in scheme'
    scheme = '"k8s.io/kubectl/pkg/scheme/scheme.go:28"'
    done = run_kctl(*line.split(), "-f", str(file))
    assert done == Outcome(1, "", f'{VERBS[line]}unable to decode "{file}": {said} {scheme}\n')
