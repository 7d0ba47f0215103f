"""Admission: the last word on a write, after authorization and before storage.

Mutating plugins run first and may change the object; validating ones see it finished. Handlers call the chain, never a
filter, because on update it needs the live object. Plugins are declared to the server in an explicit order; what they
need from it (a client, informers) they ask for by having an `initialize` method.
"""

from .attributes import Attributes, Operation, Reinvocation
from .chain import AdmissionChain
from .entrances import Entrances
from .plugin import (
    Closing,
    Doorkeeper,
    Dormant,
    Initializer,
    MutatingPlugin,
    Personal,
    Plugin,
    Selective,
    ValidatingPlugin,
)

__all__ = [
    "AdmissionChain",
    "Attributes",
    "Closing",
    "Doorkeeper",
    "Dormant",
    "Entrances",
    "Initializer",
    "MutatingPlugin",
    "Operation",
    "Personal",
    "Plugin",
    "Reinvocation",
    "Selective",
    "ValidatingPlugin",
]
