"""Controllers of nodes: whether they are alive, and what becomes of the pods of those that are not.

    node_lifecycle/, taint_eviction   taints of nodes that are silent or under pressure; pods that do not tolerate them
    node_ipam, node_ttl               ranges of pods' addresses; how long a kubelet may remember secrets

`controllers.selection` names them. They know a node by its object and its lease only.
"""
