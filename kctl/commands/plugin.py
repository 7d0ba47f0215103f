"""`kctl plugin list`. Kubernetes: kubectl/pkg/cmd/plugin/plugin.go."""

from __future__ import annotations

import importlib

from kctl import program
from kctl.command_line import plugins
from kctl.command_line.command import Command, find
from kctl.command_line.flags import FlagSet, switch
from kctl.command_line.verbs import GROUPS
from kctl.errors import KctlError
from kctl.session.session import Session


async def run(session: Session, flags: FlagSet) -> None:
    found, problems = plugins.on_path()
    for problem in problems:
        session.say(f"{problem}\n")
    if not found:
        raise KctlError(f"error: unable to find any {program.name()} plugins in your PATH\n", verbatim=True)
    session.write("The following compatible plugins are available:\n\n")
    warnings = 0
    seen: dict[str, str] = {}
    for path in found:
        name = path.rpartition("/")[2]
        session.write(f"{name if flags.is_on('name-only') else path}\n")
        for complaint in _complaints(path, name, seen):
            session.flush()
            session.say(f"  - {complaint}\n")
            warnings += 1
    if warnings:
        counted = "one plugin warning was found" if warnings == 1 else f"{warnings} plugin warnings were found"
        raise KctlError(f"error: {counted}\n", verbatim=True)


def _complaints(path: str, name: str, seen: dict[str, str]) -> list[str]:
    found = []
    try:
        if not plugins.is_executable(path):
            found.append(f"warning: {path} identified as a {program.name()} plugin, but it is not executable")
    except OSError as error:
        why = f"stat {path}: {(error.strerror or str(error)).lower()}"
        found.append(f"error: unable to identify {path} as an executable file: {why}")
    if name in seen:
        found.append(f"warning: {path} is overshadowed by a similarly named plugin: {seen[name]}")
    seen.setdefault(name, path)
    if command := _overwritten(name.split("-")[1:]):
        found.append(f'warning: {name} overwrites existing command: "{program.name()} {command}"')
    return found


def _overwritten(words: list[str]) -> str:
    """The command that these words already name, or the most of them; empty if the first names none."""
    verb = next((one for group in GROUPS for one in group.verbs if one.name == words[0]), None)
    if verb is None or (verb.own and program.is_kubectl()):
        return ""
    if len(words) == 1:
        return verb.name
    command = getattr(importlib.import_module(verb.module), "COMMAND", None)
    if command is None:
        return verb.name
    path, _ = find(command, words[1:], ())
    return " ".join(one.name for one in path)


COMMAND = Command(
    "plugin",
    "plugin",
    "See which programs on your PATH are verbs",
    commands=(
        Command(
            "list",
            "list",
            "List the plugins on your PATH",
            run=run,
            flags=(switch("name-only", "Show their names, not where they are."),),
            description="""\
List the plugins on your PATH: the programs whose names begin with kctl- or kubectl-. Says of each what keeps it from
being used: that it can't be run, that another one comes first, or that there is such a verb already.""",
            examples="""\
# Which plugins are there?
kctl plugin list

# Only what they are called
kctl plugin list --name-only""",
        ),
    ),
    description="""\
A program called kctl-foo or kubectl-foo on your PATH is the verb 'kctl foo': it is run with the words that follow, and
its exit code is kctl's. kctl-foo-bar is 'kctl foo bar', and kctl-foo_bar is 'kctl foo-bar'. 'kctl create foo' may be a
plugin as well. A verb of kctl's own always goes first.""",
    examples="""\
# What is there?
kctl plugin list

# Make one
printf '#!/bin/sh\\nkubectl get pods -A\\n' > ~/.local/bin/kctl-pods && chmod +x ~/.local/bin/kctl-pods
kctl pods""",
)
