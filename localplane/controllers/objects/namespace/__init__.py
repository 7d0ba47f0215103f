"""The namespace controller: a namespace that is being deleted is emptied, and let go when nothing is left in it.

    conditions  what the namespace says about it     content  deleting one kind of object
    deletion    one attempt at all of it
    controller  which namespace, and when: again once what is left has gone

Nobody sleeps where something can be waited for: a deletion is taken up when it is seen, and again at the moment when
the last object that was in its way is gone. Kubernetes: pkg/controller/namespace.
"""

from __future__ import annotations

from .controller import start

__all__ = ["start"]
