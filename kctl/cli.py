"""A declared command, from its words to its exit code.

The entry point, and the one place that prints errors.

A verb's module is imported when it is named: see `verbs`.
"""

from __future__ import annotations

from kctl import lazy

lazy.install()

import gc
import importlib
import json
import os
import sys
import traceback
from collections.abc import Sequence
from types import ModuleType

from kctl import program
from kctl.command_line import advice, colours, json_errors, pager, plugins, profile, usage
from kctl.command_line.command import Command, find
from kctl.command_line.flags import FlagSet, first_word, parse
from kctl.command_line.global_flags import GLOBAL_FLAGS, HELP_FLAG
from kctl.command_line.preferences import application
from kctl.command_line.verbs import GROUPS, WITHOUT_KUBERC, Verb
from kctl.completion import answer
from kctl.errors import Ended, KctlError, UsageError, report
from kctl.printers.terminal import shown
from kctl.session.session import Session
from kctl.session.versions import client_version, go_literal
from localplane.apimachinery.golang import sources
from localplane.client.transport import driver

from .command_line import help_pages


def run_command(command: Command, words: list[str], *, applied: application.Applied | None = None) -> int:
    """Raises what the user should know; `cli` prints it. `applied` is what the user's kuberc has made of it."""
    path, rest = find(command, words, (*GLOBAL_FLAGS, HELP_FLAG))
    chosen = path[-1]
    title = " ".join((program.name(), *(one.name for one in path)))
    if applied is not None:
        title = f"{program.name()} {applied.alias}" if applied.alias else title
        rest = [*applied.defaults, *rest]
    try:
        flags = parse(rest, (*chosen.flags, *GLOBAL_FLAGS, HELP_FLAG), sys.stderr.write)
    except KctlError as error:
        usage = UsageError(str(error), hint=chosen.usage_hint or f"See '{title} --help' for usage.")
        if chosen.usage_exit_code != 1:
            usage.exit_code, usage.hint = chosen.usage_exit_code, f"See '{title} -h' for help and examples"
        raise usage from error
    if flags.is_on("help") and not chosen.without_help:
        sys.stdout.write(help_pages.help_text(chosen, title))
        return 0
    _check(flags)
    if chosen.run is None:
        return _without_subcommand(chosen, title, flags)
    if (flags.changed("pager") or os.environ.get("KCTL_PAGER")) and pager.is_wanted(flags):
        return pager.run(title, flags, lambda: _measured(chosen, title, flags, applied))
    return _measured(chosen, title, flags, applied)


def _measured(chosen: Command, title: str, flags: FlagSet, applied: application.Applied | None) -> int:
    own = any(flag.name == "profile" for flag in chosen.flags)  # debug has another
    if flags.text("profile") != "none" and not own:
        with profile.profiled(flags.text("profile"), flags.text("profile-output")):
            return _in_session(chosen, title, flags, applied)
    return _in_session(chosen, title, flags, applied)


def _check(flags: FlagSet) -> None:
    """How things are told is asked for by what the words say, before they are understood; here it is refused."""
    if flags.text("color") not in ("auto", "always", "never"):
        raise KctlError("--color must be 'auto', 'always' or 'never'")
    if os.environ.get("KCTL_COLOR", "") not in ("", *colours.CHOICES):
        raise KctlError("KCTL_COLOR must be 'auto', 'always' or 'never'")
    if os.environ.get("KCTL_THEME", "") not in ("", "auto", "dark", "light"):
        raise KctlError("KCTL_THEME must be 'auto', 'dark' or 'light'")
    if complaint := program.complaint():
        raise KctlError(complaint)
    if flags.text("error-format") not in ("text", "json"):
        raise KctlError("--error-format must be 'text' or 'json'")


def _in_session(chosen: Command, title: str, flags: FlagSet, applied: application.Applied | None) -> int:
    session = Session(flags, command=title, concurrent=chosen.concurrent)
    if applied is not None:
        session.plugin_policy = applied.policy
        if applied.original:
            session.log(1, sources.ALIAS_RUN, f'original command: "{program.name()} {applied.original}"')
    if chosen.concurrent:
        import asyncio

        return asyncio.run(_run(chosen, session, flags))
    return driver.drive(lambda: _run(chosen, session, flags))


async def _run(command: Command, session: Session, flags: FlagSet) -> int:
    assert command.run is not None
    try:
        if flags.is_on("match-server-version"):
            await _compare_versions(session)
        code = await command.run(session, flags)
    finally:
        await session.close()
    if flags.is_on("warnings-as-errors") and session.warnings:
        raise KctlError(f"{session.warnings} warning{'s' if session.warnings > 1 else ''} received")
    return code or 0


async def _compare_versions(session: Session) -> None:
    """Kubernetes: kubectl/pkg/cmd/util/kubectl_match_version.go."""
    theirs, ours = await session.client.discovery().server_version(), client_version()
    if theirs.get("gitVersion") != ours["gitVersion"]:
        raise KctlError(f"server version (&{go_literal(theirs)}) differs from client version ({go_literal(ours)})")


def _without_subcommand(command: Command, title: str, flags: FlagSet) -> int:
    """Most fail, and say so on stderr. Kubernetes: cmdutil.DefaultSubCommandRun."""
    if flags.arguments and command.alone != "help":
        raise unknown_subcommand(flags.arguments, title, known=[one.name for one in command.commands])
    (sys.stderr if command.alone == "stderr" else sys.stdout).write(help_pages.help_text(command, title))
    if command.alone != "help":
        raise Ended(1)
    return 0


def unknown_subcommand(arguments: list[str], title: str, *, known: Sequence[str] = ()) -> UsageError:
    return UsageError(
        f'unknown command "{" ".join(arguments)}"',
        hint=f"See '{title} -h' for help and examples",
        mistyped=(arguments[0], known),
    )


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
        if arguments == ["--version"] and not program.is_kubectl():
            sys.stdout.write(f"kctl {client_version()['gitVersion']} (as kubectl v{program.KUBERNETES})\n")
            return 0
        _refuse_unknown_flags(arguments)
        sys.stdout.write(help_pages.root_help())
        return 0
    name = arguments[position]
    verbs = {verb.name: verb for group in GROUPS for verb in group.verbs}
    if name not in verbs:
        if position == 0 and name in ("__complete", "__completeNoDesc"):
            return answer.answer(name, arguments[1:])
        # Only a plugin or a typing error pays for these.
        plugins.replace_with_plugin(arguments)
        raise usage.unknown_command(
            name,
            known=[one.name for one in verbs.values() if not one.own and not one.hidden],
            own=[one.name for one in verbs.values() if not one.hidden],
        )
    if verbs[name].own and program.is_kubectl():
        plugins.replace_with_plugin(arguments)  # kubectl has no such verb, so nothing keeps a plugin from being it
    module = importlib.import_module(verbs[name].module)
    rest = [*arguments[:position], *arguments[position + 1 :]]
    if not hasattr(module, "COMMAND"):
        return _invoke(verbs[name], module, [*(applied.defaults if applied else ()), *rest], flags_first=position > 0)

    if name == "create":
        _replace_with_subcommand_plugin(module.COMMAND, arguments, position)
    return run_command(module.COMMAND, rest, applied=applied)


def _replace_with_subcommand_plugin(command: Command, arguments: list[str], position: int) -> None:
    """`kctl create foo` may be the plugin kctl-create-foo. Kubernetes: IsSubcommandPluginAllowed."""
    path, rest = find(command, arguments[position + 1 :], (*GLOBAL_FLAGS, HELP_FLAG))
    if len(path) > 1 or not rest or rest[0].startswith("-"):
        return
    plugins.replace_with_plugin(arguments, at_least=position + 2)


def _preferences(arguments: list[str]) -> application.Applied | None:
    """What the user's kuberc makes of the command line. Most people have none: it costs them a look at the disk."""
    if not arguments or WITHOUT_KUBERC:
        return None
    usual = f"{os.environ.get('HOME', '')}/.kube/kuberc"
    named = os.environ.get("KUBERC") or any("--kuberc" in word for word in arguments)
    if not named and not os.path.lexists(usual):
        return None
    return application.apply_preferences(arguments)


def _refuse_unknown_flags(arguments: list[str]) -> None:
    try:
        parse(arguments, (*GLOBAL_FLAGS, HELP_FLAG))
    except KctlError as error:
        raise UsageError(str(error), hint=f"See '{program.name()} --help' for usage.") from error


def _invoke(verb: Verb, module: ModuleType, arguments: list[str], *, flags_first: bool) -> int:
    """A verb that is declared with Typer: those that run a server, where its start does not matter."""
    import typer

    dashed, takes_command = None, getattr(module, "TAKES_COMMAND", False)
    if takes_command and "--" in arguments:
        # Whatever stands there is another program's, its --help included.
        position = arguments.index("--")
        arguments, dashed = arguments[:position], arguments[position + 1 :]
    _choose_colour(arguments)
    arguments = usage.without_presentation(arguments)
    if flags_first and arguments[:1] and arguments[0].startswith("-"):
        raise UsageError(
            f"unknown flag: {arguments[0].partition('=')[0]}", hint=f"See '{program.name()} --help' for usage."
        )
    title = f"{program.name()} {verb.name}"
    command = typer.main.get_command(module.app)

    def explain() -> str:
        return help_pages.own_help(command, title, arguments, takes_command=takes_command)

    if any(word in ("-h", "--help") for word in arguments):
        sys.stdout.write(explain())
        return 0
    try:
        with command.make_context(title, list(arguments), help_option_names=[], obj=dashed) as context:
            result = command.invoke(context)
            if hasattr(result, "__await__"):
                import asyncio  # costs as much as the rest of a start, and few verbs need it

                asyncio.run(result)
    except typer.Exit as end:
        return end.exit_code
    except typer.Abort:
        return 130
    except usage.PARSER_ERROR as error:
        raise usage.usage_error(error, command=command, program=title, arguments=arguments, explain=explain) from error
    return 0


def _choose_colour(arguments: Sequence[str]) -> None:
    """As the environment says it, which is where the plane's side looks."""
    choice = colours.said(arguments)
    if choice not in colours.CHOICES:
        raise KctlError("--color must be 'auto', 'always' or 'never'")
    if choice == "never":
        os.environ["NO_COLOR"] = "1"
    elif choice == "always":
        os.environ.pop("NO_COLOR", None)
        os.environ["FORCE_COLOR"] = "1"


def _report(error: Exception, words: Sequence[str]) -> int:
    """Print what went wrong, and return the exit code. Tracebacks are for those who ask for them."""
    if os.environ.get("KCTL_DEBUG"):
        traceback.print_exception(error)
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]  # several things at once failed, mostly for one reason
    try:
        as_json = json_errors.is_asked_for(words)
    except KctlError as wrong:
        error, as_json = wrong, False
    said = report(error)
    if said is None:
        said = (
            f"error: unexpected {type(error).__name__}: {error}\n"
            "This is a fault in kctl. Set KCTL_DEBUG=1 to see where it happened."
        )
    sys.stdout.flush()
    if as_json and not json_errors.is_silent(error):
        told = json_errors.document(error, said)
        sys.stderr.write(json.dumps(told) + "\n")
        return int(told["exitCode"])
    if said:
        if sys.stderr.isatty():
            said = said.rstrip("\n") + advice.after(error)
        _say(said, words)
    return error.exit_code if isinstance(error, KctlError) else 1


def _say(said: str, words: Sequence[str]) -> None:
    said = shown(said, sys.stderr)
    if colours.wanted(words, sys.stderr) and said.startswith(("error:", "Error")):
        prefix, colon, rest = said.partition(":")
        said = f"\x1b[31;1m{prefix}{colon}\x1b[0m{rest}"
    sys.stderr.write(said if said.endswith("\n") else f"{said}\n")
