"""From the words so far to what fits next."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from kctl.global_flags import GLOBAL_FLAGS, HELP_FLAG

if TYPE_CHECKING:
    from kctl.command import Command
    from kctl.flags import Flag
    from kctl.session import Session


class Candidates(NamedTuple):
    """Each a word, with a tab and what it means where that is known. `files` if a file's name may follow as well."""

    words: list[str]
    files: bool = False


_ROLLING = ("daemonsets", "deployments", "statefulsets")
_SCALABLE = ("deployments", "replicasets", "replicationcontrollers", "statefulsets")
_TYPES_OF = {
    "rollout": _ROLLING,
    "scale": _SCALABLE,
    "autoscale": _SCALABLE,
    "taint": ("nodes",),
    "expose": ("deployments", "pods", "replicasets", "replicationcontrollers", "services"),
}
"""What some verbs take; the others take every type."""
_NAMES_OF = {
    "cordon": "nodes",
    "uncordon": "nodes",
    "drain": "nodes",
    "logs": "pods",
    "ns": "namespaces",
    "certificate": "certificatesigningrequests",
}
"""Verbs that take names of one type."""
_ANY_TYPE = ("get", "watch", "tree", "describe", "delete", "edit", "label", "annotate", "patch", "wait", "set")


async def candidates(session: Session, words: Sequence[str]) -> Candidates:
    """`words` are those behind `kctl`; the last is the one to be completed, and may be empty."""
    *before, current = words or [""]
    path, arguments, waiting = _read(before)
    if waiting is not None:
        return await _value(session, waiting, current)
    if current.startswith("--") and "=" in current:
        return await _glued(session, path, current)
    if current.startswith("-"):
        return Candidates(_flags(path, current))
    if not path:
        return Candidates(_verbs(current))
    command = path[-1]
    if command.commands and not arguments:
        return Candidates(_fitting(current, (f"{one.name}\t{one.summary}" for one in command.commands)), files=False)
    return await _argument(session, path, arguments, current)


def _verbs(current: str) -> list[str]:
    from kctl.verbs import GROUPS

    return _fitting(current, (f"{verb.name}\t{verb.summary}" for group in GROUPS for verb in group.verbs))


def _read(words: Sequence[str]) -> tuple[list[Command], list[str], Flag | None]:
    """The commands that are named, the arguments behind them, and the flag whose value is still to come."""
    from kctl.verbs import GROUPS

    modules = {verb.name: verb.module for group in GROUPS for verb in group.verbs}
    path: list[Command] = []
    arguments: list[str] = []
    waiting: Flag | None = None
    for word in words:
        if waiting is not None:
            waiting = None
        elif word.startswith("-") and word != "-":
            flag = _flag(path, word)
            waiting = flag if flag is not None and not flag.bare and "=" not in word else None
        elif not path and word in modules:
            command = getattr(importlib.import_module(modules[word]), "COMMAND", None)
            if command is None:
                return [], [word], None
            path.append(command)
        elif path and not arguments and (below := _below(path[-1], word)) is not None:
            path.append(below)
        else:
            arguments.append(word)
    return path, arguments, waiting


def _below(command: Command, word: str) -> Command | None:
    return next((one for one in command.commands if word in (one.name, *one.aliases)), None)


def _known(path: Sequence[Command]) -> list[Flag]:
    own = path[-1].flags if path else ()
    return [*own, *GLOBAL_FLAGS, HELP_FLAG]


def _flag(path: Sequence[Command], word: str) -> Flag | None:
    name = word.partition("=")[0]
    for flag in _known(path):
        if name == f"--{flag.name}" or (flag.short and not name.startswith("--") and name == f"-{flag.short}"):
            return flag
    return None


def _flags(path: Sequence[Command], current: str) -> list[str]:
    shown = {f"--{flag.name}": flag for flag in reversed(_known(path)) if not flag.hidden or flag is HELP_FLAG}
    return _fitting(current, (f"{name}\t{shown[name].usage.partition('. ')[0]}".rstrip() for name in sorted(shown)))


async def _glued(session: Session, path: Sequence[Command], current: str) -> Candidates:
    """`--flag=valu`."""
    name, _, value = current.partition("=")
    flag = _flag(path, name)
    if flag is None:
        return Candidates([])
    found = await _value(session, flag, value)
    return Candidates([f"{name}={word}" for word in found.words], files=found.files)


async def _value(session: Session, flag: Flag, current: str) -> Candidates:
    from . import live

    match flag.name:
        case "namespace":
            return Candidates(_fitting(current, await live.names(session, "namespaces")))
        case "context" | "cluster" | "user":
            return Candidates(_fitting(current, live.contexts(session, f"{flag.name}s")))
        case "output":
            formats = flag.usage.partition("(")[2].rpartition(")")[0].split(", ")
            return Candidates(_fitting(current, formats))
        case "dry-run":
            return Candidates(_fitting(current, ("none", "client", "server")))
        case "for":
            return Candidates(_fitting(current, ("condition=", "create", "delete", "jsonpath=")))
        case "filename" | "kustomize" | "kubeconfig" | "cert" | "key" | "from-file" | "from-env-file" | "cache-dir":
            return Candidates([], files=True)
        case "certificate-authority" | "client-certificate" | "client-key" | "patch-file" | "profile-output":
            return Candidates([], files=True)
    return Candidates([])


async def _argument(session: Session, path: Sequence[Command], arguments: list[str], current: str) -> Candidates:
    from . import live

    verb = path[0].name
    if verb == "config":
        what = {"use-context": "contexts", "delete-context": "contexts", "rename-context": "contexts"}
        what |= {"delete-cluster": "clusters", "delete-user": "users", "set-context": "contexts"}
        return Candidates(_fitting(current, live.contexts(session, what.get(path[-1].name, "contexts"))))
    if verb == "ctx":
        return Candidates(_fitting(current, live.contexts(session)))
    if verb == "completion":
        return Candidates(_fitting(current, ("bash", "fish", "powershell", "zsh")))
    if verb in _NAMES_OF:
        return Candidates(_fitting(current, await live.names(session, _NAMES_OF[verb]), without=arguments))
    if verb == "explain":
        return Candidates(_fitting(current, await live.types(session)) if not arguments else [])
    if verb not in _TYPES_OF and verb not in _ANY_TYPE:
        return Candidates([])
    if "/" in current:
        kind = current.partition("/")[0]
        return Candidates(_fitting(current, [f"{kind}/{name}" for name in await live.names(session, kind)]))
    if arguments and "/" not in arguments[0]:
        return Candidates(_fitting(current, await live.names(session, arguments[0]), without=arguments[1:]))
    every = _TYPES_OF.get(verb) or await live.types(session)
    listed, comma, last = current.rpartition(",")
    return Candidates([f"{listed}{comma}{one}" for one in _fitting(last, every)])


def _fitting(current: str, words: Iterable[str], *, without: Sequence[str] = ()) -> list[str]:
    return [word for word in words if word.startswith(current) and word not in without]
