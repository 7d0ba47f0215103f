"""What a build is told to do, beside what the kustomization says."""

from __future__ import annotations

from pathlib import Path

import pytest

from kctl.kustomize.build import build, render
from kctl.kustomize.errors import HTTPStatus, KustomizeError
from kctl.kustomize.options import Options

_POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n"
_NAMESPACE = "apiVersion: v1\nkind: Namespace\nmetadata: {name: n}\n"


def _kinds(path: Path, options: Options) -> list[str]:
    return [resource.kind for resource in build(str(path), options)]


def test_objects_come_in_the_order_that_was_asked_for(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(f"{_POD}---\n{_NAMESPACE}")
    (tmp_path / "kustomization.yaml").write_text("resources: [a.yaml]\n")
    assert _kinds(tmp_path, Options()) == ["Namespace", "Pod"]
    assert _kinds(tmp_path, Options(reorder="legacy")) == ["Namespace", "Pod"]
    assert _kinds(tmp_path, Options(reorder="none")) == ["Pod", "Namespace"]


def test_the_kustomization_decides_about_the_order_and_that_is_logged(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(f"{_POD}---\n{_NAMESPACE}")
    (tmp_path / "kustomization.yaml").write_text("resources: [a.yaml]\nsortOptions: {order: fifo}\n")
    logged: list[str] = []
    assert _kinds(tmp_path, Options(reorder="legacy", log=logged.append)) == ["Pod", "Namespace"]
    (warning,) = logged
    assert warning == (
        "Warning: Sorting order is set both in 'kustomization.yaml' ('sortOptions') and in a CLI flag ('--reorder'). "
        "Using the kustomization file over the CLI flag."
    )


def test_only_an_unrestricted_build_reads_outside(tmp_path: Path) -> None:
    (tmp_path / "k").mkdir()
    (tmp_path / "a.yaml").write_text(_POD)
    (tmp_path / "k/kustomization.yaml").write_text("resources: [../a.yaml]\n")
    assert _kinds(tmp_path / "k", Options(restricted=False)) == ["Pod"]
    with pytest.raises(KustomizeError, match=r"security; file '.*/a\.yaml' is not in or below '.*/k'"):
        build(str(tmp_path / "k"), Options())


@pytest.mark.parametrize(
    ("second", "problem"),
    [
        ("{name: a}", "exists; can not use behavior: 'unspecified', behavior must be merge or replace"),
        ("{name: b, behavior: merge}", "does not exist; cannot merge or replace"),
    ],
)
def test_a_generator_makes_merges_or_replaces_but_never_two_of_the_same(
    tmp_path: Path, second: str, problem: str
) -> None:
    (tmp_path / "kustomization.yaml").write_text(f"configMapGenerator: [{{name: a}}, {second}]\n")
    with pytest.raises(KustomizeError) as caught:
        build(str(tmp_path), Options())
    assert str(caught.value).startswith("merging from generator: id resid.ResId{")
    assert str(caught.value).endswith(problem)


def test_what_was_patched_away_is_not_printed(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(_POD)
    patch = "{$patch: delete, apiVersion: v1, kind: Pod, metadata: {name: p}}"
    (tmp_path / "kustomization.yaml").write_text(f"resources: [a.yaml]\npatches: [{{patch: '{patch}'}}]\n")
    assert render(build(str(tmp_path), Options())) == ""


def test_an_error_keeps_its_class_when_it_is_told_where_it_happened() -> None:
    outer = HTTPStatus("status code 404").within("accumulating resources")
    assert isinstance(outer, HTTPStatus)
    assert str(outer) == "accumulating resources: status code 404"


def test_nesting_that_is_too_deep_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(f"{_POD}deep: {'[' * 1000}{']' * 1000}\n")
    (tmp_path / "kustomization.yaml").write_text("resources: [a.yaml]\n")
    with pytest.raises(KustomizeError, match="exceeded max depth of 400"):
        build(str(tmp_path), Options())
