"""A declared command, from its words to its exit code."""

from __future__ import annotations

import sys

from kctl.command import Command, find
from kctl.errors import Ended, KctlError, UsageError
from kctl.flags import parse
from kctl.global_flags import GLOBAL_FLAGS, HELP_FLAG
from kctl.session import Session
from localplane.apimachinery.light_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kctl.flags import Given
    from kctl.preferences.applying import Applied


def run(command: Command, words: list[str], *, applied: Applied | None = None) -> int:
    """Raises what the user should know; `cli` prints it. `applied` is what the user's kuberc has made of it."""
    path, rest = find(command, words, (*GLOBAL_FLAGS, HELP_FLAG))
    chosen = path[-1]
    title = " ".join(("kctl", *(one.name for one in path)))
    if applied is not None:
        title = f"kctl {applied.alias}" if applied.alias else title
        rest = [*applied.defaults, *rest]
    try:
        given = parse(rest, (*chosen.flags, *GLOBAL_FLAGS, HELP_FLAG), sys.stderr.write)
    except KctlError as error:
        usage = UsageError(str(error), hint=chosen.usage_hint or f"See '{title} --help' for usage.")
        if chosen.usage_exit_code != 1:
            usage.exit_code, usage.hint = chosen.usage_exit_code, f"See '{title} -h' for help and examples"
        raise usage from error
    if given.is_on("help") and not chosen.without_help:
        from kctl.help import help_text

        sys.stdout.write(help_text(chosen, title))
        return 0
    _check(given)
    if chosen.run is None:
        return _without_subcommand(chosen, title, given)
    own = any(flag.name == "profile" for flag in chosen.flags)  # debug has another
    if given.text("profile") != "none" and not own:
        from kctl.profiling import profiled

        with profiled(given.text("profile"), given.text("profile-output")):
            return _in_session(chosen, title, given, applied)
    return _in_session(chosen, title, given, applied)


def _check(given: Given) -> None:
    """How things are told is asked for by what the words say, before they are understood; here it is refused."""
    if given.text("color") not in ("auto", "always", "never"):
        raise KctlError("--color must be 'auto', 'always' or 'never'")
    if given.text("error-format") not in ("text", "json"):
        raise KctlError("--error-format must be 'text' or 'json'")


def _in_session(chosen: Command, title: str, given: Given, applied: Applied | None) -> int:
    session = Session(given, command=title, concurrent=chosen.concurrent)
    if applied is not None:
        session.plugin_policy = applied.policy
        if applied.original:
            session.log(1, "cmd.go:371", f'original command: "kctl {applied.original}"')
    if chosen.concurrent:
        import asyncio

        return asyncio.run(_run(chosen, session, given))
    from localplane.client.driving import drive

    return drive(lambda: _run(chosen, session, given))


async def _run(command: Command, session: Session, given: Given) -> int:
    assert command.run is not None
    try:
        if given.is_on("match-server-version"):
            await _compare_versions(session)
        code = await command.run(session, given)
    finally:
        await session.close()
    if given.is_on("warnings-as-errors") and session.warnings:
        raise KctlError(f"{session.warnings} warning{'s' if session.warnings > 1 else ''} received")
    return code or 0


async def _compare_versions(session: Session) -> None:
    """Kubernetes: kubectl/pkg/cmd/util/kubectl_match_version.go."""
    from kctl.versions import client_version, go_literal

    theirs, ours = await session.client.discovery().server_version(), client_version()
    if theirs.get("gitVersion") != ours["gitVersion"]:
        raise KctlError(f"server version (&{go_literal(theirs)}) differs from client version ({go_literal(ours)})")


def _without_subcommand(command: Command, title: str, given: Given) -> int:
    """Most fail, and say so on stderr. Kubernetes: cmdutil.DefaultSubCommandRun."""
    if given.arguments and command.alone != "help":
        raise unknown_subcommand(given.arguments, title, known=[one.name for one in command.commands])
    from kctl.help import help_text

    (sys.stderr if command.alone == "stderr" else sys.stdout).write(help_text(command, title))
    if command.alone != "help":
        raise Ended(1)
    return 0


def unknown_subcommand(arguments: list[str], title: str, *, known: Sequence[str] = ()) -> UsageError:
    return UsageError(
        f'unknown command "{" ".join(arguments)}"',
        hint=f"See '{title} -h' for help and examples",
        mistyped=(arguments[0], known),
    )
