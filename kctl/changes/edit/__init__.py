"""Changing objects in an editor: `kctl edit`, `apply edit-last-applied`, `create --edit`.

    loop      show, let edit, read, try; and again with what was wrong above it
    editor    which program, and running it
    patches, last_applied, creation   the three things that may be done with what comes back

Kubernetes: kubectl/pkg/cmd/util/editor.
"""
