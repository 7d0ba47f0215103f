"""Scripts for bash, zsh, fish and PowerShell: they ask kctl, and show what it answers.

Every answer is a line for each candidate, with a tab before its description; the last line is `:files` where a file's
name may follow, and `:` otherwise.
"""

from __future__ import annotations

_BASH = """\
# bash completion for kctl
_kctl() {
    local current="${COMP_WORDS[COMP_CWORD]}" line last=""
    local -a words=("${COMP_WORDS[@]:1:COMP_CWORD-1}")
    COMPREPLY=()
    while IFS= read -r line; do
        last="$line"
        [[ "$line" == :* ]] && continue
        COMPREPLY+=("${line%%$'\\t'*}")
    done < <(kctl completion __words -- "${words[@]}" "$current" 2>/dev/null)
    if [[ "$last" == ":files" ]]; then
        compopt -o filenames 2>/dev/null
        mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$current")
    fi
    [[ "${COMPREPLY[0]}" == */ || "${COMPREPLY[0]}" == *= ]] && compopt -o nospace 2>/dev/null
    return 0
}
complete -F _kctl kctl
"""

_ZSH = """\
#compdef kctl
# zsh completion for kctl
_kctl() {
    local line last=""
    local -a found
    while IFS= read -r line; do
        last="$line"
        [[ "$line" == :* ]] && continue
        local name="${line%%$'\\t'*}" about=""
        [[ "$line" == *$'\\t'* ]] && about="${line#*$'\\t'}"
        found+=("${name//:/\\\\:}${about:+:$about}")
    done < <(kctl completion __words -- "${(@)words[2,CURRENT]}" 2>/dev/null)
    (( ${#found} )) && _describe 'kctl' found
    [[ "$last" == ":files" ]] && _files
    return 0
}
if [ "$funcstack[1]" = "_kctl" ]; then
    _kctl "$@"
else
    compdef _kctl kctl
fi
"""

_FISH = """\
# fish completion for kctl
function __kctl_candidates
    set -l words (commandline -opc) (commandline -ct)
    set -l answer (kctl completion __words -- $words[2..-1] 2>/dev/null)
    test (count $answer) -gt 0; or return
    for line in $answer[1..-2]
        echo $line
    end
    test "$answer[-1]" = ":files"; and __fish_complete_path (commandline -ct)
end
complete -c kctl -f -a '(__kctl_candidates)'
"""

_POWERSHELL = """\
# PowerShell completion for kctl
Register-ArgumentCompleter -Native -CommandName 'kctl' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object { "$_" })
    if ("$wordToComplete" -eq '') { $words += '""' }
    $answer = @(& kctl completion __words '--' @words 2>$null)
    foreach ($line in $answer) {
        if ($line.StartsWith(':')) { continue }
        $parts = $line -split "`t", 2
        $about = if ($parts.Count -gt 1) { $parts[1] } else { $parts[0] }
        [System.Management.Automation.CompletionResult]::new($parts[0], $parts[0], 'ParameterValue', $about)
    }
}
"""

SCRIPTS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH, "powershell": _POWERSHELL}
FILES = {"bash": "kctl.bash", "zsh": "_kctl", "fish": "kctl.fish", "powershell": "kctl.ps1"}
"""What each is called in `completions/`."""
