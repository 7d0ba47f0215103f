"""`kctl config`: get-contexts, get-clusters, get-users, current-context, use-context, rename-context, delete-*."""

from __future__ import annotations

import pytest

from tests.e2e.command_line import Outcome
from tests.e2e.conftest import Kctl
from tests.e2e.kctl.config.conftest import FILE, Config

HEADER = "CURRENT   NAME   CLUSTER   AUTHINFO   NAMESPACE\n"
FIRST = "*         c1     cl1       u1         \n"
SECOND = "          c2     cl2       u2         blue\n"


def test_contexts_are_listed_and_the_current_one_is_marked(config: Config) -> None:
    assert config.run("get-contexts") == Outcome(0, HEADER + FIRST + SECOND, "")
    assert config.run("get-contexts", "c2") == Outcome(0, HEADER + SECOND, "")
    assert config.run("get-contexts", "c2", "c2", "c1") == Outcome(0, HEADER + FIRST + SECOND + SECOND, "")
    assert config.run("get-contexts", "-o", "name") == Outcome(0, "c1\nc2\n", "")
    assert config.run("get-contexts", "--output=name", "c2") == Outcome(0, "c2\n", "")
    assert config.run("get-contexts", "--no-headers") == Outcome(
        0, "*     c1    cl1   u1    \n      c2    cl2   u2    blue\n", ""
    )


def test_a_context_that_is_not_there_is_an_error_beside_those_that_are(config: Config) -> None:
    assert config.run("get-contexts", "c2", "nope") == Outcome(1, HEADER + SECOND, "error: context nope not found\n")
    assert config.run("get-contexts", "a", "b") == Outcome(1, HEADER, "context a not found\ncontext b not found\n")
    assert config.run("get-contexts", "-o", "wide") == Outcome(
        1,
        "",
        "error: --output wide is not available in kctl config get-contexts; resetting to default output format\n",
    )


def test_clusters_and_users_are_listed_by_name(config: Config, run_kctl: Kctl) -> None:
    assert config.run("get-clusters") == Outcome(0, "NAME\ncl1\ncl2\n", "")
    assert config.run("get-users", "ignored") == Outcome(0, "NAME\nu1\nu2\n", "")
    assert run_kctl("config", "get-users") == Outcome(0, "NAME\n", "")


def test_the_current_context_is_its_name(config: Config, run_kctl: Kctl) -> None:
    assert config.run("current-context") == Outcome(0, "c1\n", "")
    assert run_kctl("config", "current-context") == Outcome(1, "", "error: current-context is not set\n")


@pytest.mark.parametrize("verb", ["use-context", "use"])
def test_another_context_becomes_the_current_one(verb: str, config: Config) -> None:
    said = 'Switched to context "c2".\n'
    assert config.changed(verb, "c2", said=said) == "-current-context: c1\n+current-context: c2"
    assert config.changed(verb, "c2", said=said) == ""


def test_a_renamed_context_stays_the_current_one(config: Config) -> None:
    changed = config.changed("rename-context", "c1", "c0", said='Context "c1" renamed to "c0".\n')
    assert changed == "-  name: c1\n+  name: c0\n-current-context: c1\n+current-context: c0"
    assert config.changed("rename-context", "c2", "c3") == "-  name: c2\n+  name: c3"


def test_entries_are_deleted(config: Config) -> None:
    gone = config.changed("delete-context", "c2", said=f"deleted context c2 from {config.file}\n")
    assert gone == "-- context:\n-    cluster: cl2\n-    namespace: blue\n-    user: u2\n-  name: c2"
    assert config.changed("delete-cluster", "cl1", said=f"deleted cluster cl1 from {config.file}\n") == (
        "-- cluster:\n-    certificate-authority-data: YWJj\n-    server: https://one.example.com\n-  name: cl1"
    )
    config.changed("delete-user", "u1", said=f"deleted user u1 from {config.file}\n")
    assert config.changed("delete-user", "u2") == (
        "-users:\n-- name: u2\n-  user:\n-    password: secret\n-    username: bob\n+users: null"
    )


def test_deleting_the_current_context_is_warned_about(config: Config) -> None:
    done = config.run("delete-context", "c1")
    assert done == Outcome(
        0,
        f"deleted context c1 from {config.file}\n",
        'warning: this removed your active context, use "kctl config use-context" to select a different one\n',
    )


REFUSED = [
    ("use-context nope", 'no context exists with the name: "nope"'),
    ("rename-context nope a", 'cannot rename the context "nope", it\'s not in {file}'),
    ("rename-context c1 c2", 'cannot rename the context "c1", the context "c2" already exists in {file}'),
    ("delete-context nope", "cannot delete context nope, not in {file}"),
    ("delete-cluster nope", "cannot delete cluster nope, not in {file}"),
    ("delete-user nope", "cannot delete user nope, not in {file}"),
    ("delete-user", "user to delete is required\nSee 'kctl config delete-user -h' for help and examples"),
]


@pytest.mark.parametrize(("line", "said"), REFUSED, ids=[line for line, _ in REFUSED])
def test_what_is_not_there_can_not_be_used(line: str, said: str, config: Config) -> None:
    assert config.refused(*line.split()) == f"error: {said.replace('{file}', str(config.file))}\n"


def test_empty_names_are_refused(config: Config) -> None:
    assert config.refused("use-context", "") == "error: empty context names are not allowed\n"
    assert config.refused("rename-context", "c1", "") == "error: You must specify a new non-empty context name\n"


@pytest.mark.parametrize(
    "line", ["use-context", "use-context a b", "rename-context a", "set a", "unset", "set-cluster"]
)
def test_too_few_or_too_many_arguments_show_the_help_and_fail(line: str, config: Config) -> None:
    name, *arguments = line.split()
    done = config.run(name, *arguments)
    assert (done.code, done.stderr) == (1, f"error: Unexpected args: [{' '.join(arguments)}]\n")
    assert done.stdout == config.run(name, "--help").stdout
    assert config.file.read_text() == FILE


@pytest.mark.parametrize("name", ["delete-context", "delete-cluster"])
def test_whoever_deletes_nothing_gets_help_and_no_error(name: str, config: Config) -> None:
    assert config.run(name) == config.run(name, "--help")
