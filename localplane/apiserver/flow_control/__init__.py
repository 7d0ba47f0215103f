"""How many requests are served at once: counters, and when they say that it is enough.

The flow_control filter calls it. It never waits and never looks at a request: whoever calls says what it is.
"""

from .in_flight import DEFAULT_MUTATING_LIMIT, DEFAULT_READ_LIMIT, Counter, InFlight

__all__ = ["DEFAULT_MUTATING_LIMIT", "DEFAULT_READ_LIMIT", "Counter", "InFlight"]
