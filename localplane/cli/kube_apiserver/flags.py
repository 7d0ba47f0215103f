"""The flags of kube-apiserver: those that do something here, those that are taken and have no effect, and those that
are refused because they promise what is not kept here: a test would pass for the wrong reason.

flags.txt has a line for each: its name, pflag's word for what is written, and what it does, or why it does nothing.
Names, kinds and defaults are kube-apiserver's. Kubernetes: cmd/kube-apiserver/app/options, apiserver/pkg/server.
"""

from __future__ import annotations

import os

from localplane.apimachinery.light_typing import NamedTuple

_NO_EFFECT = "no effect"
_REFUSED = "refused"
_WITHOUT_VALUE = ("bool", "version")


class ServerFlag(NamedTuple):
    """`text` is what it does, or why it does nothing, or what to use instead."""

    name: str
    kind: str
    text: str
    section: str

    @property
    def has_effect(self) -> bool:
        return self.section != _NO_EFFECT

    @property
    def is_refused(self) -> bool:
        return self.section == _REFUSED

    @property
    def needs_value(self) -> bool:
        """What needs none is true when it is only named."""
        return self.kind not in _WITHOUT_VALUE


def read_flags() -> dict[str, ServerFlag]:
    """By their names, in the order in which they are listed."""
    found: dict[str, ServerFlag] = {}
    section = ""
    with open(os.path.join(os.path.dirname(__file__), "flags.txt"), encoding="ascii") as table:  # noqa: PTH118, PTH120, PTH123 - pathlib takes longer than all of --help
        for line in table:
            if line.startswith("["):
                section = line.strip()[1:-1]
            elif line.strip():
                name, kind, text = line.strip().split(" ", 2)
                found[name] = ServerFlag(name, kind, text, section)
    return found


def usage() -> str:
    lines = [
        "A Kubernetes API server that takes kube-apiserver's flags, for suites that start one. It has no controllers.",
        "",
        "Usage:",
        "  kube-apiserver [flags]",
    ]
    section = ""
    for flag in read_flags().values():
        if not flag.has_effect or flag.is_refused:
            continue
        if flag.section != section:
            section = flag.section
            lines += ["", f"{section} flags:", ""]
        kind = f" {flag.kind}" if flag.needs_value else ""
        lines += [f"      --{flag.name}{kind}", f"                {flag.text}"]
    lines += [
        "",
        "Flags of kube-apiserver that have no effect here are taken, and a line on standard error says so. Those that",
        "promise what this server can't keep, and those that kube-apiserver does not know, are refused.",
        "",
    ]
    return "\n".join(lines)
