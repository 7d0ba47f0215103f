"""What stands below a pod's path beside its status: who binds, evicts, resizes, enters it or reads its log.

`resource` puts them together. Where a node would have to answer, there is none to be asked here: the answers are those
that Kubernetes gives before it connects, and one that says so.
"""
