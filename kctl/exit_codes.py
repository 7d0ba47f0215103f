"""Exit codes that tell errors apart, for those who ask for it with --error-format=json.

kubectl ends with 1 whatever went wrong, and scripts count on that, so these are only given to those who ask.
"""

from __future__ import annotations

from localplane.apimachinery.light_typing import Final

FAILED: Final = 1
USAGE: Final = 2
UNREACHABLE: Final = 8

EXIT_CODES: Final = (
    (1, "Anything else."),
    (USAGE, "The command line is wrong: a flag, a command or an argument that there is not."),
    (3, "NotFound: no such object, or no such type."),
    (4, "Conflict or AlreadyExists: somebody was faster."),
    (5, "Unauthorized or Forbidden."),
    (6, "Invalid or BadRequest: the server understood, and refused."),
    (7, "Timeout: of the request, of the server, or of what was waited for."),
    (UNREACHABLE, "The server can't be reached: refused, no such host, no trust in its certificate."),
    (9, "The server has a problem: TooManyRequests, ServiceUnavailable, InternalError."),
)

BY_REASON: Final = {
    "NotFound": 3,
    "Gone": 3,
    "Conflict": 4,
    "AlreadyExists": 4,
    "Unauthorized": 5,
    "Forbidden": 5,
    "Invalid": 6,
    "BadRequest": 6,
    "Timeout": 7,
    "ServerTimeout": 7,
    "TooManyRequests": 9,
    "ServiceUnavailable": 9,
    "InternalError": 9,
}
