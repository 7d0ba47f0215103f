"""Priority levels and flow schemas: who waits for whom when there is much to do. The server's list of groups calls
this; nothing here queues a request.

    mandatory    objects that are always there, and whose specs nobody may change
    rules        the rules of a flow schema: whose requests it is about, and which of them
    status       what the server says of flow schemas and of priority levels: conditions, each of a type of its own
"""

from __future__ import annotations

from .flow_schemas import FLOW_SCHEMAS
from .priority_levels import PRIORITY_LEVEL_CONFIGURATIONS

RESOURCES = (FLOW_SCHEMAS, PRIORITY_LEVEL_CONFIGURATIONS)
