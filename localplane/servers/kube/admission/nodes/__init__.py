"""Admission plugins about nodes.

    node_restriction   what a kubelet may change; node_requests says what it asks for
    node_requests      the requests of kubelets, one by one
    node_taint         new nodes are not ready

`selection` puts them in order; nobody else calls them.
"""
