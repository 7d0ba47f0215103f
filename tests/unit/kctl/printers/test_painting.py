"""Colour: what stands out, and that a text without its colours is the text."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kctl.printers.kyaml import to_kyaml
from kctl.printers.objects import go_indented
from kctl.printers.painting.documents import JSONPainter, YAMLPainter
from kctl.printers.painting.pages import DescriptionPainter, DifferencePainter, ExplanationPainter
from kctl.printers.painting.tables import TablePainter
from kctl.printers.painting.themes import DARK, LIGHT, PLAIN, theme
from kctl.printers.table import TableOptions, TablePrinter, TabWriter
from kctl.printers.terminal import Painted, escape, harmless
from localplane.apimachinery.serializers import to_yaml

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
RECORDED = sorted((Path(__file__).parents[3] / "e2e/kctl/describe/objects").iterdir())
PAINTERS = (
    YAMLPainter(DARK),
    JSONPainter(DARK),
    DescriptionPainter(LIGHT),
    ExplanationPainter(DARK),
    DifferencePainter(DARK),
    DifferencePainter(LIGHT, margin=2),
)
JSON: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def plain(text: str) -> str:
    return _COLOUR.sub("", text)


def painted(painter: Any, text: str) -> str:
    return str(painter.paint(text))


@pytest.mark.parametrize("painter", PAINTERS, ids=lambda one: type(one).__name__)
def test_recorded_outputs_are_the_same_without_their_colours(painter: Any) -> None:
    coloured = 0
    for file in RECORDED:
        text = file.read_text()
        coloured += painted(painter, text) != text
        assert plain(painted(painter, text)) == text
    assert coloured


@given(st.text(alphabet=st.characters(blacklist_characters="\x1b", blacklist_categories=["Cs"])))
def test_any_text_is_the_same_without_its_colours(text: str) -> None:
    for painter in PAINTERS:
        assert plain(painted(painter, text)) == text


@given(st.dictionaries(st.text(), JSON, max_size=5))
def test_any_object_is_the_same_without_its_colours(value: dict[str, Any]) -> None:
    for text in (to_yaml(value).decode(), go_indented(value), to_kyaml(value)):
        safe = harmless(text)
        for painter in (YAMLPainter(LIGHT), JSONPainter(LIGHT)):
            assert plain(painted(painter, safe)) == safe


@given(st.lists(st.lists(st.text(alphabet="aA0 \x07\u00e4Z/1-", max_size=9), min_size=1, max_size=4), max_size=6))
def test_any_table_is_aligned_as_without_colour(rows: list[list[str]]) -> None:
    text = "".join("\t".join(row) + "\n" for row in rows)
    without, within = _aligned(text, None), _aligned(text, TablePainter(DARK, harmless))
    assert plain(within) == harmless(without)


def _aligned(text: str, painter: TablePainter | None) -> str:
    written: list[str] = []
    out = TabWriter(written.append, painter=painter)
    out.write(text)
    out.flush()
    return "".join(written)


PODS = {
    "kind": "Table",
    "apiVersion": "meta.k8s.io/v1",
    "columnDefinitions": [{"name": name} for name in ("Name", "Ready", "Status", "Restarts", "Age")],
    "rows": [
        {"cells": ["fine", "1/1", "Running", "0", "3d"], "object": {}},
        {"cells": ["half", "1/2", "Init:0/1", "5 (3m ago)", "40s"], "object": {}},
        {"cells": ["bad", "0/2", "CrashLoopBackOff", "0", "1m5s"], "object": {}},
        {"cells": ["\x1b[31mevil", "0/0", "<none>", "0", "9m"], "object": {}},
    ],
}


@pytest.mark.parametrize("headers", [True, False])
def test_states_counts_restarts_and_young_ages_stand_out(*, headers: bool) -> None:
    written: list[str] = []
    out = TabWriter(written.append, painter=TablePainter(DARK, escape))
    TablePrinter(TableOptions(no_headers=not headers)).print(PODS, out)
    out.flush()
    assert all(isinstance(text, Painted) for text in written)
    text = "".join(written)
    good, busy, bad, fresh, quiet = DARK.good, DARK.busy, DARK.bad, DARK.fresh, DARK.quiet
    fine, half, broken, evil = (re.sub(" +", " ", line) for line in text.splitlines()[-4:])
    assert fine == f"fine {good}1/1{PLAIN} {good}Running{PLAIN} 0 3d"
    assert half == f"half {busy}1/2{PLAIN} {busy}Init:0/1{PLAIN} {busy}5 (3m ago){PLAIN} {fresh}40s{PLAIN}"
    assert broken == f"bad {bad}0/2{PLAIN} {bad}CrashLoopBackOff{PLAIN} 0 {fresh}1m5s{PLAIN}"
    assert evil == f"^[[31mevil {quiet}0/0{PLAIN} {quiet}<none>{PLAIN} 0 9m"
    assert (f"{DARK.title}NAME" in text) is headers


@pytest.mark.parametrize(
    ("status", "colour"),
    [
        ("Ready,SchedulingDisabled", DARK.busy),
        ("NotReady", DARK.bad),
        ("Terminating", DARK.busy),
        ("ErrImagePull", DARK.bad),
        ("Completed", DARK.good),
        ("Whatever", ""),
    ],
)
def test_a_state_has_the_colour_of_its_worst_word(status: str, colour: str) -> None:
    painter = TablePainter(DARK, escape)
    painter.paint(["NAME", "STATUS"])
    assert painter.paint(["x", status])[1] == (f"{colour}{status}{PLAIN}" if colour else status)


def test_warnings_and_changes_stand_out() -> None:
    painter = TablePainter(DARK, escape)
    painter.paint(["EVENT", "LAST SEEN", "TYPE"])
    assert painter.paint(["DELETED ", "5s", "Warning"]) == [
        f"{DARK.bad}DELETED{PLAIN} ",
        f"{DARK.fresh}5s{PLAIN}",
        f"{DARK.bad}Warning{PLAIN}",
    ]
    assert painter.paint(["ADDED   ", "5d", "Normal"])[2] == f"{DARK.quiet}Normal{PLAIN}"


def test_yaml_tells_keys_texts_numbers_and_words_apart() -> None:
    text = """\
kind: Pod
replicas: 3
ready: true
"quoted: key": 'it''s'
note: |
  this: is text
  # and this
- name: http://a:80
- 5
- - {}
after: block
"""
    key, string, number, word = DARK.key, DARK.text, DARK.number, DARK.word
    assert painted(YAMLPainter(DARK), text).splitlines() == [
        f"{key}kind{PLAIN}: {string}Pod{PLAIN}",
        f"{key}replicas{PLAIN}: {number}3{PLAIN}",
        f"{key}ready{PLAIN}: {word}true{PLAIN}",
        f"{key}\"quoted: key\"{PLAIN}: {string}'it''s'{PLAIN}",
        f"{key}note{PLAIN}: {DARK.quiet}|{PLAIN}",
        f"{string}  this: is text{PLAIN}",
        f"{string}  # and this{PLAIN}",
        f"- {key}name{PLAIN}: {string}http://a:80{PLAIN}",
        f"- {number}5{PLAIN}",
        f"- - {word}{{}}{PLAIN}",
        f"{key}after{PLAIN}: {string}block{PLAIN}",
    ]


def test_json_tells_keys_texts_numbers_and_words_apart() -> None:
    key, string, number, word = DARK.key, DARK.text, DARK.number, DARK.word
    assert painted(JSONPainter(DARK), '{"a": "b\\"1: true", "n": [-1.5, null]}') == (
        f'{{{key}"a"{PLAIN}: {string}"b\\"1: true"{PLAIN}, {key}"n"{PLAIN}: [{number}-1.5{PLAIN}, {word}null{PLAIN}]}}'
    )


def test_a_description_shows_its_fields_and_what_is_wrong() -> None:
    text = "Name:       web\n  Ready            False\nStatus:     Failed\nNode:       <none>\n  Warning  Failed   3s\n"
    key, bad, quiet = DARK.key, DARK.bad, DARK.quiet
    assert painted(DescriptionPainter(DARK), text).splitlines() == [
        f"{key}Name:{PLAIN}       web",
        f"  Ready            {bad}False{PLAIN}",
        f"{key}Status:{PLAIN}     {bad}Failed{PLAIN}",
        f"{key}Node:{PLAIN}       {quiet}<none>{PLAIN}",
        f"  {bad}Warning{PLAIN}  Failed   3s",
    ]


def test_an_explanation_shows_its_fields_and_which_are_required() -> None:
    text = "KIND:       Pod\n\nFIELDS:\n  containers\t<[]Container> -required-\n    enum: A, B\n    Words.\n"
    assert painted(ExplanationPainter(DARK), text).splitlines() == [
        f"{DARK.title}KIND:{PLAIN}       Pod",
        "",
        f"{DARK.title}FIELDS:{PLAIN}",
        f"{DARK.key}  containers{PLAIN}\t{DARK.number}<[]Container>{PLAIN}{DARK.bad} -required-{PLAIN}",
        f"{DARK.word}    enum: A, B{PLAIN}",
        "    Words.",
    ]


def test_the_theme_is_the_one_that_is_named_or_that_fits_the_terminal() -> None:
    assert theme({}) is DARK
    assert theme({"KCTL_THEME": "light"}) is LIGHT
    assert theme({"COLORFGBG": "0;15"}) is LIGHT
    assert theme({"COLORFGBG": "15;0"}) is DARK
    assert theme({"COLORFGBG": "0;15", "KCTL_THEME": "dark"}) is DARK
