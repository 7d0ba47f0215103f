"""The garbage collector: who owns whom, among all objects that there are, and what goes when an owner goes.

    references  owners as objects name them            graph      nodes, one for each object that is there or spoken of
    builder     from what is seen to the graph         identities two who mean different things by the same uid
    monitors    one watch for each resource, metadata only, as resources come and go
    objects     what is asked of the server            collector  what is to be deleted, orphaned or let go

    an owner is gone       -> its dependents are deleted, unless another owner is there          (background)
    an owner waits         -> dependents that block it are deleted first, then it is let go      (foreground)
    an owner leaves them   -> dependents forget it, then it is let go                            (orphan)

Nothing is deleted because the graph says so: the object and its owners are asked for first, by name and uid. What is
seen changes the graph at once, so that there is no queue of changes. Kubernetes: pkg/controller/garbagecollector.
"""

from __future__ import annotations

from .controller import start

__all__ = ["start"]
