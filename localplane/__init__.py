"""localplane: a Kubernetes-compatible API server, and the library to build one.

This file is imported by every command, so it holds the version and nothing else.

    library, testing                  to build a server of your own; to test against a whole cluster
    cli, compose, instruments         the commands of a plane, what puts it together, what shows it from outside
    servers, catalog, apiserver       the servers, the built-in kinds, the generic library
    controllers, scheduler, nodes     the life in a cluster
    client, tls, apis, apimachinery   what a client needs, down to the vocabulary
    files, temporary                  files that are written whole; directories that go also after a kill
"""

__version__ = "0.1.0"
