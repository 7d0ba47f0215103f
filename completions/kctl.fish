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
