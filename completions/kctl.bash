# bash completion for kctl
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
