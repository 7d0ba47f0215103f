"""Making objects be what files say: `kctl apply`, and what `diff`, `create --save-config` and `replace` share with it.

    last_applied   the annotation in which a client remembers what it applied
    schemas        which lists merge by which key, from the server's documents
    merging        a patch out of what was applied, what is applied and what is there
    patcher        sending it, until nobody has changed the object in between
    client_side    one object, three ways        server_side    one object, merged by the server
    batch          all of them, in an order that works    pruning, apply_set   what is no longer there

The verbs call these; nothing here reads the command line beyond the flags that it is handed.
Kubernetes: kubectl/pkg/cmd/apply.
"""
