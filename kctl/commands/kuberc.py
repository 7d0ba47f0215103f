"""`kctl kuberc`: show and change the file with a person's own aliases and defaults.

Kubernetes: kubectl/pkg/cmd/kuberc.
"""

from __future__ import annotations

import sys

from kctl.command_line.command import Command
from kctl.command_line.flags import Flag, FlagSet, switch
from kctl.command_line.preferences import application, decoding, files
from kctl.errors import KctlError
from kctl.printers import kyaml
from kctl.printers.choice import OBJECT_FORMATS, chosen_format, output_flags, printer_for
from kctl.printers.objects import go_indented
from kctl.session.session import Session

_SECTIONS = ("defaults", "aliases", "credentialplugin")
_KUBERC = Flag("kuberc", usage="This file, not $KUBERC or ~/.kube/kuberc.")


def _place(flags: FlagSet) -> files.Place:
    place = files.locate(flags.text("kuberc"))
    if not place.path:
        raise KctlError("KUBERC is disabled via KUBERC=off environment variable")
    return place


async def view(session: Session, flags: FlagSet) -> None:
    place = _place(flags)
    try:
        decoded = decoding.decode(place.path)
    except FileNotFoundError as error:
        if place.explicitly:
            raise KctlError(f"kuberc file not found at {place.path}") from error
        _offer(session, flags, place.path)
        return
    except (OSError, KctlError) as error:
        raise KctlError(f"error reading kuberc file: {application.why(error)}") from error
    if decoded.complaint:
        raise KctlError(f"error reading kuberc file: {decoded.complaint}")
    _show(session, flags, decoded.preference or decoding.Preference())


def _offer(session: Session, flags: FlagSet, path: str) -> None:
    """There is none: would it be welcome?"""
    session.write(
        f"kuberc file not found at {path}\n"
        "Would you like to generate a default kuberc file with recommended options? (y/N): "
    )
    session.flush()
    answer = sys.stdin.readline().split() if sys.stdin is not None else []
    if len(answer) != 1:
        return
    if answer[0].lower() == "y":
        files.save(files.RECOMMENDED, path)
        session.write(f"Updated {path}\n")
        return
    _show(session, flags, decoding.Preference())


def _show(session: Session, flags: FlagSet, preference: object) -> None:
    assert isinstance(preference, decoding.Preference)
    printer = printer_for(flags)
    document = preference.document()
    match chosen_format(flags).lower():
        case "json":
            session.write(go_indented(document, sort=False) + "\n")
        case "kyaml":
            session.write(kyaml.to_kyaml(document, sort=False))
        case _:
            printer.print(document, session.write_object)


async def set_values(session: Session, flags: FlagSet) -> None:
    if not flags.changed("section"):
        raise KctlError('required flag(s) "section" not set')
    place = _place(flags)
    _check(flags)
    try:
        decoded = decoding.decode(place.path)
    except FileNotFoundError:
        preference = decoding.Preference()
    except (OSError, KctlError) as error:
        raise KctlError(f"error reading kuberc file: {application.why(error)}") from error
    else:
        if decoded.complaint:
            raise KctlError(f"error reading kuberc file: {decoded.complaint}")
        preference = decoded.preference or decoding.Preference()
    change = dict(zip(_SECTIONS, (files.with_defaults, files.with_alias, files.with_policy), strict=True))[
        flags.text("section")
    ]
    files.save(change(preference, flags), place.path)
    session.write(f"Updated {place.path}\n")


def _check(flags: FlagSet) -> None:
    """Kubernetes: SetOptions.Validate."""
    section, name = flags.text("section"), flags.text("name")
    if section not in _SECTIONS:
        raise KctlError(f'--section must be "defaults", "aliases", or "credentialplugin", got: {section}')
    if section == "aliases" and not name:
        raise KctlError("--name is required when --section=aliases")
    if section == "defaults" and name:
        raise KctlError("--name should not be specified when --section=defaults")
    if section == "defaults" and (flags.texts("prependarg") or flags.texts("appendarg")):
        raise KctlError("--prependarg and --appendarg are only valid for --section=aliases")
    if section != "credentialplugin":
        if not flags.text("command"):
            raise KctlError("--command is required when --section=aliases or --section=defaults")
        return
    policy, entries = flags.text("policy"), flags.texts("allowlist-entry")
    if not policy:
        raise KctlError("--policy is required when --section=credentialplugin")
    if policy not in ("AllowAll", "DenyAll", "Allowlist"):
        raise KctlError(f' --policy must be  "AllowAll", "DenyAll", or "Allowlist", got: {policy}')
    if policy != "Allowlist" and entries:
        raise KctlError("--allowlist-entry may only be used when --section=credentialplugin and --policy=Allowlist")
    if policy == "Allowlist" and not entries:
        raise KctlError("--allowlist-entry is required when --section=credentialplugin and --policy=Allowlist")


COMMAND = Command(
    "kuberc",
    "kuberc SUBCOMMAND",
    "Your own aliases and defaults of flags",
    description="""\
A kuberc file holds what you would otherwise type again and again: aliases, and values of flags that count unless you
give the flag yourself. It can also say which credential plugins may run.

It is ~/.kube/kuberc, the file in $KUBERC, or the one of --kuberc. KUBERC=off turns it off for one command.""",
    examples="""\
# What have I set?
kctl kuberc view

# Always ask before something is deleted
kctl kuberc set --section defaults --command delete --option interactive=true

# 'kctl getn' for the nodes with everything about them
kctl kuberc set --section aliases --name getn --command get --prependarg nodes --option output=wide""",
    commands=(
        Command(
            "view",
            "view",
            "Show what is in the file",
            run=view,
            flags=(*output_flags(OBJECT_FORMATS, default="yaml"), _KUBERC),
            description="Show what is in the kuberc file. Where there is none, you are offered one to begin with.",
            examples="""\
# All of it
kctl kuberc view

# For a program
kctl kuberc view -o json

# Another file
kctl kuberc view --kuberc ./team.kuberc""",
        ),
        Command(
            "set",
            "set --section (defaults|aliases|credentialplugin)",
            "Write a default, an alias or a policy into the file",
            run=set_values,
            flags=(
                Flag("section", usage="What to set: defaults, aliases or credentialplugin."),
                Flag("command", usage="Whose default, or what the alias stands for: get, 'set env'."),
                Flag("name", usage="What the alias is called: letters only."),
                Flag("option", "array", (), "flag=value, as often as you like."),
                Flag("prependarg", "array", (), "An argument that comes first. For aliases."),
                Flag("appendarg", "array", (), "An argument that comes last. For aliases."),
                Flag("policy", usage="Which credential plugins may run: AllowAll, DenyAll or Allowlist."),
                Flag("allowlist-entry", "array", (), "command=PROGRAM that may run, with --policy Allowlist."),
                switch("overwrite", "Replace what is there under this name."),
                _KUBERC,
            ),
            description="""\
Write one thing into the kuberc file, which is made if there is none: a default of a command's flags, an alias, or which
credential plugins may run.""",
            examples="""\
# Lists are wide unless something else is asked for
kctl kuberc set --section defaults --command get --option output=wide

# Change one's mind
kctl kuberc set --section defaults --command get --option output=yaml --overwrite

# 'kctl runx NAME' runs nginx with an argument of its own
kctl kuberc set --section aliases --name runx --command run --option image=nginx --appendarg -- --appendarg serve

# Only this credential plugin may run
kctl kuberc set --section credentialplugin --policy Allowlist --allowlist-entry command=/usr/local/bin/login""",
        ),
    ),
)
