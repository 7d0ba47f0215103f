"""A verb has end-to-end tests of its own, and for each flag of each of its commands one that names both.

That is read from the tests' texts: a test with the tables, fixtures and functions that it uses. It sees the flag that
nobody ever gave; whether a test would notice that its flag does nothing is what `make mutants` asks.
"""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator

import pytest

from kctl.command_line.command import Command
from tests.mutants.__main__ import ROOT, files_of
from tests.mutants.command_lines import EVERY_VERB, VERBS, Known, known_flags
from tests.mutants.exceptions import EXCEPTIONS


def _tests(verb: str) -> list[str]:
    """The texts of each test of a verb."""
    places = [ROOT / place for place in files_of(verb)]
    files = [file for place in places for file in ([place] if place.is_file() else sorted(place.glob("*.py")))]
    return [text for file in files for text in texts_of_tests(file.read_text(encoding="utf-8"))]


def texts_of_tests(source: str) -> Iterator[str]:
    """For each test all strings that are in it or in what it uses of its file, a line for each."""
    statements = ast.parse(source).body
    definitions = {name: statement for statement in statements for name in _defined(statement)}
    for test in statements:
        if isinstance(test, ast.FunctionDef | ast.AsyncFunctionDef) and test.name.startswith("test_"):
            reached: list[ast.stmt] = [test]
            for statement in reached:
                uses = [definitions[name] for name in _used(statement) if name in definitions]
                reached += [use for use in dict.fromkeys(uses) if use not in reached]
            yield "\n".join(text for statement in reached for text in _strings(statement))


def _defined(statement: ast.stmt) -> set[str]:
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {statement.name}
    if isinstance(statement, ast.Assign | ast.AnnAssign):
        return {
            node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        }
    return set()


def _used(statement: ast.stmt) -> list[str]:
    """Names, and parameters, which may be fixtures."""
    nodes = ast.walk(statement)
    return [
        node.id if isinstance(node, ast.Name) else node.arg for node in nodes if isinstance(node, ast.Name | ast.arg)
    ]


def _strings(statement: ast.stmt) -> Iterator[str]:
    """But for docstrings."""
    documented = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(statement)
        if isinstance(node, documented) and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(statement):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.value


def _is_tried(known: Known, text: str) -> bool:
    """Whether the text has the flag and the words of its command; that of the verb itself may be left to a function."""
    letters = "".join(rf"|(?<![\w-])-[a-zA-Z]*{re.escape(letter)}(?![\w]*-)" for letter in known.letters)
    words = known.owner.command.split()[1:]
    return re.search(rf"--{re.escape(known.names[0])}(?![\w-]){letters}", text) is not None and all(
        re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text) for word in words
    )


def untried(flags: Iterator[Known], tests: list[str]) -> list[str]:
    return [
        str(known.owner)
        for known in flags
        if str(known.owner) not in EXCEPTIONS and not any(_is_tried(known, text) for text in tests)
    ]


@pytest.mark.parametrize("verb", [*VERBS, EVERY_VERB])
def test_each_flag_of_each_command_is_given_in_a_test(verb: str) -> None:
    tests = _tests(verb)
    assert tests, f"there is no end-to-end test of kctl {verb}"
    assert untried(known_flags(verb), tests) == []


def _commands(command: Command) -> Iterator[Command]:
    yield command
    for one in command.commands:
        yield from _commands(one)


def test_every_subcommand_is_named_in_its_tests() -> None:
    for name, verb in VERBS.items():
        module = importlib.import_module(verb.module)
        tests = "\n".join(_tests(name))
        for command in _commands(module.COMMAND) if hasattr(module, "COMMAND") else ():
            assert re.search(rf"(?<![\w-]){re.escape(command.name)}(?![\w-])", tests), command.usage


def test_every_exception_is_a_flag() -> None:
    flags = {str(known.owner) for verb in (*VERBS, EVERY_VERB) for known in known_flags(verb)}
    assert EXCEPTIONS.keys() - flags == set()


SOURCE = '''
LINES = ["approve x --force"]

def test_one():
    """deny x --force"""
    run(LINES)

def test_other():
    run("deny x")
'''


def test_a_flag_of_another_command_does_not_count() -> None:
    missing = untried(known_flags("certificate"), list(texts_of_tests(SOURCE)))
    assert "certificate approve --force" not in missing
    assert "certificate deny --force" in missing
