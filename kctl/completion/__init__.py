"""What may come next on a command line. The shells' scripts ask `kctl completion __words -- WORD... CURRENT`.

    candidates   from words to what fits: verbs, flags, values of flags, types, names
    live         what only a server or a kubeconfig knows; in time or not at all
    scripts      the four shells' scripts; `completions/` holds them as they are generated

Nothing here prints an error: a completion that fails offers nothing.
"""
