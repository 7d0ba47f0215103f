"""`kctl plugin list`. Kubernetes: kubectl/pkg/cmd/plugin/plugin.go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kctl.command import Command
from kctl.errors import KctlError
from kctl.flags import switch

if TYPE_CHECKING:
    from kctl.flags import Given
    from kctl.session import Session


async def run(session: Session, given: Given) -> None:
    from kctl.plugins import on_path

    found, problems = on_path()
    for problem in problems:
        session.say(f"{problem}\n")
    if not found:
        raise KctlError("error: unable to find any kctl plugins in your PATH\n", verbatim=True)
    session.write("The following compatible plugins are available:\n\n")
    warnings = 0
    seen: dict[str, str] = {}
    for path in found:
        name = path.rpartition("/")[2]
        session.write(f"{name if given.is_on('name-only') else path}\n")
        for complaint in _complaints(path, name, seen):
            session.flush()
            session.say(f"  - {complaint}\n")
            warnings += 1
    if warnings:
        counted = "one plugin warning was found" if warnings == 1 else f"{warnings} plugin warnings were found"
        raise KctlError(f"error: {counted}\n", verbatim=True)


def _complaints(path: str, name: str, seen: dict[str, str]) -> list[str]:
    from kctl.plugins import is_executable
    from kctl.verbs import GROUPS

    found = []
    if not is_executable(path):
        found.append(f"warning: {path} identified as a kctl plugin, but it is not executable")
    if name in seen:
        found.append(f"warning: {path} is overshadowed by a similarly named plugin: {seen[name]}")
    seen.setdefault(name, path)
    verb = name.split("-")[1]
    if any(one.name == verb for group in GROUPS for one in group.verbs):
        found.append(f'warning: {name} overwrites existing command: "kctl {verb}"')
    return found


COMMAND = Command(
    "plugin",
    "plugin",
    "Provides utilities for interacting with plugins",
    commands=(
        Command(
            "list",
            "list",
            "List all visible plugin executables on a user's PATH",
            run=run,
            flags=(
                switch("name-only", "If true, display only the binary name of each plugin, rather than its full path"),
            ),
            description="""\
List all available plugin files on a user's PATH.

Available plugin files are those that are executable and begin with "kctl-" or "kubectl-".""",
            examples="""\
# List all available plugins
kctl plugin list

# List only binary names of available plugins without paths
kctl plugin list --name-only""",
        ),
    ),
    description="""\
Provides utilities for interacting with plugins.

Plugins provide extended functionality that is not part of the major command-line distribution: a program called
kctl-foo or kubectl-foo on the PATH is the verb 'kctl foo'.""",
)
