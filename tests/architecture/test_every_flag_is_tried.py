"""A verb has an end-to-end test of its own, and that test gives each of its flags.

It sees the flag that nobody ever gave; whether a test would notice that its flag does nothing is what `tests/mutants`
asks.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator

import pytest
import typer

from kctl.command_line.command import Command
from kctl.command_line.flags import Flag
from kctl.command_line.global_flags import GLOBAL_FLAGS
from kctl.command_line.verbs import GROUPS, Verb
from tests.mutants.__main__ import ROOT, files_of
from tests.mutants.command_lines import EVERY_VERB

VERBS = [verb for group in GROUPS for verb in group.verbs]


def _tests(verb: str) -> str:
    places = [ROOT / place for place in files_of(verb)]
    files = [file for place in places for file in ([place] if place.is_file() else sorted(place.glob("*.py")))]
    return "\n".join(file.read_text(encoding="utf-8") for file in files)


def _is_tried(long: str, short: str, tests: str) -> bool:
    letter = rf"|(?<![\w-])-[a-zA-Z]*{re.escape(short)}(?![\w]*-)" if short else ""
    return re.search(rf"--{re.escape(long)}(?![\w-]){letter}", tests) is not None


def _commands(command: Command) -> Iterator[Command]:
    yield command
    for one in command.commands:
        yield from _commands(one)


def _flags(verb: Verb) -> Iterator[tuple[str, str]]:
    """Each flag's long and short name."""
    module = importlib.import_module(verb.module)
    if hasattr(module, "COMMAND"):
        for command in _commands(module.COMMAND):
            yield from ((flag.name, flag.short) for flag in command.flags if not flag.hidden)
        return
    group = typer.main.get_command(module.app)
    for command in (group, *getattr(group, "commands", {}).values()):
        for parameter in command.params:
            long = [name[2:] for name in parameter.opts if name.startswith("--")]
            short = [name[1:] for name in parameter.opts if re.fullmatch(r"-\w", name)]
            if long and not getattr(parameter, "hidden", False):
                yield long[0], short[0] if short else ""


@pytest.mark.parametrize("verb", VERBS, ids=[verb.name for verb in VERBS])
def test_a_verb_has_a_test_that_gives_each_of_its_flags(verb: Verb) -> None:
    tests = _tests(verb.name)
    assert tests, f"there is no end-to-end test of kctl {verb.name}"
    assert [long for long, short in _flags(verb) if not _is_tried(long, short, tests)] == []


def test_each_global_flag_is_given() -> None:
    tests = _tests(EVERY_VERB)
    unseen: list[Flag] = [flag for flag in GLOBAL_FLAGS if not _is_tried(flag.name, flag.short, tests)]
    assert [flag.name for flag in unseen] == []


def test_every_subcommand_is_named_in_its_tests() -> None:
    for verb in VERBS:
        module = importlib.import_module(verb.module)
        for command in _commands(module.COMMAND) if hasattr(module, "COMMAND") else ():
            assert re.search(rf"(?<![\w-]){re.escape(command.name)}(?![\w-])", _tests(verb.name)), command.usage
