"""Copies of collections that keep themselves current. Kubernetes: client-go/tools/cache and informers.

    list_watch   a collection of the server: how it is listed, how it is watched
    reflector    lists and watches, for ever, and passes on what it hears
    delta_fifo   what has happened to which object, until somebody takes it
    indexer      the objects, by key and by whatever else; Lister reads them
    handlers     what hears of changes, each from a queue of its own
    informer     all of these together
    factory      one informer per resource, shared by all who ask

Controllers, the scheduler and library users call it. It never writes to a server, and whoever reads from it must not
change what they are given.
"""
