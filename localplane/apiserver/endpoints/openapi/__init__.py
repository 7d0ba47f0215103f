"""What the server's objects look like and what can be done to them, for kubectl, generators and validators.

- `handler`      `OpenAPI`, which answers /openapi/v2, /openapi/v3 and what is below
- `documents`    a whole document; `paths`, `operations`, `parameters`, `definitions` are its parts
- `roots`        what is documented beside group versions: discovery, the version, keys
- `swagger`      from the new words to those of /openapi/v2
- `meta_types`, `answer_types`   what all groups share, written in `words`
- `descriptions` words for types that bring none along
- `names`        what operations and definitions are called
- `gnostic`      /openapi/v2 as protobuf

The dispatcher calls `OpenAPI.handle`; an installer calls `OpenAPI.changed` when groups come or go. All of it is made
from discovery's model and the schemas in there, and never looks at storage or handlers.
"""

from .descriptions import Descriptions
from .handler import OpenAPI
from .roots import BESIDE_GROUPS

__all__ = ["BESIDE_GROUPS", "Descriptions", "OpenAPI"]
