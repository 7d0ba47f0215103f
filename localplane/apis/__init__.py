"""The built-in types of Kubernetes' API: facts about them, in one table, and views of it.

    table            TYPES: `types/`, a file for each Go package, and meta/v1, which is apimachinery's;
                     `localplane.apimachinery.api_types` tells the notation and reads it
    scheme           which groups a client has Go types for
    encoding         an object as Go writes it: fields in order, empty ones left out, others filled in
    patch_nodes      how lists merge, for strategic patches that are made or applied without a server
    descriptions     what fields mean, for OpenAPI documents
    amounts          a ResourceList: quantities by name, added and compared
    pod_resources    what a pod asks for in all, and what it may use at most

Both halves ask here: the server makes its schemas of the table, the command line writes typed objects with it. Nothing
here does I/O but for reading the table, a package at a time, and nothing knows a server.
"""
