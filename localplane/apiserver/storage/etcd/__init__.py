"""The backend on etcd, and everything about etcd as a program: which binary, how to get one, how to run it.

    backend                     what a store must be able to do, on etcd
    watch, leases               its events; keys that expire
    fence, registration         what was sent and is late can't take effect; which servers run on a prefix
    replacement                 other content in the place of everything, all or nothing
    space                       what is done when etcd is full
    client/                     etcd's v3 API over HTTP/2
    program/                    which etcd, how to get one, how to run it

Called by the composition root, and by `kctl etcd` for the binary alone.
Nothing here knows what a Kubernetes object is: keys are text, values are bytes.
"""
