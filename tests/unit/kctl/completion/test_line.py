"""What may come next on a command line, where no server is needed to know."""

from __future__ import annotations

from pathlib import Path

import pytest

from kctl.command_line.verbs import GROUPS
from kctl.completion.line import offer
from kctl.completion.tree import REQUIRED, verb
from kctl.completion.values import DEFAULT, DIRECTORIES, EXTENSIONS, NO_FILES, NO_SPACE, directive_name
from localplane.client.transport.driver import drive
from localplane.controllers import selection


def offered(*words: str) -> tuple[list[str], int]:
    """Without descriptions. Nobody listens at that server."""
    found = drive(lambda: offer(["--server", "http://127.0.0.1:1", *words]))
    return [word.partition("\t")[0] for word in found.words], found.directive


OFFERED = [
    (["desc"], ["describe"], NO_FILES),
    (["rollout", "re"], ["restart", "resume"], NO_FILES),
    (["create", "secret", "t"], ["tls"], NO_FILES),
    (["create", "-f", "x", ""], [], DEFAULT),
    (["rollout", "status", "d"], ["deployment", "daemonset"], NO_FILES),
    (["rollout", "status", "deployment/web", "d"], [], NO_FILES),
    (["rollout", "restart", "deployment/web", "d"], ["deployment/", "daemonset/"], NO_FILES | NO_SPACE),
    (["get", "--show-k"], ["--show-kind"], NO_FILES),
    (["get", "-o", "jsonpath-"], ["jsonpath-as-json", "jsonpath-file"], NO_FILES),
    (["get", "-o=jsonpath-f"], ["jsonpath-file"], NO_FILES),
    (["cordon", "--dry-run=c"], ["client"], NO_FILES),
    (["cordon", "--dry-run", "c"], [], NO_FILES),
    (["completion", "f"], ["fish"], NO_FILES),
    (["apply", "-f", ""], ["json", "yaml", "yml"], EXTENSIONS),
    (["apply", "-k", ""], [], DIRECTORIES),
    (["run", "web", "-"], ["--image"], NO_FILES),
    (["get", "--watch=", ""], [], DEFAULT),
    (["get", "po"], [], NO_FILES),
    (["exec", "web", "--", "ls", "-"], [], NO_FILES),
    (["validate", "-o", "s"], ["sarif"], NO_FILES),
    (["validate", "-f", "x", ""], [], DEFAULT),
    (["up", "--storage", ""], ["etcd", "sqlite", "memory"], NO_FILES),
    (["up", "--nodes", "3", "--", "ls", "-"], [], DEFAULT),
    (["env", "--shell=d"], ["dotenv"], NO_FILES),
]


@pytest.mark.parametrize(("words", "found", "directive"), OFFERED, ids=[" ".join(words) for words, _, _ in OFFERED])
def test_what_fits_is_offered(words: list[str], found: list[str], directive: int) -> None:
    assert offered(*words) == (found, directive)


def test_every_verb_can_be_looked_at() -> None:
    for group in GROUPS:
        for one in group.verbs:
            command = verb(one.name)
            assert command is not None
            assert command.name == one.name


def test_flags_that_are_required_are_there() -> None:
    for path, names in REQUIRED.items():
        first, *rest = path.split()
        command = verb(first)
        for word in rest:
            assert command is not None
            command = next(one for one in command.commands if one.name == word)
        assert command is not None
        assert {*names} <= {flag.name for flag in command.flags}, path


def test_several_directives_have_several_names() -> None:
    assert directive_name(0) == "ShellCompDirectiveDefault"
    assert directive_name(6) == "ShellCompDirectiveNoSpace, ShellCompDirectiveNoFileComp"
    assert directive_name(64) == "ERROR: unexpected ShellCompDirective value: 64"


def test_what_belongs_to_planes_of_this_machine_is_offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    for directory in (".planes/blue", ".planes/default", "green", ".snapshots"):
        (tmp_path / "kctl" / directory).mkdir(parents=True)
    (tmp_path / "kctl" / ".snapshots" / "before.snapshot").touch()
    for verb_name in ("up", "down", "status", "reset", "env"):
        assert offered(verb_name, "--name", "") == (["blue", "default", "green"], NO_FILES)
        assert offered(verb_name, "--name", "g") == (["green"], NO_FILES)
    assert offered("up", "--from", "b") == (["before"], DEFAULT)
    assert offered("up", "--switch-context", "a") == (["auto", "always"], NO_FILES)
    assert offered("up", "--storage", "s") == (["sqlite"], NO_FILES)
    assert offered("env", "--shell", "f") == (["fish"], NO_FILES)


def test_controllers_are_offered_one_after_another() -> None:
    names, directive = offered("up", "--controllers", "")
    assert names[:2] == ["*", "none"]
    assert names[2:] == [spec.name for spec in selection.CONTROLLERS]
    assert directive == NO_FILES
    assert offered("up", "--controllers", "*,-cronj") == (["*,-cronjob-controller"], NO_FILES)
    assert offered("up", "--controllers", "deployment") == (["deployment-controller"], NO_FILES)
