"""What nodes and pods use, as metrics.k8s.io tells it: for `kctl top`.

    node, pod    the two commands
    metrics      the requests, in whichever version and encoding the server has
    rows         the tables, their order, the sum below them

Only `kctl top` calls it. Nothing here measures anything: a metrics server does.
"""
