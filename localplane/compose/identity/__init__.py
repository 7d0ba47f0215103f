"""What a cluster is known by: its authorities, the key that signs tokens, the administrator's token.

- `keys`         all of it as one value: made, renewed, retired; as files in a directory, and as a document
- `agreement`    what all servers of a cluster must be told alike
- `record`       the one key of an etcd cluster that holds keys and agreement, and its compare-and-swap
- `establishing` what a server does at its start: read the record, or make it; refuse what is another cluster's
- `changing`     a renewal, or its end, of a server that runs

`home` calls it for a server on an etcd cluster, so that all servers on a prefix have one identity. A plane with a data
directory of its own keeps its keys there, and only their renewal is from here (`kctl certs`). It never serves anything.
"""
