"""Priority levels and flow schemas: who waits for whom when there is much to do. The server's list of groups calls
this; nothing here queues a request."""

from __future__ import annotations

from .flow_schemas import FLOW_SCHEMAS
from .priority_levels import PRIORITY_LEVEL_CONFIGURATIONS

RESOURCES = (FLOW_SCHEMAS, PRIORITY_LEVEL_CONFIGURATIONS)
