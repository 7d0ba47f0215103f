"""`kctl describe`, kind by kind: `objects/KIND.yaml` is made, and described as kubectl did it in `KIND.txt`.

The first line of a file says with which command; `KIND.warning` is what the server has to say to it. Times, uids and
the like are masked.
"""

from __future__ import annotations

import re

import pytest

from tests.e2e.kctl.describe.conftest import OBJECTS, make
from tests.e2e.kctl.desk import Desk

CASES = sorted(file.stem for file in OBJECTS.glob("*.yaml"))

_MASKS = (
    (re.compile(r"(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} \d\d:\d\d:\d\d \+0000"), "<time>"),
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z| \+0000)"), "<time>"),
    (re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"), "<uid>"),
    (re.compile(r"(?<=Resource Version:).*"), "  <rv>"),
    (re.compile(r"(?<=Requesting User:).*"), "  <user>"),
)


def _masked(text: str) -> str:
    for pattern, mask in _MASKS:
        text = pattern.sub(mask, text)
    return text


@pytest.mark.parametrize("case", CASES)
def test_an_object_is_described_as_kubectl_describes_it(case: str, desk: Desk) -> None:
    make(desk.machine, desk.namespace, case)
    first = (OBJECTS / f"{case}.yaml").read_text().partition("\n")[0]
    done = desk.run(*first.removeprefix("# ").replace("{ns}", desk.namespace).split())
    warning = OBJECTS / f"{case}.warning"
    assert _masked(done.stdout) == _masked((OBJECTS / f"{case}.txt").read_text())
    assert (done.code, done.stderr) == (0, warning.read_text() if warning.exists() else "")
