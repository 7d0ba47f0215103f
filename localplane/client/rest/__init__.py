"""One server's API: requests, resources, discovery and watches.

    client        one request: retries, warnings, errors
    resources     the verbs of one resource
    names         GroupVersionResource, and its path on the server
    options       what a list or a watch may be told
    paging        a whole collection, in pages
    watch         the events of a stream
    discovery     which resources there are
    mapper        what people call them
    statuses      from an answer to the exception that says it
    json_bodies   JSON on the wire

The command line, informers, controllers and library users call it. It never opens a connection itself: a
Transport does. Kubernetes: client-go/rest, dynamic, discovery and restmapper.
"""
