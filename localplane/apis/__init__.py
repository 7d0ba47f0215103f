"""The built-in types of Kubernetes' API: facts about them, in one table, and views of it.

    TYPES            the table: `types/`, a file for each Go package; `localplane.apimachinery.api_types` reads it, and
                     has meta/v1 beside it
    descriptions     what fields mean, for OpenAPI documents

Both halves ask here: the server makes its schemas of it, the command line writes typed objects with it when no server
is there to ask. Nothing here does I/O but for reading the table, a package at a time, and nothing knows a server.
"""

import os
from typing import Final

from localplane.apimachinery.api_types import TypeTable

DIRECTORY: Final = os.path.join(os.path.dirname(__file__), "types")  # noqa: PTH118, PTH120 - as in api_types
TYPES: Final = TypeTable(DIRECTORY)
