"""What nodes and pods use, as metrics.k8s.io tells it: for `kctl top`.

    top_node, top_pod     the two commands
    asking                the requests, in whichever version and encoding the server has
    messages              metrics that come as protobuf
    rows                  the tables, their order, the sum below them

Only `kctl top` calls it. Nothing here measures anything: a metrics server does.
"""
