"""The entry point: which verb lives where, and the one place that prints errors.

A verb's module is imported when it is named, so `kctl version` never pays for what `kctl up` needs. A new verb is
one file in `commands` and one line in GROUPS.
"""

from __future__ import annotations

import gc
import importlib
import os
import sys
from typing import TYPE_CHECKING, NamedTuple

from kctl.errors import KctlError, UsageError
from kctl.flags import first_word, parse
from kctl.global_flags import GLOBAL_FLAGS, HELP_FLAG

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType


class Verb(NamedTuple):
    """`own` ones are not kubectl's, so who mistypes one of kubectl's is not pointed to them."""

    name: str
    module: str
    summary: str
    own: bool = False


class Group(NamedTuple):
    title: str
    verbs: tuple[Verb, ...]


GROUPS = (
    Group(
        "Basic Commands (Beginner)",
        (
            Verb("create", "kctl.commands.create", "Create a resource from a file or from stdin"),
            Verb(
                "expose",
                "kctl.commands.expose",
                "Take a replication controller, service, deployment or pod and expose it as a new Kubernetes service",
            ),
            Verb("run", "kctl.commands.run", "Run a particular image on the cluster"),
            Verb("set", "kctl.commands.set", "Set specific features on objects"),
        ),
    ),
    Group(
        "Basic Commands (Intermediate)",
        (
            Verb("explain", "kctl.commands.explain", "Get documentation for a resource"),
            Verb("get", "kctl.commands.get", "Display one or many resources"),
            Verb("watch", "kctl.commands.watch", "Watch several kinds of objects in one view", own=True),
            Verb("tree", "kctl.commands.tree", "Show an object and all that it owns", own=True),
            Verb("edit", "kctl.commands.edit", "Edit a resource on the server"),
            Verb(
                "delete",
                "kctl.commands.delete",
                "Delete resources by file names, stdin, resources and names, or by resources and label selector",
            ),
        ),
    ),
    Group(
        "Deploy Commands",
        (
            Verb("rollout", "kctl.commands.rollout", "Manage the rollout of a resource"),
            Verb(
                "scale",
                "kctl.commands.scale",
                "Set a new size for a deployment, replica set, or replication controller",
            ),
            Verb(
                "autoscale",
                "kctl.commands.autoscale",
                "Auto-scale a deployment, replica set, stateful set, or replication controller",
            ),
        ),
    ),
    Group(
        "Cluster Management Commands",
        (
            Verb("certificate", "kctl.commands.certificate", "Modify certificate resources"),
            Verb("cluster-info", "kctl.commands.cluster_info", "Display cluster information"),
            Verb("cordon", "kctl.commands.cordon", "Mark node as unschedulable"),
            Verb("uncordon", "kctl.commands.uncordon", "Mark node as schedulable"),
            Verb("drain", "kctl.commands.drain", "Drain node in preparation for maintenance"),
            Verb("taint", "kctl.commands.taint", "Update the taints on one or more nodes"),
        ),
    ),
    Group(
        "Troubleshooting and Debugging Commands",
        (
            Verb("describe", "kctl.commands.describe", "Show details of a specific resource or group of resources"),
            Verb("logs", "kctl.commands.logs", "Print the logs for a container in a pod"),
            Verb("auth", "kctl.commands.auth", "Inspect authorization"),
            Verb("events", "kctl.commands.events", "List events"),
        ),
    ),
    Group(
        "Advanced Commands",
        (
            Verb("diff", "kctl.commands.diff", "Diff the live version against a would-be applied version"),
            Verb("apply", "kctl.commands.apply", "Apply a configuration to a resource by file name or stdin"),
            Verb("patch", "kctl.commands.patch", "Update fields of a resource"),
            Verb("replace", "kctl.commands.replace", "Replace a resource by file name or stdin"),
            Verb(
                "wait",
                "kctl.commands.wait",
                "Experimental: Wait for a specific condition on one or many resources",
            ),
        ),
    ),
    Group(
        "Settings Commands",
        (
            Verb("label", "kctl.commands.label", "Update the labels on a resource"),
            Verb("annotate", "kctl.commands.annotate", "Update the annotations on a resource"),
            Verb(
                "completion",
                "kctl.commands.completion",
                "Output shell completion code for the specified shell (bash, zsh, fish, or powershell)",
            ),
        ),
    ),
    Group(
        "Server Commands",
        (
            Verb("up", "kctl.commands.up", "Start a local control plane", own=True),
            Verb("down", "kctl.commands.down", "Stop it, and restore the current context", own=True),
            Verb("status", "kctl.commands.status", "Show the control planes of this machine, or their logs", own=True),
            Verb("reset", "kctl.commands.reset", "Delete everything that is stored in one", own=True),
            Verb("env", "kctl.commands.env", "Print what a shell or a CI job evaluates to use one", own=True),
            Verb("etcd", "kctl.commands.etcd", "Find or install the etcd that 'kctl up' runs", own=True),
        ),
    ),
    Group(
        "Other Commands",
        (
            Verb("api-resources", "kctl.commands.api_resources", "Print the supported API resources on the server"),
            Verb("api-versions", "kctl.commands.api_versions", "Print the supported API versions on the server"),
            Verb("config", "kctl.commands.config", "Modify kubeconfig files"),
            Verb("ctx", "kctl.commands.ctx", "Show the contexts, or switch to one", own=True),
            Verb("ns", "kctl.commands.ns", "Show the namespaces, or make one the default", own=True),
            Verb("options", "kctl.commands.options", "Print the list of flags inherited by all commands"),
            Verb("plugin", "kctl.commands.plugin", "Provides utilities for interacting with plugins"),
            Verb("version", "kctl.commands.version", "Print the client and server version information"),
        ),
    ),
)
"""In kubectl's order, which decides what `Did you mean this?` lists first. Groups without verbs are not shown."""

_GARBAGE_AT = 20_000
"""So many new objects before the collector looks at them. Imports alone make as many, and none of them is garbage."""

_EXAMPLES = """\
  # Start a control plane and leave it running in this terminal
  kctl up

  # Start it in the background, use it, stop it
  kctl up -d && kubectl get namespaces && kctl down

  # Install the etcd that it stores everything in
  kctl etcd install
"""


def main() -> int:
    """What the installed `kctl` calls; its result is the exit code."""
    gc.set_threshold(_GARBAGE_AT)
    code = run(sys.argv[1:])
    if "typer" not in sys.modules:
        # Nothing of ours waits for the interpreter to take itself apart, which takes as long as a TLS handshake.
        _leave(code)
    return code


def _leave(code: int) -> None:
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        return  # the reader left; Python knows what to do
    os._exit(code)


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code. Nothing that was raised gets past here."""
    try:
        code = _dispatch(list(arguments))
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader left (`kctl get pods | head`). Python would complain once more when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        return _report(error)
    return code


def _dispatch(arguments: list[str]) -> int:
    if arguments[:1] == ["help"]:
        arguments = [*arguments[1:], "--help"]
    position = first_word(arguments, (*GLOBAL_FLAGS, HELP_FLAG))
    if position is None:
        _refuse_unknown_flags(arguments)
        sys.stdout.write(_help())
        return 0
    name = arguments[position]
    verbs = {verb.name: verb for group in GROUPS for verb in group.verbs}
    if name not in verbs:
        # Only a typing error pays for the parser.
        from kctl.usage import unknown_command

        raise unknown_command(name, known=[one.name for one in verbs.values() if not one.own], own=list(verbs))
    module = importlib.import_module(verbs[name].module)
    rest = [*arguments[:position], *arguments[position + 1 :]]
    if hasattr(module, "COMMAND"):
        from kctl.running import run as run_command

        return run_command(module.COMMAND, rest)
    if position:
        raise UsageError(f"unknown flag: {arguments[0].partition('=')[0]}", hint="See 'kctl --help' for usage.")
    return _invoke(verbs[name], module, rest)


def _refuse_unknown_flags(arguments: list[str]) -> None:
    try:
        parse(arguments, (*GLOBAL_FLAGS, HELP_FLAG))
    except KctlError as error:
        raise UsageError(str(error), hint="See 'kctl --help' for usage.") from error


def _invoke(verb: Verb, module: ModuleType, arguments: list[str]) -> int:
    """A verb that is declared with Typer: those that run a server, where its start does not matter."""
    import typer

    from kctl.usage import PARSER_ERROR, usage_error

    program = f"kctl {verb.name}"
    command = typer.main.get_command(module.app)
    try:
        with command.make_context(program, list(arguments), help_option_names=["-h", "--help"]) as context:
            result = command.invoke(context)
            if hasattr(result, "__await__"):
                import asyncio  # costs as much as the rest of a start, and few verbs need it

                asyncio.run(result)
    except typer.Exit as end:
        return end.exit_code
    except typer.Abort:
        return 130
    except PARSER_ERROR as error:
        raise usage_error(error, command=command, program=program, arguments=arguments) from error
    return 0


def _help() -> str:
    sections = ["kctl controls a Kubernetes API, and starts one on this machine.\n"]
    for group in GROUPS:
        if not group.verbs:
            continue
        lines = (f"  {verb.name:<15} {verb.summary}\n" for verb in group.verbs)
        sections.append(f"{group.title}:\n{''.join(lines)}")
    sections += [
        f"Examples:\n{_EXAMPLES}",
        "Usage:\n  kctl <command> [flags]\n",
        'Use "kctl <command> --help" for more information about a given command.\n',
    ]
    return "\n".join(sections)


def _report(error: Exception) -> int:
    """Print what went wrong, and return the exit code. Tracebacks are for those who ask for them."""
    from kctl.reporting import report

    if os.environ.get("KCTL_DEBUG"):
        import traceback

        traceback.print_exception(error)
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]  # several things at once failed, mostly for one reason
    said = report(error)
    if said is None:
        said = (
            f"error: unexpected {type(error).__name__}: {error}\n"
            "This is a fault in kctl. Set KCTL_DEBUG=1 to see where it happened."
        )
    sys.stdout.flush()
    if said:
        if sys.stderr.isatty():
            from kctl.printers.terminal import harmless

            said = harmless(said)
        sys.stderr.write(said if said.endswith("\n") else f"{said}\n")
    return error.exit_code if isinstance(error, KctlError) else 1
