"""The one composition root: options in, running parts out. Only this package builds things, in the order in which they
stand: a home, a kernel in it, a cluster's parts on the kernel, a server around all of it.

- `storage`        a store, the cache over it, and what keeps them: lock, high-water mark, compaction
- `home`           storage and the directory of keys beside it, claimed for one server
- `identity`       what a cluster is known by, where several servers have one: keys in the store, and what they agree on
- `kernel`         the installed resources on that storage, look-ups, clients without a socket (`in_process`)
- `control_plane`  a cluster's parts on a kernel: built-in kinds, custom resources, the aggregator, access
- `preparations`, `life`   its post-start hooks; its controllers, scheduler and simulated nodes
- `election`       which of several servers lets those act
- `server`         who is let in, discovery, filters, the socket: what `localplane.library` runs on declared groups
- `cluster`        all of it together: what `kctl up` runs
- `offline`        kinds and admission without all that: what `kctl validate` asks
- `options`        what may be said about all of it, with its flags
- `credentials`, `kubeconfig`   who is let in, and the file with which a client finds a server
- `doctor`, `etcd_repair`       stored objects that nobody can use; room in an etcd that is full

The command line and `localplane.library` call it, each only the part that it needs: a server costs more to import than
storage, so `cluster` imports `control_plane`, and nearly everything with it, while the store starts.

Beside these:

    archives    what snapshots need to know of the servers that are put together here
    outside     who outside of this process is asked whose a token is and who may do what: webhooks, an OpenID provider
    slumber     how long controllers may sleep in a branch
"""
