"""What stands below a pod's path beside its status: who binds, evicts, resizes, enters it or reads its log.

`resource` puts them together. Where a node would have to answer, there is none to be asked here: the answers are those
that Kubernetes gives before it connects, and one that says so.

Beside these:

    binding        binding: a pod gets its node
    budgets        disruption budgets as an eviction sees them
    connections    what connecting to a pod has in common: its container, and the node that runs it
    eviction       eviction: a deletion that asks the budget for disruptions first
    proxy          a pod's own HTTP server, reached through ours
    resize         what a resize may change
    spec_parts     subresources that change one part of a pod's spec: ephemeral containers, and the sizes of all others
    streams        exec, attach and portforward
"""
