"""The one composition root: options in, running parts out. Only this package builds things, in the order in which they
stand: a home, a kernel in it, a cluster's parts on the kernel, a server around all of it.

- `storage`        a store, the cache over it, and what keeps them: lock, high-water mark, compaction
- `home`           storage and the directory of keys beside it, claimed for one server
- `kernel`         the installed resources on that storage, look-ups, clients without a socket (`in_process`)
- `control_plane`  a cluster's parts on a kernel: built-in kinds, custom resources, the aggregator, access
- `preparations`, `life`   its post-start hooks; its controllers, scheduler and simulated nodes
- `server`         who is let in, discovery, filters, the socket: what `localplane.library` runs on declared groups
- `cluster`        all of it together: what `kctl up` runs
- `kubeconfig`, `admin_token`   the file with which a client finds a server, and who he is there
- `storage_metrics`             what /metrics says about the storage
- `doctor`, `stopped`, `etcd_repair`   stored objects that nobody can use, also of a plane that is down; room in an etcd

The command line and `localplane.library` call it, each only the part that it needs: a server costs more to import than
storage, so `cluster` imports `control_plane`, and nearly everything with it, while the store starts.
"""
