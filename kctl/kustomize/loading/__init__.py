"""From a directory or an address to a kustomization that has been read and checked.

    loader         files, from below a directory or from an HTTP server    repositories  git
    kustomization  the file that everything begins with                    shapes        the fields that such files have
    decoder        values into these shapes, refused in Go's words

Nothing here knows what is in the files that a kustomization names.
"""
