"""Kubernetes' storage.Interface on a bare backend: every call is a call to the store.

The cacher writes through this and falls back on it; tests hold both to one contract. One file per theme: `reads`,
`writes`, `watch`. It keeps no state but its collaborators, and `certain_writes` what is on its way to the store.
"""

from .certain_writes import CertainWrites
from .store import Store

__all__ = ["CertainWrites", "Store"]
