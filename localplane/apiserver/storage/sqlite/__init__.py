"""The embedded store: one SQLite file that behaves as a single etcd member does.

`backend` is the door (`SQLiteBackend`), opened by the composition root where no etcd is wanted or found. Behind it:
`schema` opens, checks and creates the file; `writer` is the one thread that writes, `group` what it does to many
writes at once, and `replacement` how everything is replaced at once; `reader` holds every question that does not write;
`feed` and `watch` carry changes to those who watch; `expiry` deletes what has outlived its ttl; `compaction` forgets
history.

An acknowledged write is on the disk: the log is synced before anyone hears of it. The file belongs to one process
at a time. Nothing here knows what an object is, deletes a file, or repairs one: what can't be trusted is refused.

Beside these:

    errors    SQLite's error codes in storage's own words
"""
