# bash completion for kctl
_kctl() {
    local current="${COMP_WORDS[COMP_CWORD]}" line last=""
    local -a words=("${COMP_WORDS[@]:1:COMP_CWORD-1}")
    COMPREPLY=()
    while IFS= read -r line; do
        last="$line"
        [[ "$line" == :* ]] && continue
        COMPREPLY+=("${line%%$'\t'*}")
    done < <(kctl completion __words -- "${words[@]}" "$current" 2>/dev/null)
    if [[ "$last" == ":files" ]]; then
        compopt -o filenames 2>/dev/null
        mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$current")
    fi
    [[ "${COMPREPLY[0]}" == */ || "${COMPREPLY[0]}" == *= ]] && compopt -o nospace 2>/dev/null
    return 0
}
complete -F _kctl kctl
