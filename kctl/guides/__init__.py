"""Guides: what to do for a task, each a Markdown file in this folder, which `kctl guide` shows.

GUIDES lists them in the order in which they are offered. A guide's commands and programs are run by the tests, one
after the other, in a directory of their own (`tests/guides`). The entries of the references are made from docstrings:
`make guides` writes them again. This package reads files and knows nothing else.
"""

from __future__ import annotations

import re

from localplane.apimachinery.light_typing import NamedTuple


class Guide(NamedTuple):
    """`name` is its file's, without `.md`."""

    name: str
    summary: str


GUIDES = (
    Guide("pytest", "A cluster for each test, in milliseconds"),
    Guide("operators", "Write an operator, and test it"),
    Guide("go", "Suites of controller-runtime, kubebuilder and operator-sdk"),
    Guide("ci", "Planes and checks in CI: GitHub, GitLab, pre-commit"),
    Guide("manifests", "Check manifests as a server would, without one"),
    Guide("crds", "Custom resource definitions: try them, test them"),
    Guide("webhooks", "Admission and conversion webhooks on your machine"),
    Guide("workloads", "Deployments, jobs and nodes that are simulated"),
    Guide("rbac", "Which permissions a program needs, and who asked for what"),
    Guide("faults", "Conflicts, lost answers and broken watches, on purpose"),
    Guide("time", "Hours that pass in a moment: schedules, deadlines, leases"),
    Guide("history", "What happened, and back to it; snapshots"),
    Guide("console", "A cluster in your browser: kctl ui"),
    Guide("contexts", "Your kubeconfig, and several planes side by side"),
    Guide("stores", "Where the data is: etcd, SQLite, memory"),
    Guide("ha", "A real etcd, several servers, production: what works"),
    Guide("limits", "What it does not do, and how much it bears"),
    Guide("upgrading", "A newer release, with your data"),
    Guide("uninstalling", "Remove everything that was ever made"),
    Guide("library", "Serve an API of your own, declared in Python"),
    Guide("library-reference", "Every name of localplane.library"),
    Guide("client-reference", "Every name of localplane.client"),
    Guide("testing-reference", "Every name of localplane.testing"),
)

_MARK = re.compile(r"^<!-- .* -->\n\n?", re.MULTILINE)
"""What only those who make the guides read: where generated entries begin and end."""


def path_of(guide: Guide) -> str:
    return f"{__file__.rpartition('/')[0]}/{guide.name}.md"


def text_of(guide: Guide) -> str:
    """Its Markdown, without the marks of generated parts."""
    with open(path_of(guide), encoding="utf-8") as file:  # noqa: PTH123 - importing pathlib takes longer
        return _MARK.sub("", file.read())
