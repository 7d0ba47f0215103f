"""What the scheduler knows of the cluster, summed up so that a pod's place is found without reading objects again.

    amounts          what pods ask for
    affinity_terms   what pods say about other pods
    pod_info         one pod, understood once
    node_info        one node and the sum of the pods on it
    tallies          how many pods of a kind each node has
    cluster          all of it, kept current as pods and nodes come and go

Handlers of informers change it, the plugins read it. Nothing here asks the server.
"""
