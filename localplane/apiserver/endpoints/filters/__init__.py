"""What every request passes before it is handled, one file each; `server/chain` has their order.

`plane_time`, `transport`, `shutdown`, `recover`, `request_info`, `deadline`, `authentication`, `audit`,
`impersonation`, `flow_control`, `authorization`, `faults`: each is a function that takes what it needs and returns a
Filter. The other modules are what they are made of, and `warning_headers`, which the edge calls when it writes an
answer.

The server builds the chain. A filter never reads a body, and never knows which kind a resource is.

Beside these:

    hidden_headers         taking headers from a request once they have been understood
    impersonation_modes    ways in which somebody may be allowed to act as somebody else
    plain_text             answers from before anything is known of the request: text, as Go's http.Error writes it
    response_headers       what every answer carries: how to cache it
    striking               what happens to a request that a rule strikes: it is answered wrongly, late or not at all
"""

from .audit import audit
from .authentication import authentication
from .authorization import authorization
from .deadline import deadline
from .faults import faults
from .flow_control import flow_control
from .impersonation import impersonation
from .long_running import is_long_running
from .plane_time import plane_time
from .recover import recover
from .request_info import request_info
from .shutdown import Shutdown, shutdown
from .transport import transport
from .unfinished_writes import UnfinishedWrites
from .warning_headers import warning_headers

__all__ = [
    "Shutdown",
    "UnfinishedWrites",
    "audit",
    "authentication",
    "authorization",
    "deadline",
    "faults",
    "flow_control",
    "impersonation",
    "is_long_running",
    "plane_time",
    "recover",
    "request_info",
    "shutdown",
    "transport",
    "warning_headers",
]
