"""Getting an etcd into our own cache, checked against a sum that is written down here.

`installer` is the whole story; `releases` holds the pinned sums, `download` fetches, and `debian` with
`apt_sources` is the way around where etcd's own releases can't be reached. Called by `kctl etcd install` only.
It never needs root, never changes the system, and never runs what it has not checked.

Beside these:

    errors    why no etcd was installed
"""
