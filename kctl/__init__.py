"""kctl: kubectl's verbs, and the command that starts a local control plane.

This file is imported by every command, so it holds the version and nothing else.
"""

from localplane import __version__ as __version__
