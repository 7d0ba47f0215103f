"""The entry point: which verb lives where, and the one place that prints errors.

A verb's module is imported when it is named, so `kctl version` never pays for what `kctl up` needs. A new verb is
one file in `commands` and one line in GROUPS.
"""

from __future__ import annotations

import importlib
import os
import sys
from typing import TYPE_CHECKING, NamedTuple

from kctl.errors import KctlError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence


class Verb(NamedTuple):
    name: str
    module: str
    summary: str


class Group(NamedTuple):
    title: str
    verbs: tuple[Verb, ...]


GROUPS = (
    Group(
        "Server Commands",
        (
            Verb("up", "kctl.commands.up", "Start a local control plane"),
            Verb("down", "kctl.commands.down", "Stop it, and restore the current context"),
            Verb("status", "kctl.commands.status", "Show the control planes of this machine, or their logs"),
            Verb("reset", "kctl.commands.reset", "Delete everything that is stored in one"),
            Verb("env", "kctl.commands.env", "Print what a shell or a CI job evaluates to use one"),
            Verb("etcd", "kctl.commands.etcd", "Find or install the etcd that 'kctl up' runs"),
        ),
    ),
    Group("Other Commands", (Verb("version", "kctl.commands.version", "Print the version of kctl"),)),
)

_EXAMPLES = """\
  # Start a control plane and leave it running in this terminal
  kctl up

  # Start it in the background, use it, stop it
  kctl up -d && kubectl get namespaces && kctl down

  # Install the etcd that it stores everything in
  kctl etcd install
"""

# Errors of the server's that a user may see, by module and class. They are looked up among what has been imported
# and never imported for it: an error of a module that nobody imported can't have been raised.
_EXPECTED = (
    ("localplane.cli.errors", "PlaneError"),
    ("localplane.apiserver.storage.errors", "StorageError"),
    ("localplane.apiserver.server.listener", "CannotListen"),
    ("localplane.apiserver.server.options", "InvalidOptions"),
    ("localplane.apiserver.server.tls", "UnusableCertificate"),
    ("localplane.apimachinery.errors", "APIError"),
    ("localplane.client.errors", "ClientError"),
    ("localplane.controllers.selection", "UnknownController"),
)


def main() -> int:
    """What the installed `kctl` calls; its result is the exit code."""
    return run(sys.argv[1:])


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
    if not arguments or arguments[0] in {"-h", "--help"}:
        sys.stdout.write(_help())
        return 0
    name, *rest = arguments
    if name.startswith("-"):
        raise UsageError(f"unknown flag: {name.partition('=')[0]}", hint="See 'kctl --help' for usage.")
    verbs = {verb.name: verb for group in GROUPS for verb in group.verbs}
    if name not in verbs:
        # Only a typing error pays for the parser.
        from kctl.usage import unknown_command

        raise unknown_command(name, known=list(verbs))
    return _invoke(verbs[name], rest)


def _invoke(verb: Verb, arguments: list[str]) -> int:
    # Imported here because `kctl --help` needs neither.
    import typer

    from kctl.usage import PARSER_ERROR, usage_error

    program = f"kctl {verb.name}"
    command = typer.main.get_command(importlib.import_module(verb.module).app)
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
    if os.environ.get("KCTL_DEBUG"):
        import traceback

        traceback.print_exception(error)
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]  # several things at once failed, mostly for one reason
    code = 1
    if isinstance(error, KctlError):
        lines = [str(error) if error.verbatim else f"error: {error}"]
        if isinstance(error, UsageError) and error.hint:
            lines.append(error.hint)
        code = error.exit_code
    elif _is_expected(error):
        lines = [f"error: {error}"]
    elif isinstance(error, OSError) and error.filename is not None:
        lines = [f"error: {error.filename}: {error.strerror}"]
    else:
        lines = [
            f"error: unexpected {type(error).__name__}: {error}",
            "This is a fault in kctl. Set KCTL_DEBUG=1 to see where it happened.",
        ]
    sys.stderr.write("\n".join((*lines, "")))
    return code


def _is_expected(error: Exception) -> bool:
    modules = ((sys.modules.get(module), name) for module, name in _EXPECTED)
    return any(isinstance(error, getattr(module, name)) for module, name in modules if module is not None)
