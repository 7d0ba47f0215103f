"""Whether a project's tests use our fixtures, from their text alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from localplane.testing.projects import Run, uses_fixtures

NAMES = ("cluster", "kubeconfig", "kctl")
SPEAKING = "from localplane.testing import Cluster\n"
ASKING = "def test_it(\n    tmp_path,\n    cluster,  # fresh\n):\n    pass\n"


def uses(folder: Path, files: dict[str, str], *arguments: str, others: tuple[str, ...] = ()) -> bool:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    run = Run(
        arguments=[str(folder / each) for each in arguments or ("",)],
        root=folder,
        patterns=["test_*.py", "*_test.py"],
        passed_over=["build", ".*"],
    )
    return uses_fixtures(run, {name: name in others for name in NAMES})


@pytest.mark.parametrize(
    "files",
    [
        {"tests/unit/test_a.py": SPEAKING},
        {"conftest.py": SPEAKING},
        {"a_test.py": ASKING},
        {"conftest.py": "@pytest.fixture\nasync def operator(cluster: Any) -> None: ...\n"},
        {"test_a.py": '@pytest.mark.usefixtures("cluster")\nclass TestIt: ...\n'},
    ],
)
def test_a_file_of_the_run_speaks_of_us_or_asks_for_a_fixture(tmp_path: Path, files: dict[str, str]) -> None:
    assert uses(tmp_path, files)


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"test_a.py": "def test_it(tmp_path): ...\n"},
        {"README.md": SPEAKING, "app.py": SPEAKING, "build/test_a.py": SPEAKING, ".venv/test_b.py": SPEAKING},
        {"env/pyvenv.cfg": "", "env/lib/test_a.py": SPEAKING},
        {"test_a.py": ASKING, "conftest.py": "@pytest.fixture\ndef cluster(): ...\n"},
        {"test_a.py": ASKING, "conftest.py": "@pytest.fixture(name='cluster')\ndef _made(): ...\n"},
        {"test_a.py": "cluster = start()\n\ndef test_it(): use(cluster)\n"},
    ],
)
def test_what_is_not_collected_or_has_fixtures_of_its_own_does_not_count(tmp_path: Path, files: dict[str, str]) -> None:
    assert not uses(tmp_path, files)


def test_only_what_was_asked_for_counts_and_the_files_above_it(tmp_path: Path) -> None:
    files = {"a/test_a.py": "def test_it(): ...\n", "b/test_b.py": ASKING, "b/conftest.py": ""}
    assert not uses(tmp_path, files, "a")
    assert uses(tmp_path, files, "a", "b/test_b.py::test_it")
    assert uses(tmp_path, {**files, "conftest.py": SPEAKING}, "a/test_a.py")


def test_a_fixture_of_another_plugin_is_not_ours(tmp_path: Path) -> None:
    assert not uses(tmp_path, {"test_a.py": ASKING}, others=("cluster",))


def test_a_file_that_cant_be_read_is_passed_over(tmp_path: Path) -> None:
    assert not uses(tmp_path, {}, "gone.py")
