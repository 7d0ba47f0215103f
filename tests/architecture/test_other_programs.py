"""Whoever starts another program has thought about who chooses its words. A new place says so here."""

from __future__ import annotations

import ast
import re

from tests.architecture.sources import trees

PACKAGES = ("kctl", "localplane")

STARTERS = {
    "kctl/changes/apply/diff.py": "diff, or what KUBECTL_EXTERNAL_DIFF says, on two directories of ours",
    "kctl/commands/branch.py": "kctl up itself, with the flags that the user gave",
    "kctl/completion/outsiders.py": "a plugin on the user's PATH, for a word that the user typed",
    "kctl/changes/edit/editor.py": "the user's editor, on a file of ours",
    "kctl/kustomize/generators/charts.py": "helm, if --enable-helm is given; a chart's names never begin with a dash",
    "kctl/kustomize/loading/repositories.py": "git, with what an address says behind --end-of-options",
    "kctl/command_line/pager.py": "the user's pager, with nothing but what the user's environment says",
    "kctl/command_line/plugins.py": "a plugin on the user's PATH, with the user's own words",
    "localplane/apiserver/storage/etcd/program/binary.py": "etcd --version",
    "localplane/apiserver/storage/etcd/program/install/debian.py": "apt-get and dpkg-deb, with words of ours",
    "localplane/apiserver/storage/etcd/program/process.py": "etcd, with words of ours, through parent_death.py",
    "localplane/cli/command.py": "what the user typed behind the dashes of `kctl up --`",
    "localplane/cli/daemon.py": "kctl up itself",
    "localplane/cli/processes.py": "ps, for a number",
    "localplane/client/authentication/exec_plugin.py": "what the user's kubeconfig names",
    "localplane/testing/commands.py": "kctl or kubectl, with the words of the test that runs it",
}
_STARTING = re.compile(
    r"run|call|check_call|check_output|Popen|system|popen|fork|posix_spawnp?|exec[vl]p?e?|spawn[vl]p?e?"
    r"|create_subprocess_(exec|shell)"
)
_MODULES = {"subprocess", "os", "asyncio"}


def _starts_a_program(tree: ast.Module) -> bool:
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id in _MODULES
        and _STARTING.fullmatch(node.func.attr)
        and (node.func.value.id, node.func.attr) != ("asyncio", "run")
        for node in ast.walk(tree)
    )


def test_every_place_that_starts_a_program_says_who_chooses_its_words() -> None:
    found = {path for path, tree in trees(PACKAGES, _MODULES) if _starts_a_program(tree)}
    assert found == set(STARTERS)


def test_no_program_is_started_through_a_shell() -> None:
    shells = [
        f"{path}:{node.lineno}"
        for path, tree in trees(PACKAGES, ["shell"])
        for node in ast.walk(tree)
        if isinstance(node, ast.keyword) and node.arg == "shell"
    ]
    assert shells == []
