"""A pod's life on a simulated node. Everything here is a function of the pod, of what is remembered, and of the time.

step          the next step of a whole pod: what the kubelet calls
life          what becomes of one container
containers conditions resize              the parts of its status, as a kubelet words them
behaviour commands scripts environment    how a container behaves, and what its command would do
requirements node_view memory             what a pod needs, finds, is remembered by, and has told about it

    admission    whether a node takes a pod that was bound to it, by the scheduler or past it
"""
