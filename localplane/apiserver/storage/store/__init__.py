"""Kubernetes' storage.Interface on a bare backend: every call is a call to the store.

The cacher writes through this and falls back on it; tests hold both to one contract. One file per theme: `reads`,
`writes`, `watching`. It keeps no state but its collaborators.
"""

from .store import Store

__all__ = ["Store"]
