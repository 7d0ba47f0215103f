"""The entry point, and the one place that prints errors.

A verb's module is imported when it is named: see `verbs`.
"""

from __future__ import annotations

import gc
import importlib
import os
import sys
from typing import TYPE_CHECKING

from kctl.errors import KctlError, UsageError
from kctl.flags import first_word, parse
from kctl.global_flags import GLOBAL_FLAGS, HELP_FLAG
from kctl.verbs import GROUPS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

    from kctl.verbs import Verb


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
        # Only a plugin or a typing error pays for these.
        from kctl.plugins import replace_with_plugin
        from kctl.usage import unknown_command

        if position == 0:
            replace_with_plugin(arguments)
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
