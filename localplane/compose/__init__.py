"""The one composition root: options in, running parts out. Only this package builds things.

- `storage`   a store, the cache over it, and what keeps them: lock, high-water mark, compaction
- `server`    declared groups on that storage, behind the whole chain of filters: what `localplane.library` runs
- `kubeconfig`, `admin_token`   the file with which a client finds such a server, and who he is there

The command line and `localplane.library` call it, each only the part that it needs: a server costs more to import than
storage.
"""
