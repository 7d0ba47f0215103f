"""What helm is called with: a kustomization names charts, and never helm's options or plugins."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kctl.kustomize.errors import KustomizeError
from kctl.kustomize.generators.charts import ChartGenerator
from kctl.kustomize.loading.loader import Loader
from kctl.kustomize.merging.schemas import Schemas
from kctl.kustomize.options import HelmOptions

_HELM = """#!/bin/sh
printf '%s\\n' "$*" >> "{log}"
printf '%s\\n' "HELM_PLUGINS=$HELM_PLUGINS" >> "{log}"
case "$1" in
version) echo v3.14.0;;
template) echo '{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"a"}}}}';;
esac
"""


@pytest.fixture
def helm(tmp_path: Path) -> HelmOptions:
    program = tmp_path / "helm"
    program.write_text(_HELM.format(log=tmp_path / "log"))
    program.chmod(0o755)
    return HelmOptions(enabled=True, command=str(program))


def generator(fields: dict[str, Any], root: Path, helm: HelmOptions) -> ChartGenerator:
    return ChartGenerator(fields, Loader(str(root), restricted=True), Schemas(), helm)


@pytest.mark.parametrize("field", ["name", "releaseName"])
def test_a_name_is_no_option_of_helm(field: str, tmp_path: Path, helm: HelmOptions) -> None:
    with pytest.raises(KustomizeError, match=f"chart {field} '--post-renderer=x' must not begin with a dash"):
        generator({"name": "web", field: "--post-renderer=x"}, tmp_path, helm)


def test_plugins_in_a_kustomizations_folder_are_not_run(
    tmp_path: Path, helm: HelmOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HELM_PLUGINS", raising=False)
    (tmp_path / "charts" / "web").mkdir(parents=True)
    (tmp_path / "charts" / "web" / "values.yaml").write_text("{}\n")
    generator({"name": "web", "configHome": str(tmp_path / "home")}, tmp_path, helm).generate()
    said = (tmp_path / "log").read_text().splitlines()
    assert {line for line in said if line.startswith("HELM_PLUGINS=")} == {"HELM_PLUGINS=/dev/null"}


def test_a_charts_name_does_not_say_where_its_values_are_written(tmp_path: Path, helm: HelmOptions) -> None:
    (tmp_path / "charts").mkdir()
    (tmp_path / "web").mkdir()
    (tmp_path / "web" / "values.yaml").write_text("{}\n")
    outside = {path.name for path in Path("/tmp").glob("web-kustomize-values.yaml")}
    generator({"name": "../web"}, tmp_path, helm).generate()
    assert not list(tmp_path.rglob("*-kustomize-values.yaml"))
    assert {path.name for path in Path("/tmp").glob("web-kustomize-values.yaml")} == outside
