"""`kctl completion SHELL`: a script that completes kctl's command lines. Kubernetes: kubectl/pkg/cmd/completion."""

from __future__ import annotations

from kctl.command_line.command import Command
from kctl.command_line.flags import FlagSet
from kctl.completion import scripts
from kctl.errors import UsageError
from kctl.session.session import Session
from localplane.apimachinery.golang.text import go_quote


async def run(session: Session, flags: FlagSet) -> None:
    words = flags.arguments
    hint = f"See '{session.command} -h' for help and examples"
    if not words:
        raise UsageError("Shell not specified.", hint=hint)
    if len(words) > 1:
        raise UsageError("Too many arguments. Expected only the shell type.", hint=hint)
    if words[0] not in scripts.SCRIPTS:
        raise UsageError(f"Unsupported shell type {go_quote(words[0])}.", hint=hint)
    session.write(scripts.script(words[0]))


COMMAND = Command(
    "completion",
    "completion SHELL",
    "Print a script that completes kctl's command lines, for bash, zsh, fish or powershell",
    run=run,
    description="""\
Print a script for your shell that completes what you type: verbs, flags and their values, types, and the names of
objects, namespaces, containers and contexts as they are now. The shell reads it when it starts; examples show how.

A plugin is completed if there is a program called kubectl_complete-NAME (or kctl_complete-NAME) on the PATH.""",
    examples="""\
# bash: for this shell; for all to come
source <(kctl completion bash)
kctl completion bash > ~/.local/share/bash-completion/completions/kctl

# zsh: likewise, where ~/.zfunc is in fpath
source <(kctl completion zsh)
kctl completion zsh > ~/.zfunc/_kctl

# fish
kctl completion fish > ~/.config/fish/completions/kctl.fish

# PowerShell
kctl completion powershell | Out-String | Invoke-Expression

# An alias is completed as well (bash)
alias k=kctl && complete -o default -F _kctl k""",
)
