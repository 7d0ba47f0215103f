"""What controllers take their keys from, and what keeps them running. Kubernetes: client-go/util/workqueue.

    queue           WorkQueue: every key once, by one worker at a time
    rate_limiters   pauses that grow, for an item and for all
    supervision     faults that stay where they happened; what is started again; what runs as long as a block

Controllers, informers and the composition root call it. It knows no server and no object.
"""
