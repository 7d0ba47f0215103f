"""How many requests are served at once, and to which flow each belongs.

- `in_flight`     counters, and when they say that it is enough
- `flow_schemas`  which FlowSchema a request matches

The flow_control filter calls it. It never waits, and never learns what becomes of a request.
"""

from .flow_schemas import FlowSchemas
from .in_flight import DEFAULT_MUTATING_LIMIT, DEFAULT_READ_LIMIT, Counter, InFlight

__all__ = ["DEFAULT_MUTATING_LIMIT", "DEFAULT_READ_LIMIT", "Counter", "FlowSchemas", "InFlight"]
