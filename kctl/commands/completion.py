"""`kctl completion SHELL`: a script that completes kctl's command lines. Kubernetes: kubectl/pkg/cmd/completion."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kctl.command import Command
from kctl.errors import UsageError

if TYPE_CHECKING:
    from kctl.flags import Given
    from kctl.session import Session

_ASKED = "__words"
"""What the scripts say to be told what may come next."""


async def run(session: Session, given: Given) -> None:
    from kctl.completion.scripts import SCRIPTS

    words = given.arguments
    if words[:1] == [_ASKED]:
        await _answer(session, words[1:])
        return
    hint = f"See '{session.command} -h' for help and examples"
    if not words:
        raise UsageError("Shell not specified.", hint=hint)
    if len(words) > 1:
        raise UsageError("Too many arguments. Expected only the shell type.", hint=hint)
    if words[0] not in SCRIPTS:
        from localplane.apimachinery.gotext import go_quote

        raise UsageError(f"Unsupported shell type {go_quote(words[0])}.", hint=hint)
    session.write(SCRIPTS[words[0]])


async def _answer(session: Session, words: list[str]) -> None:
    from kctl.completion.candidates import candidates
    from kctl.flags import parse
    from kctl.global_flags import GLOBAL_FLAGS
    from kctl.session import Session as Other

    found = await candidates(Other(parse(_global_words(words), GLOBAL_FLAGS), command=session.command), words)
    session.write("".join(f"{word}\n" for word in found.words) + (":files\n" if found.files else ":\n"))


def _global_words(words: list[str]) -> list[str]:
    """Flags of the line that say which cluster and namespace: names are completed where the command would go."""
    from kctl.global_flags import GLOBAL_FLAGS

    takes = {f"--{flag.name}" for flag in GLOBAL_FLAGS if not flag.bare} | {"-n", "-s"}
    kept: list[str] = []
    rest = words[:-1]
    while rest:
        word = rest.pop(0)
        name = word.partition("=")[0]
        if name not in takes:
            continue
        if "=" in word:
            kept.append(word)
        elif rest:
            kept += [word, rest.pop(0)]
    return kept


COMMAND = Command(
    "completion",
    "completion SHELL",
    "Output shell completion code for the specified shell (bash, zsh, fish, or powershell)",
    run=run,
    description="""\
Output shell completion code for the specified shell (bash, zsh, fish, or powershell). The shell code must be
evaluated to provide interactive completion of kctl commands. This can be done by sourcing it from the
.bash_profile.""",
    examples="""\
# Load the kctl completion code for bash into the current shell
source <(kctl completion bash)

# Write bash completion code to a file and source it from .bash_profile
kctl completion bash > ~/.kube/completion.bash.inc

# Load the kctl completion code for zsh into the current shell
source <(kctl completion zsh)

# Load the kctl completion code for fish into the current shell
kctl completion fish | source

# Load the kctl completion code for powershell into the current shell
kctl completion powershell | Out-String | Invoke-Expression""",
)
