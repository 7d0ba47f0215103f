"""`kctl __complete WORD... CURRENT`, and `__completeNoDesc` for shells that show no descriptions.

The answer is a line for each candidate, with a tab before its description, and at last `:` and a number that says what
the shell should do. The rest is on stderr, for people. Kubernetes: cobra, completions.go, initCompleteCmd.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from kctl.completion import line, outsiders, tree, values
from kctl.errors import KctlError
from kctl.printers.terminal import harmless
from localplane.client.transport.driver import drive

COMMANDS = ("__complete", "__completeNoDesc")
_DESCRIPTIONS = ("KCTL_COMPLETION_DESCRIPTIONS", "COBRA_COMPLETION_DESCRIPTIONS")
_OFF = ("0", "f", "F", "FALSE", "false", "False")


def answer(command: str, words: Sequence[str]) -> int:
    if not words:
        raise KctlError("requires at least 1 arg(s), only received 0")
    offered = drive(lambda: _offer(words))
    if offered.problem:
        sys.stderr.write(f"[Debug] [Error] {offered.problem}\n")
    with_descriptions = command == COMMANDS[0] and _wants_descriptions()
    for word in offered.words:
        shown = word if with_descriptions else word.partition("\t")[0]
        sys.stdout.write(harmless(shown.partition("\n")[0].strip()) + "\n")  # a shell may show it as it is
    sys.stdout.write(f":{offered.directive}\n")
    sys.stdout.flush()
    sys.stderr.write(f"Completion ended with directive: {values.directive_name(offered.directive)}\n")
    return 0


async def _offer(words: Sequence[str]) -> values.Offer:
    if len(words) > 1 and not words[0].startswith("-") and not tree.is_verb(words[0]):
        sys.stderr.write("[Debug] Cleared global flags for plugin completion\n")
        if (offered := await outsiders.offer(words)) is not None:
            return offered
    return await line.offer(words)


def _wants_descriptions() -> bool:
    said = next((os.environ[name] for name in _DESCRIPTIONS if os.environ.get(name)), "")
    return said not in _OFF
