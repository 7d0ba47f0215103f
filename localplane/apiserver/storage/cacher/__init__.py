"""The cache of the whole registry: what a server reads from.

One watch on the registry's root feeds one ordered log for all resources, so freshness is a single number and a new
resource needs no warm-up. Writes go through to the store; reads and watches are answered here when they can be.

- `cacher`      fills the cache, keeps it filled, and gives each resource its view of it
- `storage`     that view: Kubernetes' storage.Interface
- `index`       the present: every object by key, in order
- `window`      the recent past: every event by revision
- `chronicle`   the same for longer, for people who ask what happened
- `history`     the past before the cache was filled, read from the store
- `freshness`   waiting until the cache has come as far as a reader needs
- `watchers`    the open watches, found by key; dispatch; bookmarks; what happens to slow ones

The registry uses it through `storage.interface` only. It never writes by itself.

Beside these:

    bad_objects    what is stored and is not as it should be
    judgement      everything that somebody else wrote is judged once
"""

from .cacher import Cacher

__all__ = ["Cacher"]
