"""What --for can say."""

from __future__ import annotations

from typing import Any

import pytest

from kctl.errors import KctlError
from kctl.views.wait import Condition, Path, read

POD: dict[str, Any] = {
    "metadata": {"name": "p", "generation": 2},
    "status": {
        "phase": "Running",
        "conditions": [{"type": "Ready", "status": "True"}],
        "ips": [{"ip": "1"}, {"ip": "2"}],
    },
}

MET = [
    ("condition=Ready", True),
    ("condition=ready=TRUE", True),
    ("condition=Ready=False", False),
    ("condition=Absent", False),
    ("jsonpath={.status.phase}=Running", True),
    ("jsonpath=.status.phase=Pending", False),
    ("jsonpath={.status.phase}", True),
    ("jsonpath={.status.nothing}", False),
    ("jsonpath={.status.conditions[?(@.type=='Ready')].status}=True", True),
]


@pytest.mark.parametrize(("word", "met"), MET, ids=[word for word, _ in MET])
def test_a_condition_is_met_or_not(word: str, *, met: bool) -> None:
    (condition,) = read([word])
    assert isinstance(condition, (Condition, Path))
    assert condition.met(POD) is met


def test_an_observation_of_an_older_generation_does_not_count() -> None:
    condition = Condition("Ready", "true")
    old = {**POD, "status": {**POD["status"], "observedGeneration": 1}}
    assert not condition.met(old)
    assert condition.met({**old, "status": {**old["status"], "observedGeneration": 2}})


REFUSED = [
    ([], "unrecognized condition: []"),
    (["bogus"], 'unrecognized condition: "bogus"'),
    (
        ["jsonpath={.a}="],
        "jsonpath wait has to have a value after equal sign, like --for=jsonpath='{.status.readyReplicas}'=3",
    ),
    (
        ["jsonpath={.a}=b=c"],
        (
            "jsonpath wait format must be --for=jsonpath='{.status.readyReplicas}'=3 or "
            "--for=jsonpath='{.status.readyReplicas}'"
        ),
    ),
]


@pytest.mark.parametrize(("words", "message"), REFUSED, ids=[" ".join(words) or "none" for words, _ in REFUSED])
def test_a_condition_that_is_none_is_refused(words: list[str], message: str) -> None:
    with pytest.raises(KctlError) as refused:
        read(words)
    assert str(refused.value) == message


def test_a_path_to_several_values_can_not_be_compared() -> None:
    (condition,) = read(["jsonpath={.status.ips[*].ip}=1"])
    assert isinstance(condition, Path)
    with pytest.raises(KctlError, match=r"^given jsonpath expression matches more than one value$"):
        condition.met(POD)
