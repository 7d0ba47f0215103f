"""Whole kustomizations and what comes of them, letter for letter as kustomize v5.8.1 prints it.

A case begins with `=== NAME [DIRECTORY]`; `--- FILE` begins a file of it (`LINK PATH` is a link, `B64 ...` are bytes),
`>>> stdout` and `>>> stderr` what is expected.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from kctl.kustomize.build import build, render
from kctl.kustomize.errors import KustomizeError
from kctl.kustomize.options import Options

_CASES = Path(__file__).parent / "cases"
_MARK = re.compile(r"(---|>>>) ([\w./-]+)")


@dataclass(slots=True)
class Case:
    name: str
    directory: str
    files: dict[str, str] = field(default_factory=dict)
    stdout: str = ""
    stderr: str = ""

    def write(self, root: Path) -> None:
        for name, text in self.files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if text.startswith("LINK "):
                path.symlink_to(text.removeprefix("LINK ").strip())
            elif text.startswith("B64 "):
                path.write_bytes(base64.b64decode(text.removeprefix("B64 ")))
            else:
                path.write_text(text)


def cases() -> Iterator[Case]:
    for file in sorted(_CASES.glob("*.txt")):
        for text in re.split(r"^=== ", file.read_text(), flags=re.MULTILINE)[1:]:
            yield _case(text)


def _case(text: str) -> Case:
    title, _, rest = text.partition("\n")
    name, _, directory = title.partition(" ")
    case, current = Case(name, directory or "."), ("", "")
    parts: dict[tuple[str, str], str] = {}
    for line in rest.splitlines(keepends=True):
        match = _MARK.fullmatch(line.rstrip("\n"))
        if match:
            current = (match[1], match[2])
            parts[current] = ""
        else:
            parts[current] += line
    case.files = {name: text for (mark, name), text in parts.items() if mark == "---"}
    case.stdout, case.stderr = parts[(">>>", "stdout")], parts[(">>>", "stderr")]
    return case


@pytest.mark.parametrize("case", list(cases()), ids=lambda case: case.name)
def test_a_kustomization_comes_out_as_kustomize_makes_it(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case.write(tmp_path)
    monkeypatch.chdir(tmp_path)
    said: list[str] = []
    options = Options(warn=said.append, log=lambda text: said.append(f"LOG {text}"))
    stdout = ""
    try:
        stdout = render(build(case.directory, options))
    except KustomizeError as error:
        said.append(f"error: {error}".removesuffix("\n"))
    stderr = "".join(f"{line}\n" for line in said)
    root = str(tmp_path.resolve())
    assert (stdout.replace(root, "{dir}"), stderr.replace(root, "{dir}")) == (case.stdout, case.stderr)
