"""A plane under a steady load for minutes: what it holds afterwards is what it held before.

    python -m tests.soak --minutes 6 --store etcd

Twelve clients make, change and delete pods as fast as a rate allows, never more than 120 of them alive; twelve watch
all of it. Memory, descriptors, threads and tasks of the server are looked at all the while. It fails for an event that
a watcher missed, for memory that goes on growing or grows too large, and for whatever is left when everybody has gone.
"""
