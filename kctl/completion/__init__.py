"""What may come next on a command line: `kctl __complete WORD... CURRENT`, which the shells' scripts ask.

    answer       the protocol: a line for each candidate, then what the shell should do with them
    line         from words to what is being completed: a verb, a flag, a flag's value, an argument
    tree         the verbs and their flags, as completion sees them
    arguments    what a verb takes
    values       what a flag takes, and what an offer is
    live         what only a server or a kubeconfig knows; in time or not at all
    outsiders    plugins, and the programs that complete for them
    scripts      the four shells' scripts; `completions/` holds them as they are generated

Nothing here fails: a completion that can't be had offers nothing, and says why on stderr, where shells don't look.
Kubernetes: kubectl/pkg/util/completion; the protocol is cobra's.
"""
