"""Changing objects in an editor: `kctl edit`, `apply edit-last-applied`, `create --edit`.

    loop      show, let edit, read, try; and again with what was wrong above it
    outcome   what was wrong                comments   what a file says apart from them
    editor    which program, and running it
    patching, last_applied, creating   the three things that may be done with what comes back

Kubernetes: kubectl/pkg/cmd/util/editor.
"""
