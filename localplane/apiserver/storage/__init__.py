"""Storage: objects under keys, with history. The registry calls it; it calls nothing above it.

Read it in this order:

- `interface`   what the registry sees: Kubernetes' storage.Interface, one per resource
- `backend`     what a store must be able to do; `etcd`, `sqlite` and `memory` do it
- `objects`     how an object becomes stored bytes, and stored bytes an answer, without being decoded
- `store`       the interface on a bare backend
- `cacher`      the interface on a cache of the whole registry, fed by one watch; what a server uses
- `compaction`, `data_directory`, `high_water`   what keeps the data small, owned and never older than it was

Nothing here knows a kind, a selector's syntax or HTTP.
"""
