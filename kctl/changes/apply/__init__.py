"""Making objects be what files say: `kctl apply`, and what `diff`, `create --save-config` and `replace` share with it.

    options        what the flags ask for, checked        application    the whole of an apply
    client_side    one object, three ways                 server_side    one object, merged by the server
    merge          a patch out of what was applied, what is applied and what is there
    schemas        which lists merge by which key, from the server's documents
    batch          all objects, in an order that works    prune, apply_set   what is no longer there
    last_applied   the annotation in which a client remembers what it applied
    annotation_verbs   the commands that show and set it  migration      from that annotation to server-side apply
    diff           what an apply would change             rerun          apply --watch
    past           what changed between two moments of a plane

The verbs call these; nothing here reads the command line beyond the flags that it is handed.
Kubernetes: kubectl/pkg/cmd/apply.
"""
