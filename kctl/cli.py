"""The entry point, and the one place that prints errors.

A verb's module is imported when it is named: see `verbs`.
"""

from __future__ import annotations

import gc
import importlib
import os
import sys

from kctl.errors import KctlError, UsageError
from kctl.flags import first_word, parse
from kctl.global_flags import GLOBAL_FLAGS, HELP_FLAG
from kctl.verbs import GROUPS, WITHOUT_KUBERC
from localplane.apimachinery.light_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

    from kctl.command import Command
    from kctl.preferences.applying import Applied
    from kctl.verbs import Verb


_GARBAGE_AT = 20_000
"""So many new objects before the collector looks at them. Imports alone make as many, and none of them is garbage."""


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
    said = list(arguments)
    try:
        code = _dispatch(list(arguments), said)
        sys.stdout.flush()
    except BrokenPipeError:
        return _unread()
    except KeyboardInterrupt:
        return 130
    except ExceptionGroup as group:
        return _unread() if group.subgroup(BrokenPipeError) is not None else _report(group, said)
    except Exception as error:
        return _report(error, said)
    return code


def _unread() -> int:
    """The reader left (`kctl get pods | head`). Python would complain once more when it flushes at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 141


def _dispatch(arguments: list[str], said: list[str]) -> int:
    """`said` gets what the user's kuberc adds to the command line: how errors are told may be among it."""
    if arguments[:1] == ["help"]:
        arguments = [*arguments[1:], "--help"]
    applied = _preferences(arguments)
    if applied is not None:
        arguments = applied.words
        said[:0] = applied.defaults
    position = first_word(arguments, (*GLOBAL_FLAGS, HELP_FLAG))
    if position is None:
        _refuse_unknown_flags(arguments)
        from kctl.help.root import root_help

        sys.stdout.write(root_help())
        return 0
    name = arguments[position]
    verbs = {verb.name: verb for group in GROUPS for verb in group.verbs}
    if name not in verbs:
        if position == 0 and name in ("__complete", "__completeNoDesc"):
            from kctl.completion.answering import answer

            return answer(name, arguments[1:])
        # Only a plugin or a typing error pays for these.
        from kctl.plugins import replace_with_plugin
        from kctl.suggestions import unknown_command

        replace_with_plugin(arguments)
        raise unknown_command(
            name,
            known=[one.name for one in verbs.values() if not one.own and not one.hidden],
            own=[one.name for one in verbs.values() if not one.hidden],
        )
    module = importlib.import_module(verbs[name].module)
    rest = [*arguments[:position], *arguments[position + 1 :]]
    if not hasattr(module, "COMMAND"):
        return _invoke(verbs[name], module, [*(applied.defaults if applied else ()), *rest], flags_first=position > 0)
    from kctl.running import run as run_command

    if name == "create":
        _replace_with_subcommand_plugin(module.COMMAND, arguments, position)
    return run_command(module.COMMAND, rest, applied=applied)


def _replace_with_subcommand_plugin(command: Command, arguments: list[str], position: int) -> None:
    """`kctl create foo` may be the plugin kctl-create-foo. Kubernetes: IsSubcommandPluginAllowed."""
    from kctl.command import find

    path, rest = find(command, arguments[position + 1 :], (*GLOBAL_FLAGS, HELP_FLAG))
    if len(path) > 1 or not rest or rest[0].startswith("-"):
        return
    from kctl.plugins import replace_with_plugin

    replace_with_plugin(arguments, at_least=position + 2)


def _preferences(arguments: list[str]) -> Applied | None:
    """What the user's kuberc makes of the command line. Most people have none: it costs them a look at the disk."""
    if not arguments or WITHOUT_KUBERC:
        return None
    usual = f"{os.environ.get('HOME', '')}/.kube/kuberc"
    named = os.environ.get("KUBERC") or any("--kuberc" in word for word in arguments)
    if not named and not os.path.lexists(usual):
        return None
    from kctl.preferences.applying import apply_preferences

    return apply_preferences(arguments)


def _refuse_unknown_flags(arguments: list[str]) -> None:
    try:
        parse(arguments, (*GLOBAL_FLAGS, HELP_FLAG))
    except KctlError as error:
        raise UsageError(str(error), hint="See 'kctl --help' for usage.") from error


def _invoke(verb: Verb, module: ModuleType, arguments: list[str], *, flags_first: bool) -> int:
    """A verb that is declared with Typer: those that run a server, where its start does not matter."""
    import typer

    from kctl.usage import PARSER_ERROR, usage_error, without_presentation

    _choose_colour(arguments)
    arguments = without_presentation(arguments)
    if flags_first and arguments[:1] and arguments[0].startswith("-"):
        raise UsageError(f"unknown flag: {arguments[0].partition('=')[0]}", hint="See 'kctl --help' for usage.")
    program = f"kctl {verb.name}"
    command = typer.main.get_command(module.app)

    def explain() -> str:
        from kctl.help.own_verbs import own_help

        return own_help(command, program, arguments)

    if any(word in ("-h", "--help") for word in arguments):
        sys.stdout.write(explain())
        return 0
    try:
        with command.make_context(program, list(arguments), help_option_names=[]) as context:
            result = command.invoke(context)
            if hasattr(result, "__await__"):
                import asyncio  # costs as much as the rest of a start, and few verbs need it

                asyncio.run(result)
    except typer.Exit as end:
        return end.exit_code
    except typer.Abort:
        return 130
    except PARSER_ERROR as error:
        raise usage_error(error, command=command, program=program, arguments=arguments, explain=explain) from error
    return 0


def _choose_colour(arguments: Sequence[str]) -> None:
    """As the environment says it, which is where the plane's side looks."""
    from kctl.colours import CHOICES, said

    choice = said(arguments)
    if choice not in CHOICES:
        raise KctlError("--color must be 'auto', 'always' or 'never'")
    if choice == "never":
        os.environ["NO_COLOR"] = "1"
    elif choice == "always":
        os.environ.pop("NO_COLOR", None)
        os.environ["FORCE_COLOR"] = "1"


def _report(error: Exception, words: Sequence[str]) -> int:
    """Print what went wrong, and return the exit code. Tracebacks are for those who ask for them."""
    from kctl.json_errors import document, is_asked_for, is_silent
    from kctl.reporting import report

    if os.environ.get("KCTL_DEBUG"):
        import traceback

        traceback.print_exception(error)
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]  # several things at once failed, mostly for one reason
    try:
        as_json = is_asked_for(words)
    except KctlError as wrong:
        error, as_json = wrong, False
    said = report(error)
    if said is None:
        said = (
            f"error: unexpected {type(error).__name__}: {error}\n"
            "This is a fault in kctl. Set KCTL_DEBUG=1 to see where it happened."
        )
    sys.stdout.flush()
    if as_json and not is_silent(error):
        import json

        told = document(error, said)
        sys.stderr.write(json.dumps(told) + "\n")
        return int(told["exitCode"])
    if said:
        if sys.stderr.isatty():
            said = said.rstrip("\n") + _suggestion(error)
        _say(said, words)
    return error.exit_code if isinstance(error, KctlError) else 1


def _suggestion(error: Exception) -> str:
    """What was probably meant, for a person: programs get kubectl's words alone."""
    from kctl.suggestions import closest, did_you_mean

    for one in (error, error.__cause__):
        mistyped: tuple[str, Sequence[str]] | None = getattr(one, "mistyped", None)
        if mistyped is not None:
            near = did_you_mean(closest(*mistyped))
            return f"\n{near}" if near else ""
    return ""


def _say(said: str, words: Sequence[str]) -> None:
    from kctl.colours import wanted
    from kctl.printers.terminal import shown

    said = shown(said, sys.stderr)
    if wanted(words, sys.stderr) and said.startswith(("error:", "Error")):
        prefix, colon, rest = said.partition(":")
        said = f"\x1b[31;1m{prefix}{colon}\x1b[0m{rest}"
    sys.stderr.write(said if said.endswith("\n") else f"{said}\n")
