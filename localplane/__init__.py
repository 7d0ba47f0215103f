"""localplane: a Kubernetes-compatible API server, and the library to build one.

This file is imported by every command, so it holds the version and nothing else.
"""

__version__ = "0.1.0"
