"""Scripts for bash, zsh, fish and PowerShell: they ask `kctl __complete`, and do what the number at its end says.

2 is no space behind the word, 4 no names of files, 8 only files with these endings, 16 only directories. Candidates for
`--flag=value` come without `--flag=`.
"""

from __future__ import annotations

from kctl import program

_BASH = r"""# bash completion for kctl
_kctl() {
    local line="${COMP_LINE:0:COMP_POINT}" rest part number=0 word
    local -a words=() found=()
    # bash splits words at = and : as well; what no space is between belongs together.
    for part in "${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
        rest="${line#"${line%%[![:space:]]*}"}"
        if [[ ${#words[@]} -gt 0 && "$rest" == "$line" ]]; then
            words[${#words[@]}-1]+="$part"
        else
            words+=("$part")
        fi
        line="${rest:${#part}}"
    done
    local current="${words[${#words[@]}-1]}" typed="${COMP_WORDS[COMP_CWORD]}"
    [[ "$typed" == [=:] ]] && typed=""
    local before="${current%"$typed"}"
    [[ "$current" == -*=* ]] && before="${before#*=}" && current="${current#*=}"
    while IFS= read -r word; do
        [[ "$word" =~ ^:[0-9]+$ ]] && number="${word#:}" && continue
        found+=("$word")
    done < <("${words[0]}" __completeNoDesc "${words[@]:1}" 2>/dev/null)
    COMPREPLY=()
    if (( number & 8 )); then
        local IFS='|'
        local endings="*.@(${found[*]})"
        IFS=$'\n'
        compopt -o filenames 2>/dev/null
        COMPREPLY=($(shopt -s extglob; compgen -f -X "!$endings" -- "$typed"; compgen -d -- "$typed"))
        return 0
    fi
    if (( number & 16 )); then
        local IFS=$'\n'
        compopt -o filenames 2>/dev/null
        COMPREPLY=($(compgen -d -- "$typed"))
        return 0
    fi
    (( number & 4 )) && compopt +o default 2>/dev/null
    (( number & 2 )) && compopt -o nospace 2>/dev/null
    for word in "${found[@]}"; do
        [[ "$word" == "$current"* ]] && COMPREPLY+=("${word#"$before"}")
    done
    return 0
}
complete -o default -F _kctl kctl
"""

_ZSH = r"""#compdef kctl
# zsh completion for kctl
_kctl() {
    local word number=0 prefix="" name about
    local -a found
    while IFS= read -r word; do
        if [[ "$word" == :<-> ]]; then
            number="${word#:}"
            continue
        fi
        name="${word%%$'\t'*}" about=""
        [[ "$word" == *$'\t'* ]] && about="${word#*$'\t'}"
        found+=("${name//:/\\:}${about:+:$about}")
    done < <("${words[1]}" __complete "${(@)words[2,CURRENT]}" 2>/dev/null)
    [[ "${words[CURRENT]}" == -*=* ]] && compset -P '*='
    if (( number & 8 )); then
        local endings="${(j:|:)found}"
        _files -g "*.(${endings})"
        return
    fi
    if (( number & 16 )); then
        _files -/
        return
    fi
    if (( ${#found} )); then
        local -a how
        (( number & 2 )) && how=(-S '')
        _describe 'kctl' found "${how[@]}" && return 0
    fi
    (( number & 4 )) || _files
}
if [ "$funcstack[1]" = "_kctl" ]; then
    _kctl "$@"
else
    compdef _kctl kctl
fi
"""

_FISH = r"""# fish completion for kctl
function __kctl_candidates
    set -l words (commandline -opc) (commandline -ct)
    set -l answer ($words[1] __complete $words[2..-1] 2>/dev/null)
    test (count $answer) -gt 0; or return
    set -l number (string sub -s 2 -- $answer[-1])
    set -l found
    test (count $answer) -gt 1; and set found $answer[1..-2]
    set -l current (commandline -ct)
    set -l prefix (string match -r -- '^-[^=]*=' "$current"; or echo)
    set -l value (string replace -r -- '^-[^=]*=' '' "$current")
    if test (math "bitand($number, 8)") -gt 0
        set -l files
        for ending in $found
            set -l fitting '.*\.'$ending'(?:$|\t.*)|.*/(?:$|\t.*)'
            set -a files (__fish_complete_suffix "$value" .$ending | string match -r -- $fitting)
        end
        for file in $files
            echo $prefix$file
        end
        return
    end
    if test (math "bitand($number, 16)") -gt 0
        for directory in (__fish_complete_directories "$value")
            echo $prefix$directory
        end
        return
    end
    for word in $found
        echo $prefix$word
    end
    test (count $found) -eq 0; and test (math "bitand($number, 4)") -eq 0; and __fish_complete_path $current
end
complete -c kctl -f -a '(__kctl_candidates)'
"""

_POWERSHELL = r"""# PowerShell completion for kctl
Register-ArgumentCompleter -Native -CommandName 'kctl' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object { "$_" })
    if ("$wordToComplete" -eq '') { $words += if ($PSVersionTable.PSVersion -lt [version]'7.3') { '""' } else { '' } }
    $prefix = if ("$wordToComplete" -match '^-[^=]*=') { $Matches[0] } else { '' }
    $number = 0
    $found = @()
    foreach ($line in @(& kctl __complete @words 2>$null)) {
        if ($line -match '^:(\d+)$') { $number = [int]$Matches[1] } else { $found += $line }
    }
    if ($number -band 24) { return }
    $space = if ($number -band 2) { '' } else { ' ' }
    foreach ($line in $found) {
        $parts = $line -split "`t", 2
        $about = if ($parts.Count -gt 1) { $parts[1] } else { $parts[0] }
        $text = "$prefix$($parts[0])"
        [System.Management.Automation.CompletionResult]::new("$text$space", $parts[0], 'ParameterValue', $about)
    }
    if (-not $found -and ($number -band 4)) { '' }
}
"""

_START = """\
__start_kubectl() {
    _kubectl "$@"
}
"""
"""What kubectl's own script calls it: `complete -o default -F __start_kubectl k` stands in many a .bashrc."""


def script(shell: str) -> str:
    """For the name that we were called by."""
    text = SCRIPTS[shell]
    if not program.is_kubectl():
        return text
    return text.replace(program.KCTL, program.KUBECTL) + (_START if shell == "bash" else "")


SCRIPTS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH, "powershell": _POWERSHELL}
FILES = {"bash": "kctl.bash", "zsh": "_kctl", "fish": "kctl.fish", "powershell": "kctl.ps1"}
"""What each is called in `completions/`."""
