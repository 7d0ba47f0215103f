"""The server of the built-in kinds: what a fresh cluster has, what admission it has, how its tokens are made.

The kinds themselves are the catalogue's. `compose` calls this; nothing in here opens a socket or reads a flag.

Beside these:

    bootstrap/          what a fresh cluster has: namespaces, its own service, priority classes
    node_authorizer/    what kubelets may do: read and write what belongs to their own node and to the pods on it
    node_identity       which node somebody is
    rbac/               role-based access: what roles and their bindings allow
    upkeep/             what kube-apiserver itself keeps up while it runs, whatever controllers there are
"""
