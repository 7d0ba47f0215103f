# fish completion for kctl
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
