"""Storage: objects under keys, with history. The registry calls it; it calls nothing above it.

Read it in this order:

- `interface`   what the registry sees: Kubernetes' storage.Interface, one per resource
- `backend`     what a store must be able to do; `etcd`, `sqlite` and `memory` do it
- `objects`     how an object becomes stored bytes, and stored bytes an answer, without being decoded
- `store`       the interface on a bare backend
- `cacher`      the interface on a cache of the whole registry, fed by one watch; what a server uses
- `compaction`, `data_directory`, `high_water`   what keeps the data small, owned and never older than it was

Nothing here knows a kind, a selector's syntax or HTTP.

Beside these:

    archive         taking snapshots of a registry, and putting it back to one
    continuation    continue tokens: where the next page of a list begins, and at which revision
    encryption      values encrypted at rest, in Kubernetes' own form
    errors          everything that storage can say no with
    outage          a store that can't be reached for a while, because somebody wants to see what happens then
    permission      who may write only for as long as it leads
    renumbered      a store whose revisions are counted from a higher number than its own
    snapshot        a snapshot: everything that is stored below a registry's root at one revision, as one portable file
"""
