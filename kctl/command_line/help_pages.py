"""A page of help as text: paragraphs and columns that fit, headings that stand out on a terminal.

Help about a Command, and about the flags that all of them have.

Help about verbs that are declared with Typer, in the form that all others have.

`kctl --help`: all verbs, by what they are for.

What `--help` shows, for every verb in the same form: what it does, how it is called, examples, flags.

    layout     from a page to text that fits the terminal        commands   verbs that are declared as data
    root       `kctl --help`                                     own_verbs  verbs that are declared with Typer

Imported when somebody asks for help, or needs it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence

from kctl import program
from kctl.errors import EXIT_CODES
from localplane.apimachinery.light_typing import Any, NamedTuple

from .colours import wanted
from .command import Command
from .flags import Flag
from .plugins import on_path
from .verbs import GROUPS

_WIDEST = 100
"""Longer lines are hard to read, however wide the window is."""
_NARROWEST = 40
_COLUMN = 32
"""No wider than this are the names of flags; what is longer has a line of its own."""
_BOLD, _PLAIN = "\x1b[1m", "\x1b[0m"

Rows = Sequence[tuple[str, str]]


class Section(NamedTuple):
    """A heading with rows of two columns, or with lines that stay as they are."""

    title: str
    rows: Rows = ()
    lines: str = ""
    column: int = 0
    """At least so wide is the first one, to be in line with other sections."""


class Page(NamedTuple):
    about: str
    sections: Sequence[Section]
    footer: str = ""


def render(page: Page) -> str:
    """For whoever reads stdout."""
    width = _width()
    parts = [fill(program.renamed(page.about), width)] if page.about else []
    for section in page.sections:
        rows = [(name, program.renamed(said)) for name, said in section.rows]
        body = _table(rows, width, section.column) if rows else _indented(program.renamed(section.lines))
        parts.append(f"{_heading(section.title)}\n{body}")
    if page.footer:
        parts.append(fill(program.renamed(page.footer), width))
    return "\n\n".join(parts) + "\n"


def fill(text: str, width: int) -> str:
    """Paragraphs anew, as wide as may be. Lines that are indented, and lists, stay lines of their own."""
    return "\n".join(line for block in _blocks(text) for line in _wrapped(block, width))


def _blocks(text: str) -> Iterator[str]:
    """Lines that belong together, joined. An empty line is a block, too."""
    joined = ""
    for line in text.strip().split("\n"):
        is_listed = line.startswith(("- ", "* ")) or (line[:1].isdecimal() and line[1:2] == ".")
        starts_anew = not line.strip() or line.startswith(" ") or is_listed
        if starts_anew and joined:
            yield joined
            joined = ""
        if not line.strip():
            yield ""
        elif line.startswith(" "):
            yield line
        else:
            joined = f"{joined} {line}" if joined else line
    if joined:
        yield joined


def _wrapped(text: str, width: int, *, indent: str = "") -> Iterator[str]:
    if text.startswith(" "):
        yield text
        return
    line = ""
    for word in text.split():
        if line and len(line) + 1 + len(word) > width - len(indent):
            yield indent + line
            line = word
        else:
            line = f"{line} {word}" if line else word
    yield indent + line if line else ""


def _table(rows: Rows, width: int, least: int) -> str:
    fitting = [len(name) for name, _ in rows if len(name) <= _COLUMN]
    column = max(*fitting, least, 0) + 2 if fitting else _COLUMN + 2
    lines = []
    for name, said in rows:
        texts = list(_wrapped(said, max(width - column - 2, _NARROWEST // 2)))
        if len(name) > _COLUMN:
            lines.append(f"  {name}")
        else:
            lines.append(f"  {name:<{column}}{texts.pop(0)}".rstrip())
        lines += [f"  {'':<{column}}{text}" for text in texts]
    return "\n".join(lines)


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" if line else "" for line in text.strip("\n").split("\n"))


def _heading(title: str) -> str:
    return f"{_BOLD}{title}:{_PLAIN}" if wanted(sys.argv, sys.stdout) else f"{title}:"


def _width() -> int:
    if os.environ.get("COLUMNS", "").isdecimal():
        width = int(os.environ["COLUMNS"])
    elif sys.stdout.isatty():
        width = os.get_terminal_size(sys.stdout.fileno()).columns
    else:
        width = _WIDEST
    return max(_NARROWEST, min(width or _WIDEST, _WIDEST))


_PLACEHOLDERS = {
    "int": "N",
    "int32": "N",
    "duration": "DURATION",
    "go-duration": "DURATION",
    "slice": "LIST",
    "levels": "FILE=N",
}
_OPTIONS = "'kctl options' lists the flags that every command has."


def _more(title: str) -> str:
    """In kubectl's words: scripts look for them."""
    return f'Use "{title} <command> --help" for more information about a given command.'


def help_text(command: Command, title: str) -> str:
    parent = title.rpartition(" ")[0]
    usage = f"{parent} {command.usage}"
    shown = [flag for flag in command.flags if not flag.hidden]
    if shown and "[options]" not in usage and "[flags]" not in usage:
        usage += " [flags]"
    sections = [Section("Usage", lines=usage)]
    if command.aliases:
        sections.append(Section("Also called", lines=", ".join(command.aliases)))
    if command.examples:
        sections.append(Section("Examples", lines=command.examples))
    if command.commands:
        sections.append(Section("Available Commands", [(one.name, one.summary) for one in command.commands]))
    if shown:
        sections.append(Section("Flags", flag_rows(shown)))
    about = command.description or f"{command.summary.rstrip('.')}."
    footer = f"{_more(title)}\n\n{_OPTIONS}" if command.commands else _OPTIONS
    return render(Page(about, sections, footer))


def options_text(flags: Iterable[Flag]) -> str:
    """What `kctl options` shows."""
    shown = [flag for flag in flags if not flag.hidden]
    codes = [(str(code), meaning) for code, meaning in EXIT_CODES]
    return render(
        Page(
            "Every command has these flags, before or after its name.",
            (Section("Flags", flag_rows(shown)), Section("Exit codes with --error-format=json", codes)),
            "Without it every error is a 1, as kubectl has it; commands with codes of their own (diff, plugins, exec) "
            "keep them.",
        )
    )


def flag_rows(flags: Iterable[Flag]) -> Rows:
    """By name, letters first."""
    return [(_name(flag), _said(flag)) for flag in sorted(flags, key=lambda flag: flag.name)]


def _name(flag: Flag) -> str:
    short = f"-{flag.short}, " if flag.short else "    "
    if flag.kind == "switch":
        return f"{short}--{flag.name}"
    value = _PLACEHOLDERS.get(flag.kind, "TEXT")
    return f"{short}--{flag.name}[={value}]" if flag.bare else f"{short}--{flag.name} {value}"


def _said(flag: Flag) -> str:
    default = _default(flag)
    return f"{flag.usage} (default {default})" if default else flag.usage


def _default(flag: Flag) -> str:
    """What is worth telling: nothing, no and none are what one expects."""
    value: Any = flag.default
    if isinstance(value, bool):
        return "true" if value else ""
    if isinstance(value, (list, tuple)):
        return ",".join(map(str, value))
    if flag.kind in ("duration", "go-duration"):
        return _duration(float(value)) if value else ""
    return "" if value in ("", 0, None) else str(value)


def _duration(seconds: float) -> str:
    whole = int(seconds)
    if seconds != whole or whole % 60:
        return f"{seconds:g}s"
    return f"{whole // 3600}h" if not whole % 3600 else f"{whole // 60}m"


def own_help(command: Any, program: str, arguments: Sequence[str], *, takes_command: bool = False) -> str:
    """Of the command that the arguments name. One that `takes_command` runs what stands behind `--`."""
    for word in arguments:
        inner = getattr(command, "commands", {}).get(word)
        if inner is None:
            break
        command, program = inner, f"{program} {word}"
    about, _, examples = (command.help or "").partition("Examples:")
    sections = [Section("Usage", lines=_usage(command, program) + (" [-- COMMAND ...]" if takes_command else ""))]
    if examples.strip():
        sections.append(Section("Examples", lines=_dedented(examples)))
    if subcommands := getattr(command, "commands", {}):
        rows = [(name, one.get_short_help_str(200)) for name, one in subcommands.items()]
        sections.append(Section("Available Commands", rows))
    shown = [one for one in command.params if one.param_type_name == "option" and not one.hidden]
    if shown:
        sections.append(
            Section("Flags", [(_option_name(one), _option_usage(one)) for one in sorted(shown, key=_order)])
        )
    footer = _more(program) if subcommands else ""
    return render(Page(about.replace("\b", "").strip(), sections, footer))


def _usage(command: Any, program: str) -> str:
    if getattr(command, "commands", None):
        return f"{program} COMMAND"
    arguments = [one.make_metavar() for one in command.params if one.param_type_name == "argument"]
    return " ".join((program, *arguments, "[flags]"))


def _dedented(text: str) -> str:
    """One example from the next is told by an empty line."""
    found: list[str] = []
    for line in (line.strip() for line in text.strip("\n").split("\n")):
        if line.startswith("#") and found and found[-1]:
            found.append("")
        found.append(line)
    return "\n".join(found).replace("\n\n\n", "\n\n")


def _order(option: Any) -> str:
    return str(max(option.opts, key=len)).lstrip("-")


def _option_name(option: Any) -> str:
    long = max(option.opts, key=len)
    short = next((f"{one}, " for one in option.opts if not one.startswith("--")), "    ")
    if option.is_flag:
        return f"{short}{long}"
    return f"{short}{long} {option.metavar or ('N' if option.type.name == 'integer' else 'TEXT')}"


def _option_usage(option: Any) -> str:
    said = option.help or ""
    if option.show_default and option.default not in (None, "", False, (), []):
        value = ",".join(map(str, option.default)) if isinstance(option.default, list | tuple) else option.default
        said = f"{said} (default {value})"
    return f"{said} (repeatable)" if option.multiple else said


_EXAMPLES = """\
# Start a control plane in the background, use it, stop it
kctl up -d
kctl create deployment web --image=nginx
kctl get everything
kctl down

# What is in a cluster, and what is it made of?
kctl get pods --all-namespaces
kctl explain pod.spec.containers

# Apply a directory of manifests, having seen what would change
kctl diff -f manifests/
kctl apply -f manifests/"""

_VERB_COLUMN = max(len(verb.name) for group in GROUPS for verb in group.verbs)


def root_help() -> str:
    sections = [Section("Usage", lines="kctl COMMAND [flags]"), Section("Examples", lines=_EXAMPLES)]
    sections += [
        Section(
            group.title, [(verb.name, verb.summary) for verb in group.verbs if not verb.hidden], column=_VERB_COLUMN
        )
        for group in GROUPS
        if group.verbs
    ]
    if plugins := _plugins():
        sections.append(Section("Plugins", sorted(plugins.items()), column=_VERB_COLUMN))
    return render(
        Page(
            "kctl controls a Kubernetes API, and starts one on this machine.",
            sections,
            f"{_more(program.name())}\n\n{_OPTIONS}",
        )
    )


def _plugins() -> dict[str, str]:
    """Verb and program; the first on the PATH counts."""
    found: dict[str, str] = {}
    own = {verb.name for group in GROUPS for verb in group.verbs}
    for path in on_path()[0]:
        words = path.rpartition("/")[2].split("-")[1:]
        if words[0] not in own:
            found.setdefault(" ".join(words).replace("_", "-"), path)
    return found
